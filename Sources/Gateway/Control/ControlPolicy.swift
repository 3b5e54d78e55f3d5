/// Decides which of several clients is in control.
package enum ControlPolicy: String, Hashable, Sendable, CaseIterable {
  /// The client that connected first, until it leaves.
  case first
  /// The client that connected last; the others watch.
  case latest
}
