package import Turret

/// The trace that a session must agree with.
package struct Golden: Hashable, Sendable {
  package var path: String
  /// How early or late an output can be; nil for the default.
  package var tolerance: Interval?
  /// How far the sender's gaps can differ from the trace's; nil if they are not judged.
  package var gaps: Interval?

  package init(path: String, tolerance: Interval? = nil, gaps: Interval? = nil) {
    self.path = path
    self.tolerance = tolerance
    self.gaps = gaps
  }
}
