import Devices
import Traces
import Turret

/// The lines that a live session prints when it ends.
enum LiveReport {
  static func lines(_ bench: LiveBench<some RealTimeDevice>) -> [String] {
    let counts = bench.outputs.counts
    var parts = ["\(count(counts.received, "byte")) received"]
    if let commands = bench.commandCount { parts.append(count(commands, "command")) }
    parts.append(count(counts.servoEvents, "servo event"))
    for (why, number) in counts.lost.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      parts.append("\(count(number, "byte")) lost (\(why.rawValue))")
    }
    if bench.unread > 0 { parts.append("\(count(bench.unread, "byte")) that no sender read") }
    var lines = [parts.joined(separator: ", ")]
    if let unsent = bench.unsentSummary { lines.append(unsent) }
    let late = bench.pacer.lateness
    if let median = late.percentile(50), let tail = late.percentile(99) {
      lines.append(
        "woke \(count(late.count, "time")) for the device, late by \(rounded(median)) us (median), "
          + "\(rounded(tail)) us (99th percentile), \(rounded(late.worst)) us (worst)")
    }
    return lines
  }

  private static func rounded(_ interval: Interval) -> Int64 {
    (interval.nanoseconds + 500) / 1_000
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
