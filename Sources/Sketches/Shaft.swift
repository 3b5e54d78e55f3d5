/// The servo's shaft, which turns at a limited rate towards the last pulse it received.
///
/// Closed form: between two pulses of different width the angle is a straight line and then
/// constant, so the angle at any instant is known without stepping there. Pulses have the Arduino
/// servo library's meaning: 544 us is 0 degrees, 2400 us is 180.
package struct Shaft: Hashable, Sendable {
  package let data: ServoData
  private let degreesPerSecond: Double
  private var departure: Instant
  private var departureAngle: Double
  /// The angle the shaft is turning to or has reached, in degrees.
  package private(set) var target: Double

  /// Creates a shaft at rest. `load` is the fraction of the stall torque it works against, 0..<1.
  package init(_ data: ServoData, load: Double = 0, restingAt degrees: Double = 90) {
    self.data = data
    degreesPerSecond = data.degreesPerSecond(load: load)
    departure = .zero
    target = min(max(degrees, data.endStops.lowerBound), data.endStops.upperBound)
    departureAngle = target
  }

  /// Returns the angle, in degrees, at an instant that is not before the last pulse.
  package func angle(at instant: Instant) -> Double {
    let turned = max(0, (instant - departure).seconds) * degreesPerSecond
    let way = target - departureAngle
    guard turned < abs(way) else { return target }
    return departureAngle + (way < 0 ? -turned : turned)
  }

  /// When the shaft reaches its target if no other pulse follows; nil if the load holds it.
  package var arrival: Instant? {
    let way = abs(target - departureAngle)
    guard way > 0 else { return departure }
    guard degreesPerSecond > 0 else { return nil }
    return departure + Interval(nanoseconds: Int64((way / degreesPerSecond * 1e9).rounded(.up)))
  }

  /// Follows a pulse that ended at `instant`. The shaft turns to it unless it is within the dead
  /// band around the present target.
  package mutating func follow(pulse microseconds: Double, endingAt instant: Instant) {
    let wanted = Self.degrees(of: microseconds)
    let reachable = min(max(wanted, data.endStops.lowerBound), data.endStops.upperBound)
    let change = abs(reachable - target) * 1_856 / 180
    guard change > 0, change >= data.deadBand else { return }
    departureAngle = angle(at: instant)
    departure = instant
    target = reachable
  }

  /// Returns the angle that a pulse commands, in degrees.
  package static func degrees(of microseconds: Double) -> Double {
    (microseconds - 544) * 180 / 1_856
  }
}

/// The pulses on the servo's pin: one rising edge each period, whatever the sketch does.
///
/// A new width takes effect at the next period.
package struct PulseTrain: Hashable, Sendable {
  package var first: Instant
  /// The time from one rising edge to the next.
  package var period: Interval

  package init(first: Instant, period: Interval) {
    self.first = first
    self.period = period
  }

  /// Returns the first rising edge that is not before `instant`.
  package func edge(notBefore instant: Instant) -> Instant {
    guard instant > first else { return first }
    let past = instant - first
    let periods = (past.nanoseconds + period.nanoseconds - 1) / period.nanoseconds
    return first + Interval(nanoseconds: periods * period.nanoseconds)
  }
}

/// Figures from a servo's data sheet, for the virtual shaft.
package struct ServoData: Hashable, Sendable {
  package var name: String
  /// Seconds to turn 60 degrees without load.
  package var secondsPer60Degrees: Double
  /// The smallest change of the pulse that moves the shaft, in microseconds.
  package var deadBand: Double
  /// The shaft's mechanical range, in degrees.
  package var endStops: ClosedRange<Double>
  package var source: String

  /// Returns the shaft's speed, in degrees a second, under a load given as a fraction of the stall
  /// torque: a DC motor's speed falls linearly with its torque.
  package func degreesPerSecond(load: Double) -> Double {
    60 / secondsPer60Degrees * (1 - min(max(load, 0), 1))
  }

  package static let sg90 = ServoData(
    name: "sg90", secondsPer60Degrees: 0.1, deadBand: 10, endStops: 0...180,
    source: "Tower Pro SG90 data sheet: 0.1 s/60 degrees at 4.8 V, dead band 10 us, 180 degrees")

  package static let mg90s = ServoData(
    name: "mg90s", secondsPer60Degrees: 0.1, deadBand: 5, endStops: 0...180,
    source: "Tower Pro MG90S data sheet: 0.1 s/60 degrees at 4.8 V, dead band 5 us, 180 degrees")

  package static let mg996r = ServoData(
    name: "mg996r", secondsPer60Degrees: 0.17, deadBand: 5, endStops: 30...150,
    source: "Tower Pro MG996R data sheet: 0.17 s/60 degrees at 4.8 V, dead band 5 us, 120 degrees")

  /// By the same names as the servos of a rig.
  package static let presets = [sg90, mg90s, mg996r]
}
