import Log
import Logging

/// Where a live session reports lines to its user.
enum SessionNotices {
  case terminal
  case log(BenchLog)
  /// The client in the same process.
  case host(Mailbox)

  func report(_ line: String) {
    switch self {
    case .terminal: Console.remark(line)
    case .log(let log): log.logger.notice("\(line)")
    case .host(let host): host.add(remark: line)
    }
  }
}
