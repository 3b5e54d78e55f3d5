import Devices
import Traces
import Turret

/// The lines that a live session prints when it ends.
enum LiveReport {
  static func lines(_ bench: LiveBench<some DeviceSource>) -> [String] {
    let counts = bench.outputs.counts
    var parts = ["\(String(counting: counts.received, "byte")) received"]
    if let commands = bench.commandCount { parts.append(String(counting: commands, "command")) }
    parts.append(String(counting: counts.servoEvents, "servo event"))
    for (why, number) in counts.lost.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      parts.append("\(String(counting: number, "byte")) lost (\(why.rawValue))")
    }
    if bench.unread > 0 {
      parts.append("\(String(counting: bench.unread, "byte")) that no sender read")
    }
    var lines = [parts.joined(separator: ", ")]
    if let unsent = bench.unsentSummary { lines.append(unsent) }
    let late = bench.pacer.lateness
    if let median = late.percentile(50), let tail = late.percentile(99) {
      lines.append(
        "woke \(String(counting: late.count, "time")) for the device, late by "
          + "\(rounded(median)) (median), \(rounded(tail)) (99th percentile), "
          + "\(rounded(late.worst)) (worst)")
    }
    if let line = bench.backlog.finalLine(end: bench.end) { lines.append(line) }
    return lines
  }

  /// Formats an interval in whole microseconds. Nanoseconds would be hard to read, and no clock
  /// here is that precise.
  private static func rounded(_ interval: Interval) -> String {
    String(readable: .microseconds((interval.nanoseconds + 500) / 1_000))
  }
}
