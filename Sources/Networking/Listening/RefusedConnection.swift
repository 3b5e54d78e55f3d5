/// A refused connection or request, for the log.
package struct RefusedConnection: Hashable, Sendable {
  /// The HTTP status; also used for bare TCP.
  package var status: Int
  /// `ADDRESS:PORT`.
  package var address: String
  /// The requested target, without anything that must not be logged; nil if there was no request.
  package var path: String?
  package var why: String

  package init(status: Int, address: String, path: String? = nil, why: String) {
    self.status = status
    self.address = address
    self.path = path
    self.why = why
  }
}
