package import Turret

/// The corners of a shaft's motion: where it begins, changes or ends. Between them it is a straight
/// line.
package struct ShaftMotion: Sendable {
  package struct Corner: Sendable {
    package var time: Instant
    package var degrees: Double

    package init(time: Instant, degrees: Double) {
      self.time = time
      self.degrees = degrees
    }
  }

  private var shaft: Shaft
  private var isMoving = false

  package init(_ servo: ServoData, load: Double = 0) { shaft = Shaft(servo, load: load) }

  /// Where the shaft rests before the first pulse, in degrees.
  package var target: Double { shaft.target }

  package func degrees(at instant: Instant) -> Double { shaft.angle(at: instant) }

  /// Follows a pulse that begins at `edge`. Returns the corners up to its end, which is when the
  /// servo has measured it.
  package mutating func follow(pulse microseconds: Double, from edge: Instant) -> [Corner] {
    let end = edge + Interval(nanoseconds: Int64((microseconds * 1_000).rounded()))
    var next = shaft
    next.follow(pulse: microseconds, endingAt: end)
    guard next.target != shaft.target else { return [] }
    let corners = arrive(before: end) + [Corner(time: end, degrees: shaft.angle(at: end))]
    shaft = next
    isMoving = true
    return corners
  }

  /// Returns the corner where the shaft arrives, if that is before `limit` and not returned yet.
  package mutating func arrive(before limit: Instant) -> [Corner] {
    guard isMoving, let arrival = shaft.arrival, arrival < limit else { return [] }
    isMoving = false
    return [Corner(time: arrival, degrees: shaft.target)]
  }
}
