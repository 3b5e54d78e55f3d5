/// A refused connection or request, for the log.
struct RefusedConnection: Hashable, Sendable {
  /// The HTTP status; also used for bare TCP.
  var status: Int
  /// `ADDRESS:PORT`.
  var address: String
  /// The requested target, without anything that must not be logged; nil if there was no request.
  var path: String?
  var why: String
}
