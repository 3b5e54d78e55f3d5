package import Traces
package import Turret

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
