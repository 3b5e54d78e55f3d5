package import Turret

/// Something that should not happen to what a sender sends. The raw value is the word in a rule.
package enum Mishap: String, Hashable, Sendable, CaseIterable {
  /// A byte never reached the sketch, or was in the ring when the board restarted, or was still
  /// waiting at the end.
  case lost
  /// A byte is unknown to the sketch, or was discarded by the purge that an unknown byte starts.
  case junk
  /// A byte ended a number and was lost with it.
  case swallowed
  /// A number was not used: it was refused, timed out, or was broken off.
  case abandoned
  /// The answer that the profile states for a command did not follow, or one that it does not
  /// state.
  case unanswered
  /// The gateway refused a message.
  case refused
  /// A byte was sent at another speed than the board's.
  case wrongSpeed = "wrong-speed"
  /// The board restarted.
  case reset

  /// What `--strict` forbids.
  package static let strict: [Mishap] = [
    .lost, .junk, .swallowed, .abandoned, .refused, .wrongSpeed,
  ]

  /// Whether only the sketch's commands show that it has happened.
  var requiresCommands: Bool {
    switch self {
    case .junk, .swallowed, .abandoned, .unanswered: true
    case .lost, .refused, .wrongSpeed, .reset: false
    }
  }

  /// The mishap of a byte with this fate; nil if the fate is not a mishap.
  package init?(_ fate: Fate) {
    switch fate {
    case .ringFull, .uartOverrun, .booting, .cleared, .waiting: self = .lost
    case .junk, .purged: self = .junk
    case .swallowed: self = .swallowed
    case .abandoned: self = .abandoned
    case .letter, .digit, .terminator, .skipped, .taken, .arrived: return nil
    }
  }
}
