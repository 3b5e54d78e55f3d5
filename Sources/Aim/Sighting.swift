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
  /// The command to send; nil if it equals the one sent last, or if there is none to send.
  public var command: TurretCommand?
  /// The command to fire, to be sent before `command`; nil if the turret must not fire now.
  public var shot: TurretCommand?
  /// The turret's intended command, whether or not it has been sent.
  public internal(set) var wanted = TurretCommand.lost
  /// Where the target is; nil without one.
  package internal(set) var place: TargetPlace?
  /// Whether the target lacks the landmark of `AimOptions.at`, so that its box is aimed at.
  public internal(set) var lacksLandmark = false

  /// The app's status text.
  public var status: String {
    angles.map { "Shooting X: \($0.x) | Y: \($0.y)" } ?? "Sentry mode, no targets"
  }
}

/// Where a target is, in degrees: more is further to the right, or further down.
package enum TargetPlace: Hashable, Sendable {
  /// As angles of the turret, whether or not it can reach them.
  case turret(x: Double, y: Double)
  /// From where the turret points: seen by a camera on the turret.
  case offset(x: Double, y: Double)
}

/// The angles to aim at, in whole degrees. `x` pans the turret. `y` tilts it if its sketch has such
/// a command; otherwise it is only displayed. 90 is straight ahead, and more is further to the
/// right, or further down.
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

  /// The outlines of a face by their names, in the view as `box` is.
  public var landmarks: [String: [Point]] {
    observation.landmarks.mapValues { points in
      points.map { Point(box.x + $0.x * box.width, box.maxY - $0.y * box.height) }
    }
  }
}
