/// How a client went.
package enum Departure: Hashable, Sendable {
  /// It closed, or its connection ended.
  case closed
  /// It answered no ping.
  case silent
  /// This end closed it.
  case dismissed(Closing)
}

extension Departure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closed: "closed"
    case .silent: "answered no ping"
    case .dismissed(let closing): closing.reason
    }
  }
}
