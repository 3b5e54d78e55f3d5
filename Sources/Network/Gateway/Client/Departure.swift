/// How a client's connection ended.
package enum Departure: Hashable, Sendable {
  /// The client closed it, or it broke.
  case closed
  /// The client did not answer a ping.
  case silent
  /// This end closed it.
  case dismissed(Closing)
}

extension Departure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closed: "closed"
    case .silent: "did not answer a ping"
    case .dismissed(let closing): closing.reason
    }
  }
}
