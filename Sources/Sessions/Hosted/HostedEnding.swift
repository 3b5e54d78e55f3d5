/// How a session for a client in the same process ended.
package struct HostedEnding: Sendable {
  /// Nil if the session never began.
  package var end: APIEnd?
  /// Why the bench could not continue; nil if it ended as requested.
  package var failure: Failure?
  /// The lines that the bench reported to its user.
  package var remarks: [String]
}
