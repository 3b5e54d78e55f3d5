import Traces
package import Turret

/// What became of each byte of a session, and what its sender probably meant and did not get, as
/// text.
package struct Explanation: Sendable {
  private let ledger: Ledger
  private let firmware: Firmware

  private let worlds: WorldFindings?

  /// `worlds`: what other timings of the same session showed; nil if its times are exact.
  package init(_ ledger: Ledger, firmware: Firmware, worlds: WorldFindings? = nil) {
    self.ledger = ledger
    self.worlds = worlds
    self.firmware = firmware
  }

  /// A line for each byte, under a heading, and a line of counts.
  package var byteLines: [String] {
    var lines = ["  arrived      taken        byte  fate         command"]
    for (index, entry) in ledger.entries.enumerated() {
      lines.append(Self.line(entry) + others(index))
    }
    lines.append(counts)
    return lines
  }

  /// A line for each thing that the sender did not get, under a heading; none if it got everything.
  package var misunderstandingLines: [String] {
    let found = Misunderstanding.find(in: ledger.entries, firmware: firmware)
    return found.isEmpty ? [] : ["", Misunderstanding.heading] + found.map { "  \($0.line)" }
  }

  /// Says that no command fits the sketch; nil if one does.
  package var objection: String? { SketchFit(ledger.entries, firmware).objection }

  /// A JSON object for each byte.
  package var jsonLines: [String] {
    ledger.entries.enumerated().map { Self.json($1, worlds: worlds?.fates[$0]) }
  }

  /// Lines about what holds in all, in some and in no timings of the session; none if its times are
  /// exact.
  package var worldLines: [String] {
    guard let worlds else { return [] }
    var lines = ["", "The recorded times are uncertain. In \(worlds.conditions):"]
    if worlds.commands.isEmpty { lines.append("  every command was taken in all of them") }
    let (always, sometimes) = (worlds.lostCommandLines, worlds.openCommandLines)
    lines += always.map { "  \($0)" }
    lines += sometimes.map { "  \($0)" }
    if !sometimes.isEmpty {
      lines.append("The recording cannot settle anything that differs between timings.")
    }
    return lines
  }

  /// The fates that a byte has in other timings, as the end of its line.
  private func others(_ index: Int) -> String {
    guard let worlds, worlds.fates[index].count > 1 else { return "" }
    let shares = Fate.allCases.compactMap { fate in
      worlds.fates[index][fate].map { "\(fate.rawValue) \(worlds.share($0))" }
    }
    return "  (\(shares.joined(separator: ", ")))"
  }

  private static func line(_ entry: Ledger.Entry) -> String {
    let arrived = seconds(entry.arrived).padded(to: 12)
    let taken = (entry.taken.map { seconds($0) } ?? "never").padded(to: 12)
    let byte = ByteText.name(entry.byte).padded(to: 5)
    let fate = entry.fate.rawValue.padded(to: 12)
    var line = "  \(arrived) \(taken) \(byte) \(fate) \(entry.command.map { "\($0)" } ?? "")"
    if entry.endedScan { line += "  ended the scan" }
    while line.last == " " { line.removeLast() }
    return line
  }

  private var counts: String {
    var counts: [String] = []
    for fate in Fate.allCases {
      let count = ledger.entries.count { $0.fate == fate }
      if count > 0 { counts.append("\(count) \(fate.rawValue)") }
    }
    let total = ledger.entries.count
    return String(counting: total, "byte")
      + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
  }

  private static func json(_ entry: Ledger.Entry, worlds: [Fate: Int]?) -> String {
    var json = JSONText()
    json.add("byte", Int(entry.byte))
    json.add("arrived", entry.arrived.roundedUpToMicrosecond)
    if let taken = entry.taken {
      json.add("taken", taken.roundedUpToMicrosecond)
    } else {
      json.add("taken", .null)
    }
    json.add("fate", entry.fate.rawValue)
    json.add("ended_scan", .bool(entry.endedScan))
    if let command = entry.command {
      json.add("command", command)
    } else {
      json.add("command", .null)
    }
    if let worlds { json.add("fates", WorldFindings.counts(worlds)) }
    return json.text
  }

  private static func seconds(_ instant: Instant) -> String {
    String(canonical: instant.roundedUpToMicrosecond)
  }
}
