package import Turret

/// What became of a session's bytes and commands at the recorded times. For other worlds, only the
/// differences from it are counted.
package struct WorldReference: Sendable {
  /// A command as its sender wrote it.
  package struct Command: Sendable {
    package var bytes: Range<Int>
    /// See `outcome(of:)`.
    package var outcome: Fate
  }

  package let entries: [Ledger.Entry]
  /// The commands, which together contain every byte.
  package private(set) var commands: [Command] = []

  package init(_ session: UncertainSession, _ ledger: Ledger, firmware: Firmware) {
    entries = ledger.entries
    var splitter = CommandSplitter(firmware.sketch)
    for (index, byte) in session.bytes.enumerated() {
      splitter.take(byte.value, at: byte.recorded, event: index)
    }
    splitter.finish()
    // If the bytes do not arrive one for one, as at a wrong speed, there are no commands.
    guard entries.count == session.bytes.count else { return }
    for (index, command) in splitter.commands.enumerated() {
      let isLast = index + 1 == splitter.commands.count
      let end = isLast ? entries.count : splitter.commands[index + 1].event
      commands.append(
        Command(
          bytes: command.event..<end,
          outcome: Self.outcome(of: entries[command.event..<end])))
    }
  }

  /// Returns `letter` if the sketch took the whole command, otherwise the fate of the first byte
  /// that it did not take as part of it.
  static func outcome(of entries: ArraySlice<Ledger.Entry>) -> Fate {
    for entry in entries {
      switch entry.fate {
      case .letter, .digit, .terminator, .skipped, .taken, .arrived: continue
      case .swallowed, .junk, .purged, .abandoned, .ringFull, .uartOverrun, .booting, .cleared,
        .waiting:
        return entry.fate
      }
    }
    return .letter
  }
}
