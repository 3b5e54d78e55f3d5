/// What became of every byte of a session.
package struct APIExplanation: Hashable, Sendable {
  /// The lines that the command `explain` prints.
  package var lines: [String]
  /// The same as JSON: an object for each byte.
  package var bytes: [String]
}
