/// How a sender's process ended.
package struct SuiteSender: Hashable, Sendable {
  /// Its exit status; nil if a signal ended it.
  package var status: Int?
  package var signal: Int?
  /// The end of its standard error.
  package var standardError = ""

  /// Whether it ended successfully.
  package var isWell: Bool { signal == nil && (status ?? 0) == 0 }
}
