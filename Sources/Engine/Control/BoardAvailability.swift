import Sketches

/// Whether the board can take bytes: whether its sketch is listening, and when the line has carried
/// the bytes passed to it.
///
///     listening ──gone──▶ gone ──back──▶ booting ──advance──▶ listening
///
/// If the profile defines what the sketch sends once it is listening, the board counts as booting
/// until it has sent that.
struct BoardAvailability: Hashable, Sendable {
  private enum State: Hashable {
    case listening
    /// The board is connected again, and its bootloader owns the line until then.
    case booting(until: Instant)
    case gone
  }

  /// If the line should be free but is not, it is checked again after this time. A board that
  /// accepts nothing is checked less and less often, down to once per `retryMax`.
  private static let retry = Interval.microseconds(100)
  private static let retryMax = Interval.milliseconds(10)
  /// A sketch that does not report that it is listening is assumed to be after this time.
  static let bootMax = Interval.seconds(10)

  private let byteTime: Interval
  private var state = State.listening
  /// When the line will have carried everything passed to it.
  private var free: Instant
  /// Until when nothing can follow the last command, because a pause ends it.
  private var pauseEnd: Instant
  /// What the sketch sends once it is listening; empty if nothing.
  private let boot: [UInt8]
  /// The last bytes that the sketch has sent, at most as many as in `boot`.
  private var heard: [UInt8] = []

  init(baud: Int, boot: [UInt8] = [], at time: Instant) {
    byteTime = ByteClock.byteTime(baud: baud)
    free = time
    pauseEnd = time
    self.boot = boot
    if !boot.isEmpty { state = .booting(until: time + Self.bootMax) }
  }

  var isListening: Bool { state == .listening }
  var isGone: Bool { state == .gone }

  mutating func gone() { state = .gone }

  /// The board is connected again. Its sketch listens after `bootTime`; if `boot` is not empty,
  /// once it has sent that.
  mutating func back(bootTime: Interval, at time: Instant) {
    state = .booting(until: time + (boot.isEmpty ? bootTime : max(bootTime, Self.bootMax)))
    heard = []
    free = time
    pauseEnd = time
  }

  /// Takes bytes that the board has sent.
  mutating func hear(_ bytes: [UInt8]) {
    guard case .booting = state, !boot.isEmpty else { return }
    for byte in bytes {
      if heard.count == boot.count { heard.removeFirst() }
      heard.append(byte)
      if heard == boot { state = .listening }
    }
  }

  mutating func advance(to time: Instant) {
    if case .booting(let end) = state, end <= time { state = .listening }
  }

  /// Records that `count` bytes have been passed on. `pause`: for how long nothing can follow them.
  mutating func carry(_ count: Int, pause: Interval? = nil, at time: Instant) {
    free = max(free, time) + .nanoseconds(Int64(count) * byteTime.nanoseconds)
    if let pause { pauseEnd = free + pause }
  }

  /// Whether the pause after the last command is over.
  func isPauseOver(at time: Instant) -> Bool { pauseEnd <= time }

  /// When it must be checked again; nil if nothing is expected to change.
  func deadline(at time: Instant, isWaitedFor: Bool) -> Instant? {
    switch state {
    case .booting(let end): end
    case .listening: isWaitedFor ? max(free, pauseEnd, time + retry(at: time)) : nil
    case .gone: nil
    }
  }

  private func retry(at time: Instant) -> Interval {
    let late = Interval.nanoseconds((time - free).nanoseconds / 8)
    return min(max(late, Self.retry), Self.retryMax)
  }
}
