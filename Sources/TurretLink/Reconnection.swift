package import Sketches
import Traces

/// Decides when an outgoing connection is made, given up, and made again. `CommandDelivery`,
/// and in Network `DetectorLife` and `VisionFollower`, each have one, and decide what is said on
/// it. What carries the decisions out is a `CommandLink`, or the owner of a `TurretLink`.
///
///     idle --start--> connecting --connected--> answering --opened--> open
///                      ^      |                     |                  |
///                      |      '-- refused, or lost, given up, no answer, or paused
///                      |                            v
///                      '--------- waited -------- resting
///     any --end--> ended
///
/// One connection is in use at a time: the one that is answering or open. An attempt that succeeds
/// too late, and a connection that is being closed, can exist beside it. The wait after a failure
/// grows, and is reset by a connection that was good.
package struct Reconnection: Sendable {
  private enum Phase: Hashable, Sendable {
    case idle, connecting
    /// Connected; the other end must have answered by then.
    case answering(until: Instant)
    /// The other end answered at this time.
    case open(since: Instant)
    case resting(until: Instant)
    case ended
  }

  package enum Event: Hashable, Sendable {
    case start
    /// No connection is needed any more.
    case end
    /// An attempt to connect has failed, for this reason.
    case refused(String)
    /// An attempt to connect has succeeded.
    case connected
    /// The other end has answered as it must.
    case opened
    /// What arrived on the connection shows that it is good.
    case proven
    /// The connection in use has ended, for this reason; nil if the other end closed it.
    case lost(String?)
    /// The connection in use is of no further use, for this reason.
    case givenUp(String)
    /// The connection in use has ended in order. The next one is due at this time.
    case paused(until: Instant)
    /// A channel is closed, whether it was in use or not.
    case closed
    /// Time has passed.
    case passed
  }

  package enum Action: Hashable, Sendable {
    case connect
    /// Begin the conversation on the channel that has just been connected.
    case greet
    /// Close the channel that has just been connected, because it is too late.
    case discard
    /// Close the connection in use at once, and report nothing more about it.
    case cut
    /// No connection or attempt is left, and none will follow.
    case finish
    /// The connection is open. This and the next one are for what is decided on top.
    case ready
    /// There is no connection, for this reason. The next attempt follows after this time.
    case away(String, retryIn: Interval)
  }

  private let settings: SenderSettings
  /// Draws the random part of the waits; nil if they have none.
  private var random: RandomStream?
  private var backOff: BackOff
  private var phase = Phase.idle
  /// Attempts and channels that have not ended.
  private var openCount = 0

  /// `seed`: for the random part of the waits; nil for the longest waits, without one.
  package init(_ settings: SenderSettings, seed: UInt64?) {
    self.settings = settings
    random = seed.map { RandomStream(seed: $0, stream: 0) }
    backOff = BackOff(first: settings.backOffFirst, most: settings.backOffMost)
  }

  /// When `passed` must follow if nothing else happens; nil if nothing is awaited. An attempt to
  /// connect has its own time limit.
  package var nextDeadline: Instant? {
    switch phase {
    case .idle, .connecting, .open, .ended: nil
    case .answering(let until), .resting(let until): until
    }
  }

  package var isIdle: Bool { phase == .idle }

  package var isAnswering: Bool { if case .answering = phase { true } else { false } }

  package var isOpen: Bool { if case .open = phase { true } else { false } }

  package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .start: return phase == .idle ? connect() : []
    case .end: return end()
    case .refused(let why):
      openCount -= 1
      return (phase == .connecting ? rest(why, at: now) : []) + finishIfOver()
    case .connected:
      guard phase == .connecting else { return [.discard] }
      phase = .answering(until: now + settings.answerTime)
      return [.greet]
    case .opened:
      guard isAnswering else { return [] }
      phase = .open(since: now)
      return [.ready]
    case .proven:
      if isOpen { backOff.reset() }
      return []
    case .lost(let why): return isInUse ? rest(why ?? "it closed", at: now) : []
    case .givenUp(let why): return isInUse ? [.cut] + rest(why, at: now) : []
    case .paused(let until):
      if isInUse { phase = .resting(until: until) }
      return []
    case .closed:
      openCount -= 1
      return finishIfOver()
    case .passed:
      guard let nextDeadline, nextDeadline <= now else { return [] }
      guard isInUse else { return connect() }
      let limit = String(readable: settings.answerTime)
      return [.cut] + rest("it did not answer in \(limit)", at: now)
    }
  }

  // MARK: -

  private var isInUse: Bool { isAnswering || isOpen }

  private mutating func connect() -> [Action] {
    phase = .connecting
    openCount += 1
    return [.connect]
  }

  private mutating func rest(_ why: String, at now: Instant) -> [Action] {
    // Prevents rapid reconnections to one that only answers, and closes.
    if case .open(let since) = phase, let goodTime = settings.goodTime, now - since >= goodTime {
      backOff.reset()
    }
    let wait = backOff.wait(drawing: &random)
    phase = .resting(until: now + wait)
    return [.away(why, retryIn: wait)]
  }

  private mutating func end() -> [Action] {
    guard phase != .ended else { return [] }
    let cut: [Action] = isInUse ? [.cut] : []
    phase = .ended
    return cut + finishIfOver()
  }

  private func finishIfOver() -> [Action] { phase == .ended && openCount == 0 ? [.finish] : [] }
}

/// The wait before the next attempt. It doubles after each failure and has a random part, so that
/// several clients of one server do not reconnect at the same time.
struct BackOff: Hashable, Sendable {
  private let first: Interval
  private let most: Interval
  private var next: Interval

  init(first: Interval, most: Interval) {
    self.first = max(first, .zero)
    self.most = max(most, .zero)
    next = self.first
  }

  /// The wait after another failure: at least half of the present step, at most all of it, which is
  /// the wait without random numbers.
  mutating func wait(drawing random: inout RandomStream?) -> Interval {
    defer { next = min(most, .nanoseconds(next.nanoseconds * 2)) }
    let whole = max(0, next.nanoseconds)
    return .nanoseconds(random?.draw(whole / 2...whole) ?? whole)
  }

  /// Resets the wait after a success.
  mutating func reset() { next = first }
}

/// How the connection to a target is kept.
package struct SenderSettings: Hashable, Sendable {
  /// The timeout for connecting.
  package var connectTime = Interval.seconds(2)
  /// The timeout from the connection until the server has accepted it, including TLS and the
  /// opening handshake.
  package var answerTime = Interval.seconds(3)
  /// If nothing arrives from the server's computer, not even the kernel's acknowledgements, the
  /// connection is given up after about this time; on Linux also if the server reads nothing for
  /// that long.
  package var silenceTime = Interval.seconds(4)
  /// How long waiting commands can take to be sent after a stop, including the closing handshake.
  /// If there was no connection yet, `connectTime` and `answerTime` apply.
  package var stopTime = Interval.seconds(1)
  /// The wait between attempts: the first one, and the maximum after doubling.
  package var backOffFirst = Interval.milliseconds(250)
  package var backOffMost = Interval.seconds(8)
  /// A connection that was open this long resets the wait; nil if only what arrives on it does.
  package var goodTime: Interval? = .seconds(1)
  /// The kernel's buffer for commands on their way, in bytes (the kernel doubles it). By default it
  /// would hold minutes of them for a target that does not read. nil for the kernel's default.
  package var kernelBufferBytes: Int? = 4_096
  /// The maximum length of a message from the server, in bytes.
  package var messageBytesMax = 65_536

  /// Over bare TCP, whether bytes are passed on as they arrive, instead of line by line.
  package var passesBytes = false

  package init() {}

  /// For a detector: pictures are much longer than commands, and it is usually on this computer, so
  /// that attempts to connect cost little.
  package static var detector: SenderSettings {
    var settings = SenderSettings()
    settings.kernelBufferBytes = nil
    settings.backOffMost = .seconds(2)
    return settings
  }

  /// For a serial port: an Uno takes 2 s to boot after its port was opened. Looking for a port
  /// costs little.
  package static var port: SenderSettings {
    var settings = SenderSettings()
    settings.stopTime = .seconds(3)
    settings.connectTime = .zero
    settings.backOffFirst = .milliseconds(500)
    settings.backOffMost = .milliseconds(500)
    return settings
  }

  /// For the robot vision phone: its answers have no lines, and a connection on which it does not
  /// answer is not good, however long it lasts.
  package static var phone: SenderSettings {
    var settings = SenderSettings()
    settings.kernelBufferBytes = nil
    settings.goodTime = nil
    settings.passesBytes = true
    return settings
  }
}
