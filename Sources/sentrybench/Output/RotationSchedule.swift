import Turret

/// When a new part of a recording is due.
///
///     writing --large, and quiet or very large--> new part
///     writing --a write fails--> broken --30 s--> new part
///     new part fails: as before, and not tried again for 30 s
struct RotationSchedule: Hashable, Sendable {
  private let policy: RotationPolicy
  /// Whether the present part takes no more.
  private(set) var isBroken = false
  private var notBefore: Instant?

  init(_ policy: RotationPolicy) { self.policy = policy }

  /// When what failed is tried again; nil: nothing did that would hold the recording up.
  var nextTry: Instant? { isBroken ? notBefore : nil }

  /// Whether a new part is due. `length`: bytes in the present one. `isQuiet`: nothing is on the line or
  /// waits on the board, so that no command is cut in two.
  func isDue(length: Int64, at instant: Instant, isQuiet: Bool) -> Bool {
    if let notBefore, instant < notBefore { return false }
    if isBroken { return true }
    return length >= policy.bytesMax && (isQuiet || length / 2 >= policy.bytesMax)
  }

  /// The present part could not be written to: it stays as it is.
  mutating func broke(at instant: Instant) {
    isBroken = true
    notBefore = instant + policy.retryPeriod
  }

  /// There could be no new part.
  mutating func failed(at instant: Instant) { notBefore = instant + policy.retryPeriod }

  /// There is a new part.
  mutating func began() {
    isBroken = false
    notBefore = nil
  }
}
