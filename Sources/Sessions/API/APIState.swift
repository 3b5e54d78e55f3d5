package import Turret

/// The present state of a session's turret. Values that the device does not show are nil.
package struct APIState: Hashable, Sendable {
  package var time: Instant
  /// The commanded angle in degrees.
  package var servo: Int?
  /// The width of the servo's pulses in microseconds.
  package var pulse: Int?
  /// The angle of the modelled shaft in degrees, in tenths.
  package var shaft: Double
  package var isSweeping: Bool
  package var activity: Activity?
  /// Whether the sketch listens.
  package var isReady: Bool
  /// The tone in hertz.
  package var tone: Double?
  /// The number of the sender's bytes that have not reached the board.
  package var onTheLine: Int
  /// The number of bytes that have arrived but were not taken by the sketch.
  package var waiting: Int?
  /// The sender's speed in bits a second.
  package var baud: Int
}
