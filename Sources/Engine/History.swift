package import Sketches

/// Snapshots of a session to rewind to: one a second, up to a maximum number.
package struct History<Moment: Sendable>: Sendable {
  package static var period: Interval { .seconds(1) }
  package static var countMax: Int { 120 }

  private var moments: [(time: Instant, moment: Moment)] = []

  package init() {}

  package mutating func keep(_ moment: @autoclosure () -> Moment, at now: Instant) {
    if let last = moments.last, now - last.time < Self.period { return }
    if moments.count == Self.countMax { moments.removeFirst() }
    moments.append((now, moment()))
  }

  /// Returns the last moment that is not after an instant, or else the oldest one left, and
  /// discards the later ones. Nil if none has been kept.
  package mutating func goBack(to instant: Instant) -> (time: Instant, moment: Moment)? {
    while moments.count > 1, let last = moments.last, last.time > instant { moments.removeLast() }
    return moments.last
  }
}
