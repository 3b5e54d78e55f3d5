package import Turret

/// One field of a timing as it was measured.
package struct Figure: Hashable, Sendable {
  package var name: String
  package var value: Interval
  /// What the model has that is built in.
  package var builtIn: Interval
  /// How far apart the samples lay it was worked out from, and how many there were; nil: the firmware's
  /// model has no use for it, so it is the built-in one.
  package var samples: Samples?
}
