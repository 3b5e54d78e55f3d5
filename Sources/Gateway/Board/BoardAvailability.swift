import Turret

/// Whether the board can take bytes: whether its sketch is listening, and when the line has carried
/// the bytes passed to it.
///
///     listening ──gone──▶ gone ──back──▶ booting ──advance──▶ listening
struct BoardAvailability: Hashable, Sendable {
  private enum State: Hashable {
    case listening
    /// The board is connected again, and its bootloader owns the line until then.
    case booting(until: HostTime)
    case gone
  }

  /// If the line should be free but is not, it is checked again after this time. A board that
  /// accepts nothing is checked less and less often, down to once per `retryMax`.
  private static let retry = Interval.microseconds(100)
  private static let retryMax = Interval.milliseconds(10)

  private let byteTime: Interval
  private var state = State.listening
  /// When the line has carried everything passed to it.
  private var free: HostTime

  init(baud: Int, at time: HostTime) {
    byteTime = ByteClock.byteTime(baud: baud)
    free = time
  }

  var isListening: Bool { state == .listening }
  var isGone: Bool { state == .gone }

  mutating func gone() { state = .gone }

  /// The board is connected again. Its sketch listens after `bootTime`.
  mutating func back(bootTime: Interval, at time: HostTime) {
    state = .booting(until: time + bootTime)
    free = time
  }

  mutating func advance(to time: HostTime) {
    if case .booting(let end) = state, end <= time { state = .listening }
  }

  /// Records that `count` bytes have been passed on.
  mutating func carry(_ count: Int, at time: HostTime) {
    free = max(free, time) + .nanoseconds(Int64(count) * byteTime.nanoseconds)
  }

  /// When it must be checked again; nil if nothing is expected to change.
  func deadline(at time: HostTime, isWaitedFor: Bool) -> HostTime? {
    switch state {
    case .booting(let end): end
    case .listening: isWaitedFor ? max(free, time + retry(at: time)) : nil
    case .gone: nil
    }
  }

  private func retry(at time: HostTime) -> Interval {
    let late = Interval.nanoseconds((time - free).nanoseconds / 8)
    return min(max(late, Self.retry), Self.retryMax)
  }
}
