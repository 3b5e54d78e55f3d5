import Traces
package import Turret

/// A command that the sketch took differently from what its sender probably intended.
package struct Misunderstanding: Hashable, Sendable {
  /// What is the same when a command is misunderstood in the same way at another time.
  package struct Pattern: Hashable, Sendable {
    /// The command's bytes, with the one after it if it has no end.
    var bytes: [UInt8]
    /// What became of them.
    var fates: [Fate]
    /// Whether the command ended a scan.
    var endedScan: Bool
  }

  package var time: Instant
  package var text: String
  package var pattern: Pattern

  /// Parses the bytes as a sender writes them, `X` digits `.` and single letters. Returns, in order
  /// of time, the commands that the sketch did not carry out as intended.
  package static func find(
    in entries: [Ledger.Entry], firmware: Firmware
  ) -> [Misunderstanding] {
    var found: [Misunderstanding] = []
    var index = 0
    while index < entries.count {
      let command = IntendedCommand(entries, from: index, firmware: firmware)
      if let text = command.misunderstanding {
        found.append(
          Misunderstanding(
            time: entries[index].arrived, text: text, pattern: command.pattern))
      }
      index = command.range.upperBound
    }
    return found
  }

  /// The heading of a list of lines.
  package static let heading = "What the sender probably meant and did not get:"
  /// The maximum number of lines in a report about rules.
  private static let listedMax = 10

  /// Returns the lines of misunderstood commands with their heading, for a report about rules; none
  /// if there are none.
  package static func list(_ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    let rest = lines.count - listedMax
    return [heading] + lines.prefix(listedMax).map { "  \($0)" }
      + (rest > 0 ? ["  and \(rest) more"] : [])
  }

  /// The time and the text as one line.
  package var line: String { "\(String(canonical: time.roundedUpToMicrosecond)) s  \(text)" }
}
