import Devices
import Turret

/// The way to the board: whether its sketch listens, and when the line has carried what it was given.
///
///     listening ──gone──▶ gone ──back──▶ booting ──advance──▶ listening
struct BoardLine: Hashable, Sendable {
  private enum State: Hashable {
    case listening
    /// Back, and its bootloader owns the line until then.
    case booting(until: HostTime)
    case gone
  }

  /// When the line should be free and is not, it is looked at again after so long; a board that takes
  /// nothing is looked at ever less often, down to the longer one.
  private static let retry = Interval.microseconds(100)
  private static let retryMax = Interval.milliseconds(10)

  private let byteTime: Interval
  private var state = State.listening
  /// When the line has carried what was handed over.
  private var free: HostTime

  init(baud: Int, at time: HostTime) {
    byteTime = ByteClock.byteTime(baud: baud)
    free = time
  }

  var isListening: Bool { state == .listening }
  var isGone: Bool { state == .gone }

  mutating func gone() { state = .gone }

  /// The board is back; its sketch listens after `bootTime`.
  mutating func back(bootTime: Interval, at time: HostTime) {
    state = .booting(until: time + bootTime)
    free = time
  }

  mutating func advance(to time: HostTime) {
    if case .booting(let end) = state, end <= time { state = .listening }
  }

  /// So many bytes have been handed over.
  mutating func carry(_ count: Int, at time: HostTime) {
    free = max(free, time) + .nanoseconds(Int64(count) * byteTime.nanoseconds)
  }

  /// When it is to be looked at again; nil: nothing is to be expected of it.
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
