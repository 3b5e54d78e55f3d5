package import Sketches
package import Traces

/// Adds the virtual servo's motion to a session: an `x-shaft` event, in degrees, wherever its
/// motion begins, changes or ends.
package struct ShaftTrack: Sendable {
  private var motion: ShaftMotion
  /// Corners that are known but later than the last event: a pulse acts when it ends.
  private var pending: [Event] = []

  package init(_ servo: ServoData) { motion = ShaftMotion(servo) }

  /// Takes the session's next event. Returns the shaft's events that precede it.
  package mutating func take(_ event: Event) -> [Event] {
    let before = events(before: event.time)
    if case .output(.pulse(let width, nil)) = event.kind {
      pending += motion.follow(pulse: width, from: event.time).map(Self.event)
    }
    return before
  }

  /// Returns the shaft's events up to the end of the session.
  package mutating func finish(at end: Instant) -> [Event] {
    events(before: end + .nanoseconds(1))
  }

  private mutating func events(before limit: Instant) -> [Event] {
    let known = pending.prefix { $0.time < limit }
    pending.removeFirst(known.count)
    // While a departure is pending, the arrival before it has already been returned.
    guard pending.isEmpty else { return Array(known) }
    let arrivals = motion.arrive(before: limit).map(Self.event)
    pending = arrivals.filter { $0.time >= limit }
    return known + arrivals.filter { $0.time < limit }
  }

  private static func event(_ corner: ShaftMotion.Corner) -> Event {
    Event(
      corner.time.roundedUpToMicrosecond, .shaft((corner.degrees * 1_000).rounded() / 1_000))
  }
}

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
