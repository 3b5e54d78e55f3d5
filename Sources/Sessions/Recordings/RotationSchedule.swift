import Turret

/// When a new part of a recording is due.
///
///     writing --large, and quiet or very large--> new part
///     writing --a write fails--> broken --30 s--> new part
///     writing --the file is moved or deleted, checked every 0.5 s--> astray --> new part
///     new part fails: as before, and not tried again for 30 s
struct RotationSchedule: Hashable, Sendable {
  private let policy: RotationPolicy
  /// Whether it is a regular file, which can be moved and deleted.
  private let isFile: Bool
  /// Whether the present part cannot be written.
  private(set) var isBroken = false
  /// Whether the present part has been moved or deleted.
  private(set) var isAstray = false
  private var notBefore: Instant?
  private var nextLook: Instant?

  init(_ policy: RotationPolicy, isFile: Bool) {
    self.policy = policy
    self.isFile = isFile
  }

  /// When to flush even if nothing happens, to try again after a failure or to check that the file
  /// is still there; nil if never.
  var nextDeadline: Instant? { isBroken || isAstray ? notBefore : nextLook }

  /// Returns whether to check now that the file is still there. If so, the next check is a period
  /// later.
  mutating func takeLook(at instant: Instant) -> Bool {
    guard let nextLook, !isBroken, !isAstray, instant >= nextLook else { return false }
    self.nextLook = instant + policy.lookPeriod
    return true
  }

  /// Whether a new part is due. `length` is the size of the present one in bytes. `isQuiet` is
  /// whether the line is empty and nothing waits on the board, so that no command is split.
  func isDue(length: Int64, at instant: Instant, isQuiet: Bool) -> Bool {
    if let notBefore, instant < notBefore { return false }
    if isBroken || isAstray { return true }
    return length >= policy.bytesMax && (isQuiet || length / 2 >= policy.bytesMax)
  }

  /// Notes that the present part could not be written. It stays as it is.
  mutating func broke(at instant: Instant) {
    isBroken = true
    notBefore = instant + policy.retryPeriod
  }

  /// Notes that the present part has been moved or deleted.
  mutating func strayed() {
    isAstray = true
    notBefore = nil
  }

  /// Notes that a new part could not be created.
  mutating func failed(at instant: Instant) { notBefore = instant + policy.retryPeriod }

  /// Notes that a new part has begun.
  mutating func began(at instant: Instant) {
    isBroken = false
    isAstray = false
    notBefore = nil
    nextLook = isFile ? instant + policy.lookPeriod : nil
  }
}
