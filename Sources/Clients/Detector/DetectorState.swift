/// Whether a detector answers.
package enum DetectorState: Hashable, Sendable {
  /// It has answered the hello.
  case ready
  /// There is no connection to it, for this reason. The next attempt follows after a while.
  case away(String)
}
