/// The exit statuses that scripts rely on: those of sysexits.h, 128 + n for signal n, and whatever the
/// command after `--` ended with.
struct ExitStatus: RawRepresentable, Hashable, Sendable {
  var rawValue: Int32

  static let agree = ExitStatus(rawValue: 0)
  static let disagree = ExitStatus(rawValue: 1)
  static let usage = ExitStatus(rawValue: 64)
  static let malformed = ExitStatus(rawValue: 65)
  static let noInput = ExitStatus(rawValue: 66)
  static let unavailable = ExitStatus(rawValue: 69)
  static let inputOutput = ExitStatus(rawValue: 74)
  static let closedPipe = ExitStatus.signal(13)

  /// Ended by a signal.
  static func signal(_ number: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + number) }

  /// What wins where several traces end differently: the larger rank.
  var rank: Int {
    switch self {
    case .agree: 0
    case .disagree: 1
    case .malformed: 2
    case .noInput: 3
    case .unavailable: 4
    case .inputOutput: 5
    default: 6
    }
  }
}
