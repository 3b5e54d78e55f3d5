package import Engine

/// The state of a turret. A property that the device does not show is nil.
public struct TurretState: Hashable, Sendable {
  /// The time of this state, since the session's start.
  public let time: Duration
  /// The commanded angle in degrees.
  public let servo: Int?
  /// The angle of the shaft in degrees.
  public let shaft: Double
  public let isSweeping: Bool
  /// Whether the sketch listens to its port.
  public let isReady: Bool
  /// The tone in hertz; nil if there is none.
  public let tone: Double?

  package init(_ state: APIState) {
    time = state.time.duration
    servo = state.servo
    shaft = state.shaft
    isSweeping = state.isSweeping
    isReady = state.isReady
    tone = state.tone
  }
}
