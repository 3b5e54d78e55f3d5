package import Turret

/// Lets at most thirty frames a second pass. The instants are those of the loop's monotonic clock.
package struct FrameLimiter: Hashable, Sendable {
  /// The shortest time between two frames.
  package static let period = Interval(nanoseconds: 33_333_334)

  private var last: Instant?
  private var isWanted = false

  package init() {}

  /// When the next frame is to be drawn; nil where none is wanted.
  package var next: Instant? {
    isWanted ? last.map { $0 + Self.period } ?? .zero : nil
  }

  /// Whether a frame may be drawn now, which counts it; if not, it is wanted later.
  package mutating func admit(at now: Instant) -> Bool {
    if let last, now - last < Self.period {
      isWanted = true
      return false
    }
    last = now
    isWanted = false
    return true
  }

  /// Something goes on changing, so that there is to be another frame.
  package mutating func wantAnother() { isWanted = true }

  /// What was wanted is no longer of interest.
  package mutating func cancel() { isWanted = false }
}
