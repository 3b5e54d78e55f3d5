/// What comes of a frame.
public struct Sighting: Hashable, Sendable {
  /// What is aimed at (the app draws it red); nil if there is nothing, if the gate is not open, and
  /// if it is the whole picture that is aimed at.
  public var target: Mark?
  /// What else passed the filters (yellow), the biggest first.
  public var others: [Mark]
  /// Where to aim; nil in sentry mode.
  public var angles: Angles?
  /// Degrees off the camera's axis, not rounded, positive to the right in the world; nil without a
  /// target or without a field of view.
  public var offCentre: Double?
  /// In the unit of the samples; nil without a target or a regression.
  public var distance: Double?
  /// What the asked-for label's gate says; nil if there is none.
  public var gate: Gate.Reading?
  /// What to send; nil if it is what was sent last.
  public var command: TurretCommand?

  /// What the turret is to do, sent already or not.
  public var wanted: TurretCommand { angles.map { .aim($0.x) } ?? .lost }

  /// As the app shows it.
  public var status: String {
    angles.map { "Shooting X: \($0.x) | Y: \($0.y)" } ?? "Sentry mode, no targets"
  }
}
