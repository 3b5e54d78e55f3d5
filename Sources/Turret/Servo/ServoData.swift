/// Figures from a servo's data sheet, for the virtual shaft.
package struct ServoData: Hashable, Sendable {
  package var name: String
  /// Seconds to turn 60 degrees without load.
  package var secondsPer60Degrees: Double
  /// The smallest change of the pulse that moves the shaft, in microseconds.
  package var deadBand: Double
  /// The shaft's mechanical range, in degrees.
  package var endStops: ClosedRange<Double>
  /// Where the figures come from.
  package var source: String

  /// Returns the shaft's speed, in degrees a second, under a load given as a fraction of the stall
  /// torque: a DC motor's speed falls linearly with its torque.
  package func degreesPerSecond(load: Double) -> Double {
    60 / secondsPer60Degrees * (1 - min(max(load, 0), 1))
  }

  package static let sg90 = ServoData(
    name: "sg90", secondsPer60Degrees: 0.1, deadBand: 10, endStops: 0...180,
    source: "Tower Pro SG90 data sheet: 0.1 s/60 degrees at 4.8 V, dead band 10 us, 180 degrees")

  package static let mg996r = ServoData(
    name: "mg996r", secondsPer60Degrees: 0.17, deadBand: 5, endStops: 30...150,
    source: "Tower Pro MG996R data sheet: 0.17 s/60 degrees at 4.8 V, dead band 5 us, 120 degrees")

  package static let presets = [sg90, mg996r]
}
