package import Sketches

/// Limits the view to thirty redraws a second, and dashboards to as many messages. Instants are
/// those of the loop's monotonic clock.
package struct RedrawLimiter: Hashable, Sendable {
  /// The shortest time between two redraws.
  package static let period = Interval(nanoseconds: 33_333_334)

  private var last: Instant?
  private var isWanted = false

  package init() {}

  /// When to redraw next; nil if none is requested.
  package var next: Instant? {
    isWanted ? last.map { $0 + Self.period } ?? .zero : nil
  }

  /// Returns whether to redraw now, and counts it. If not, a redraw is requested for later.
  package mutating func admit(at now: Instant) -> Bool {
    if let last, now - last < Self.period {
      isWanted = true
      return false
    }
    last = now
    isWanted = false
    return true
  }

  /// Requests another redraw, since something is still changing.
  package mutating func wantAnother() { isWanted = true }

  /// Cancels the requested redraw.
  package mutating func cancel() { isWanted = false }
}
