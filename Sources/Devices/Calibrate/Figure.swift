package import Turret

/// One measured field of a timing.
package struct Figure: Hashable, Sendable {
  package var name: String
  package var value: Interval
  /// The model's built-in value.
  package var builtIn: Interval
  /// The samples behind the figure. Nil if the figure was not measured, because the firmware's
  /// model does not use it or it cannot be observed; its value is then the built-in one.
  package var samples: Samples?
}
