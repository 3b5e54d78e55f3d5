package import Turret

/// A command that the sketch took differently from what its sender probably intended.
package struct Misunderstanding: Hashable, Sendable {
  package var time: Instant
  package var text: String

  /// Parses the bytes as a sender writes them, `X` digits `.` and single letters, and returns, in
  /// order of time, where the sketch did not do what they command.
  package static func find(in ledger: Ledger, firmware: Firmware) -> [Misunderstanding] {
    var found: [Misunderstanding] = []
    var index = 0
    while index < ledger.entries.count {
      let command = IntendedCommand(ledger.entries, from: index, firmware: firmware)
      if let text = command.misunderstanding {
        found.append(Misunderstanding(time: ledger.entries[index].arrived, text: text))
      }
      index = command.range.upperBound
    }
    return found
  }
}
