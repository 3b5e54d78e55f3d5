package import Sketches
import Traces

/// What became of each byte of a session, and what its sender probably did not get, as text.
package struct Explanation: Sendable {
  private let ledger: Ledger
  private let commands: CommandFindings
  private let worlds: WorldFindings?

  /// `end`: when the part of the session ends in which everything that was sent is known; `worlds`:
  /// what other timings of the same session showed; nil if its times are exact.
  package init(_ ledger: Ledger, firmware: Firmware, end: Instant, worlds: WorldFindings? = nil) {
    self.ledger = ledger
    self.worlds = worlds
    commands = CommandFindings(
      ledger.entries, firmware: firmware, end: ledger.listEnd == nil ? end : nil)
  }

  /// A line for each byte, under a heading, and a line of counts.
  package var byteLines: [String] {
    var lines = ["  arrived      taken        byte  fate         command"]
    for (index, entry) in ledger.entries.enumerated() {
      lines.append(Self.line(entry) + others(index))
    }
    if let end = ledger.listEnd { lines.append(Self.unlistedLine(ledger.unlisted, from: end)) }
    lines.append(Self.counts(ledger.fateCounts))
    return lines
  }

  /// Says how many bytes are not listed because there are too many, from an instant on.
  static func unlistedLine(_ unlisted: [Fate: Int], from end: Instant) -> String {
    let count = unlisted.values.reduce(0, +)
    return "  and \(count) more, from \(seconds(end)) s on: they are counted, and not listed"
  }

  /// The JSON object that counts them.
  static func unlistedJSON(_ unlisted: [Fate: Int], from end: Instant) -> String {
    var json = JSONText()
    json.add("more", unlisted.values.reduce(0, +))
    json.add("from", end.roundedUpToMicrosecond)
    json.add("fates", WorldFindings.counts(unlisted))
    return json.text
  }

  /// A line for each thing that the sender did not get, under a heading; none if it got everything.
  package var misunderstandingLines: [String] {
    let found = commands.misunderstandings.map { "  \($0.line)" }
    var lines: [String] = []
    if let end = ledger.listEnd {
      let start = Self.seconds(end)
      lines = ["", "Commands from \(start) s on were not examined: there are too many."]
    }
    return found.isEmpty ? lines : lines + ["", Misunderstanding.heading] + found
  }

  /// Returns what is open at the end, and that nothing went wrong. `facts`: nil if not known.
  package func restLines(_ facts: RecordingFacts?, hasLosses: Bool = false) -> [String] {
    guard ledger.listEnd == nil, let facts else { return [] }
    var lines = commands.openLines
    if facts.showsAll, !hasLosses, worlds?.commands.isEmpty ?? true,
      let faultless = commands.faultless
    {
      lines += ["No fault was found: \(faultless). \(commands.basis)"]
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  /// A JSON object for each byte.
  package var jsonLines: [String] {
    ledger.entries.enumerated().map { Self.json($1, worlds: worlds?.fates[$0]) }
      + (ledger.listEnd.map { [Self.unlistedJSON(ledger.unlisted, from: $0)] } ?? [])
  }

  /// Lines about what holds in all, some and no timings; none if the times are exact.
  package var worldLines: [String] {
    guard let worlds else { return [] }
    var lines = ["", "The recorded times are uncertain. In \(worlds.conditions):"]
    if worlds.commands.isEmpty { lines.append("  every command was taken in all of them") }
    let sometimes = worlds.openCommandLines
    lines += (worlds.lostCommandLines + sometimes).map { "  \($0)" }
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
    let command = entry.command.map { "\($0)" } ?? ""
    return entry.line(command + (entry.endedScan ? "  ended the sweep" : ""))
  }

  /// The number of bytes, and of those with each fate.
  static func counts(_ found: [Fate: Int]) -> String {
    let counts = Fate.allCases.compactMap { fate in
      found[fate].flatMap { $0 > 0 ? "\($0) \(fate.rawValue)" : nil }
    }
    return String(counting: found.values.reduce(0, +), "byte")
      + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
  }

  private static func json(_ entry: Ledger.Entry, worlds: [Fate: Int]?) -> String {
    var json = entry.json
    json.add("ended_scan", .bool(entry.endedScan))
    json.add("command", entry.command.map { .number("\($0)") } ?? .null)
    if let worlds { json.add("fates", WorldFindings.counts(worlds)) }
    return json.text
  }

  static func seconds(_ instant: Instant) -> String {
    String(canonical: instant.roundedUpToMicrosecond)
  }
}

extension Interval {
  /// The length to the nearest microsecond, for a time that is not negative.
  var roundedToMicrosecond: Interval { .microseconds((nanoseconds + 500) / 1_000) }
}

extension Ledger.Entry {
  /// Returns the byte's line in a table, with this in its last column.
  func line(_ last: String) -> String {
    let untaken =
      switch fate {
      case .arrived: "-"
      case .waiting: "not yet"
      default: "never"
      }
    let taken = taken.map { Explanation.seconds($0) } ?? untaken
    var line =
      "  \(Explanation.seconds(arrived).padded(to: 12)) \(taken.padded(to: 12)) "
      + "\(ByteText.name(byte).padded(to: 5)) \(fate.rawValue.padded(to: 12)) \(last)"
    while line.last == " " { line.removeLast() }
    return line
  }

  /// The beginning of the byte's JSON object.
  var json: JSONText {
    var json = JSONText()
    json.add("byte", Int(byte))
    json.add("arrived", arrived.roundedUpToMicrosecond)
    json.add("taken", taken.map { .number(Explanation.seconds($0)) } ?? .null)
    json.add("fate", fate.rawValue)
    return json
  }
}
