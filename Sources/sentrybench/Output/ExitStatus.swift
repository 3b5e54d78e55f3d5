/// The exit statuses that scripts rely on: those of sysexits.h, and 128 + n for signal n.
enum ExitStatus: Int32 {
  case agree = 0
  case disagree = 1
  case usage = 64
  case malformed = 65
  case noInput = 66
  case unavailable = 69
  case inputOutput = 74
  case interrupted = 130
  case closedPipe = 141
  case terminated = 143

  /// What wins where several traces end differently: the larger rank.
  var rank: Int {
    switch self {
    case .agree: 0
    case .disagree: 1
    case .malformed: 2
    case .noInput: 3
    case .unavailable: 4
    case .inputOutput: 5
    case .usage, .interrupted, .closedPipe, .terminated: 6
    }
  }
}
