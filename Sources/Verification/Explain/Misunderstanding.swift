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
      let word = Word(ledger.entries, from: index, firmware: firmware)
      if let text = word.misunderstanding {
        found.append(Misunderstanding(time: ledger.entries[index].arrived, text: text))
      }
      index = word.range.upperBound
    }
    return found
  }
}
