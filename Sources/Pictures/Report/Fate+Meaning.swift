package import Turret

extension Fate {
  /// What became of a byte with this fate, in words.
  package var meaning: String {
    switch self {
    case .letter: "taken as a command"
    case .digit: "part of a number"
    case .terminator: "the full stop that ended a number"
    case .swallowed: "ended a number in place of the full stop, and was lost"
    case .skipped: "skipped inside a number"
    case .junk: "not a command"
    case .purged: "discarded: after an unknown byte the sketch empties its buffer"
    case .abandoned: "part of a number that was not used"
    case .ringFull: "lost: 63 bytes were waiting already"
    case .uartOverrun: "lost: the sketch kept interrupts off too long"
    case .booting: "lost: the bootloader owned the line, or the sketch's port was closed"
    case .cleared: "lost: it was waiting when the board restarted"
    case .waiting: "not taken by the end"
    case .taken: "taken by the program"
    case .arrived: "arrived; nothing shows whether the program took it"
    }
  }
}
