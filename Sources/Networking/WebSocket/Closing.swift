/// The reason for which this end closes a connection: a status code (RFC 6455, 7.4.1) and a
/// sentence.
package struct Closing: Hashable, Sendable {
  package var code: UInt16
  package var reason: String

  package init(_ code: UInt16, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The bench is stopping.
  package static let goingAway = Closing(1001, "the bench is stopping")
}
