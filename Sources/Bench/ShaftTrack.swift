package import Traces
package import Turret

/// Adds to a session what the virtual servo's shaft does: an `x-shaft` event, in degrees, wherever
/// its motion begins, changes or ends. Between two of them the angle is a straight line.
package struct ShaftTrack: Sendable {
  private var shaft: Shaft
  private var lastWidth: Double?
  /// A change that is to come, because the pulse that causes it has begun but not ended.
  private var departures: [(time: Instant, width: Double)] = []
  private var arrivalIsDue = false

  package init(_ servo: ServoData) { shaft = Shaft(servo) }

  /// Looks at the session's next event; gives the shaft's events that come before it.
  package mutating func take(_ event: Event) -> [Event] {
    let before = events(before: event.time)
    if case .output(.pulse(let width)) = event.kind, width != lastWidth {
      lastWidth = width
      let length = Interval(nanoseconds: Int64((width * 1_000).rounded()))
      departures.append((event.time + length, width))
    }
    return before
  }

  /// The shaft's events up to the end of the session.
  package mutating func finish(at end: Instant) -> [Event] {
    events(before: end + .nanoseconds(1))
  }

  private mutating func events(before limit: Instant) -> [Event] {
    var events: [Event] = []
    while let departure = departures.first, departure.time < limit {
      departures.removeFirst()
      arrive(before: departure.time, &events)
      let target = shaft.target
      shaft.follow(pulse: departure.width, endingAt: departure.time)
      guard shaft.target != target else { continue }
      arrivalIsDue = true
      events.append(event(at: departure.time))
    }
    arrive(before: limit, &events)
    return events
  }

  private mutating func arrive(before limit: Instant, _ events: inout [Event]) {
    guard arrivalIsDue, let arrival = shaft.arrival?.roundedUpToMicrosecond, arrival < limit else {
      return
    }
    arrivalIsDue = false
    events.append(event(at: arrival))
  }

  private func event(at instant: Instant) -> Event {
    var text: [UInt8] = []
    text.append("\"x-shaft\", ")
    text.appendShortest((shaft.angle(at: instant) * 1_000).rounded() / 1_000)
    return Event(
      instant.roundedUpToMicrosecond, .other(String(decoding: text, as: UTF8.self)))
  }
}
