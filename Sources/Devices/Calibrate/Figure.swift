package import Turret

/// One field of a timing as it was measured.
package struct Figure: Hashable, Sendable {
  package var name: String
  package var value: Interval
  /// What the model has that is built in.
  package var builtIn: Interval
  /// What it was worked out from; nil: it was not measured, as the firmware's model has no use for
  /// it or it cannot be seen, and is the built-in one.
  package var samples: Samples?
}
