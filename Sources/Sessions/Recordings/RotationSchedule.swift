import Turret

/// When a new part of a recording is due.
///
///     writing --large, and quiet or very large--> new part
///     writing --a write fails--> broken --30 s--> new part
///     writing --the file is moved or deleted, checked every 0.5 s--> astray --> new part
///     new part fails: as before, and not tried again for 30 s
struct RotationSchedule: Hashable, Sendable {
  private let policy: RotationPolicy
  /// Whether it is a file, which can be moved and deleted.
  private let isFile: Bool
  /// Whether the present part takes no more.
  private(set) var isBroken = false
  /// Whether the present part has been moved or deleted.
  private(set) var isAstray = false
  private var notBefore: Instant?
  private var nextLook: Instant?

  init(_ policy: RotationPolicy, isFile: Bool) {
    self.policy = policy
    self.isFile = isFile
  }

  /// When to flush even if nothing happens: to try again what failed, or to check that the file is
  /// still there; nil: never.
  var nextDeadline: Instant? { isBroken || isAstray ? notBefore : nextLook }

  /// Whether to check now that the file is still there; if so, the next check is a period later.
  mutating func takeLook(at instant: Instant) -> Bool {
    guard let nextLook, !isBroken, !isAstray, instant >= nextLook else { return false }
    self.nextLook = instant + policy.lookPeriod
    return true
  }

  /// Whether a new part is due. `length`: bytes in the present one. `isQuiet`: nothing is on the
  /// line or waits on the board, so that no command is cut in two.
  func isDue(length: Int64, at instant: Instant, isQuiet: Bool) -> Bool {
    if let notBefore, instant < notBefore { return false }
    if isBroken || isAstray { return true }
    return length >= policy.bytesMax && (isQuiet || length / 2 >= policy.bytesMax)
  }

  /// The present part could not be written to: it stays as it is.
  mutating func broke(at instant: Instant) {
    isBroken = true
    notBefore = instant + policy.retryPeriod
  }

  /// The present part is not where it was.
  mutating func strayed() {
    isAstray = true
    notBefore = nil
  }

  /// There could be no new part.
  mutating func failed(at instant: Instant) { notBefore = instant + policy.retryPeriod }

  /// There is a new part.
  mutating func began(at instant: Instant) {
    isBroken = false
    isAstray = false
    notBefore = nil
    nextLook = isFile ? instant + policy.lookPeriod : nil
  }
}
