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

/// A command for the turret: aim at an angle, or the target is lost.
public struct TurretCommand: Hashable, Sendable, CustomStringConvertible {
  /// 0...180; nil if the target is lost.
  public let degrees: Int?

  /// Aims at an angle, clamped to 0...180.
  public static func aim(_ degrees: Int) -> TurretCommand {
    TurretCommand(degrees: min(max(degrees, 0), 180))
  }

  public static let lost = TurretCommand(degrees: nil)

  /// The command as the firmware expects it: `X90.`, including the full stop, or `L`.
  public var text: String { degrees.map { "X\($0)." } ?? "L" }

  public var description: String { text }
}

/// The angles to aim at, in whole degrees. `x` is sent to the turret; `y` is only displayed.
public struct Angles: Hashable, Sendable {
  public var x: Int
  public var y: Int

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}

/// An observation to draw in the view.
public struct Mark: Hashable, Sendable {
  public var observation: Observation
  /// The position in the view: points, origin at the upper left, y down. Can be partly or wholly
  /// outside if the picture is larger than the view.
  public var box: Box

  public init(_ observation: Observation, box: Box) {
    self.observation = observation
    self.box = box
  }
}
