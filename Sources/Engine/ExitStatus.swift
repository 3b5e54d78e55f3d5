package import Devices

/// The exit statuses that scripts rely on: those of sysexits.h, 128 + n for signal n, and the
/// status of the command after `--`.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
  package var rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let agree = ExitStatus(rawValue: 0)
  package static let disagree = ExitStatus(rawValue: 1)
  package static let usage = ExitStatus(rawValue: 64)
  package static let malformed = ExitStatus(rawValue: 65)
  package static let noInput = ExitStatus(rawValue: 66)
  package static let unavailable = ExitStatus(rawValue: 69)
  package static let inputOutput = ExitStatus(rawValue: 74)
  /// The command after `--` took longer than its limit.
  package static let timeout = ExitStatus(rawValue: 124)
  package static let closedPipe = ExitStatus.signal(13)

  /// Ended by a signal.
  package static func signal(_ number: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + number) }

  /// Precedence if several traces end differently: the larger rank wins.
  package var rank: Int {
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

extension ExitStatus {
  /// The status of a command whose device has failed.
  package init(_ error: DeviceError) {
    self =
      switch error.code {
      case .unavailable, .gone: .unavailable
      case .inputOutput: .inputOutput
      case .crashed, .unsuitable: .malformed
      }
  }
}
