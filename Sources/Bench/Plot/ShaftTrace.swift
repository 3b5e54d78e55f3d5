import Turret

/// The corners of a shaft's way: where it sets off and where it arrives. Between them it is straight.
struct ShaftTrace {
  private var shaft: Shaft
  private(set) var series = ThinnedSeries()
  private var lastCorner = Instant.zero

  init(_ data: ServoData, load: Double) {
    shaft = Shaft(data, load: load)
    series.append(.init(.zero, shaft.target))
  }

  mutating func follow(pulse microseconds: Double, from edge: Instant) {
    let end = edge + Interval(nanoseconds: Int64(microseconds * 1_000))
    var next = shaft
    next.follow(pulse: microseconds, endingAt: end)
    guard next.target != shaft.target else { return }
    addArrival(before: end)
    add(end, shaft.angle(at: end))
    shaft = next
  }

  mutating func finish(at end: Instant) {
    addArrival(before: end)
    add(end, shaft.angle(at: end))
  }

  private mutating func addArrival(before end: Instant) {
    guard let arrival = shaft.arrival, arrival < end else { return }
    add(arrival, shaft.target)
  }

  private mutating func add(_ instant: Instant, _ degrees: Double) {
    guard instant > lastCorner else { return }
    lastCorner = instant
    series.append(.init(instant, degrees))
  }
}
