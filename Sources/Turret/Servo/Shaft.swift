/// The servo's shaft: it turns at a limited rate towards the last pulse it was given.
///
/// Closed form: between two pulses of different width the angle is a straight line and then
/// constant, so the angle at any instant is known without stepping there. Pulses are taken as the
/// Arduino servo library means them: 544 us is 0 degrees, 2400 us is 180.
package struct Shaft: Hashable, Sendable {
  package let data: ServoData
  private let degreesPerSecond: Double
  private var departure: Instant
  private var departureAngle: Double
  /// Where the shaft is going, or has arrived, degrees.
  package private(set) var target: Double

  /// A shaft at rest. `load` is the part of the stall torque that it works against, 0..<1.
  package init(_ data: ServoData, load: Double = 0, restingAt degrees: Double = 90) {
    self.data = data
    degreesPerSecond = data.degreesPerSecond(load: load)
    departure = .zero
    target = min(max(degrees, data.endStops.lowerBound), data.endStops.upperBound)
    departureAngle = target
  }

  /// The angle, degrees, at an instant that is not before the last pulse.
  package func angle(at instant: Instant) -> Double {
    let turned = max(0, (instant - departure).seconds) * degreesPerSecond
    let way = target - departureAngle
    guard turned < abs(way) else { return target }
    return departureAngle + (way < 0 ? -turned : turned)
  }

  /// When the shaft is at its target, if no other pulse comes; nil where the load holds it.
  package var arrival: Instant? {
    let way = abs(target - departureAngle)
    guard way > 0 else { return departure }
    guard degreesPerSecond > 0 else { return nil }
    return departure + Interval(nanoseconds: Int64((way / degreesPerSecond * 1e9).rounded(.up)))
  }

  /// A pulse ended at `instant`. The shaft sets off for it, unless it is within the dead band of
  /// where the shaft is going.
  package mutating func follow(pulse microseconds: Double, endingAt instant: Instant) {
    let wanted = Self.degrees(of: microseconds)
    let reachable = min(max(wanted, data.endStops.lowerBound), data.endStops.upperBound)
    let change = abs(reachable - target) * 1_856 / 180
    guard change > 0, change >= data.deadBand else { return }
    departureAngle = angle(at: instant)
    departure = instant
    target = reachable
  }

  /// The angle a pulse asks for, degrees.
  package static func degrees(of microseconds: Double) -> Double {
    (microseconds - 544) * 180 / 1_856
  }
}
