/// A connection or a request that was refused, for the log.
struct RefusedConnection: Hashable, Sendable {
  /// As HTTP numbers them, on bare TCP too.
  var status: Int
  /// `ADDRESS:PORT`.
  var address: String
  /// What was asked for, with nothing in it that must not be logged; nil: it did not come so far.
  var path: String?
  var why: String
}
