package import Turret

/// Moments of a session that it can go back to: one a second, the last so many.
package struct History<Moment: Sendable>: Sendable {
  package static var period: Interval { .seconds(1) }
  package static var countMax: Int { 120 }

  private var moments: [(time: Instant, moment: Moment)] = []

  package init() {}

  /// Keeps the moment, if it is time to.
  package mutating func keep(_ moment: @autoclosure () -> Moment, at now: Instant) {
    if let last = moments.last, now - last.time < Self.period { return }
    if moments.count == Self.countMax { moments.removeFirst() }
    moments.append((now, moment()))
  }

  /// The last moment that is not after an instant, else the oldest that is left; later ones are
  /// forgotten. Nil where none has been kept.
  package mutating func goBack(to instant: Instant) -> (time: Instant, moment: Moment)? {
    while moments.count > 1, let last = moments.last, last.time > instant { moments.removeLast() }
    return moments.last
  }
}
