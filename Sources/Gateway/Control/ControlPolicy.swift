/// Who controls where several clients could.
package enum ControlPolicy: String, Hashable, Sendable, CaseIterable {
  /// The one who came first, until it goes.
  case first
  /// The one who came last; the others watch.
  case latest
}
