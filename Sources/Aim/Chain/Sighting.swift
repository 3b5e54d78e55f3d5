/// The result of a frame.
public struct Sighting: Hashable, Sendable {
  /// The target (the app draws it red). Nil if there is none, if the gate is closed, or if the
  /// target is the whole picture.
  public var target: Mark?
  /// Everything else that passed the filters (drawn yellow), largest first.
  public var others: [Mark]
  /// The angles to aim at; nil in sentry mode.
  public var angles: Angles?
  /// Degrees from the camera's axis, not rounded, positive to the right in the world. Nil without a
  /// target or a field of view.
  public var offCentre: Double?
  /// The distance in the unit of the samples; nil without a target or a regression.
  public var distance: Double?
  /// The state of the gate; nil if there is none.
  public var gate: Gate.Reading?
  /// The command to send; nil if it equals the one sent last.
  public var command: TurretCommand?

  /// The turret's intended command, whether or not it has been sent.
  public var wanted: TurretCommand { angles.map { .aim($0.x) } ?? .lost }

  /// The app's status text.
  public var status: String {
    angles.map { "Shooting X: \($0.x) | Y: \($0.y)" } ?? "Sentry mode, no targets"
  }
}
