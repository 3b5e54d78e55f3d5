import Turret

/// Decides how commands reach a target: when to connect, what to send, what waits, when to give up.
/// `CommandSender` carries the decisions out.
///
///     idle --start--> connecting --connected--> handshake --opened--> open
///                      ^      |                      |                  |
///                      |      +---------- a failure, or its end --------+
///                      |                             v
///                      +---------- rested -------- resting
///     stop: what waits is sent first. Where nothing waits, or the time for it is over --> ended
///
/// While there is no connection, or the socket takes no more, the newest aim and the newest `L`
/// wait, in their order. A target that comes back is sent the last command again: it may have been
/// lost, and what is there now may never have had it.
struct CommandDelivery<Random: RandomNumberGenerator> {
  private enum Phase: Hashable {
    case idle, connecting
    /// Connected; the server has not taken the connection yet.
    case handshake
    /// The server took it at that time.
    case open(Instant)
    /// Until the next attempt.
    case resting
    case ended
  }

  enum Alarm: Hashable {
    /// The server's answer is late, or the next attempt is due.
    case step
    /// The time for stopping is over.
    case stop
  }

  enum Event: Hashable {
    case start
    /// One whole command. `hasRoom`: the socket takes it now.
    case give([UInt8], hasRoom: Bool)
    case stop
    /// An attempt to connect has failed: why.
    case refused(String)
    /// An attempt to connect has led to a channel.
    case connected
    /// The server has taken the connection.
    case opened
    /// The connection in use has ended: why.
    case lost(String)
    /// A channel is closed for good, whether it was in use or not.
    case closed
    case due(Alarm)
  }

  enum Action: Hashable {
    case connect
    /// Begin the conversation on the channel that has just been connected.
    case greet
    /// Close the channel that has just been connected: it comes too late.
    case discard
    case send([UInt8])
    /// Close in good order, after what was sent.
    case close
    /// Close at once.
    case cut
    /// One alarm of each kind at a time: this replaces the one before.
    case set(Alarm, Interval)
    case cancel(Alarm)
    case report(SenderState)
    /// It was stopped, and no connection or attempt is left.
    case finish
  }

  private let settings: SenderSettings
  private var random: Random
  private var backOff: BackOff
  private var phase = Phase.idle
  private var isStopping = false
  private var isClosing = false
  private var waiting = WaitingCommands()
  /// The last that was sent of those that say what the turret is to do from now on.
  private var last: [UInt8]?
  /// Attempts and channels that have not ended.
  private var openCount = 0
  private(set) var counts = SenderCounts()
  /// After the end: the newest command, if it still waited then, or was sent on a connection that
  /// was lost; nil: it was sent.
  private(set) var unsent: [UInt8]?

  init(_ settings: SenderSettings, random: Random) {
    self.settings = settings
    self.random = random
    backOff = BackOff(first: settings.backOffFirst, most: settings.backOffMost)
  }

  var isConnected: Bool {
    if case .open = phase { true } else { false }
  }

  /// Commands that wait, at most two.
  var waitingCount: Int { waiting.count }

  /// Takes an event. What can be sent after it, `next` returns.
  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .start: return phase == .idle && !isStopping ? connect() : []
    case .give(let command, let hasRoom):
      give(command, hasRoom: hasRoom)
      return []
    case .stop: return stop()
    case .refused(let why):
      openCount -= 1
      return (phase == .connecting ? lost(why, at: now) : []) + finishIfOver()
    case .connected:
      guard phase == .connecting else { return [.discard] }
      phase = .handshake
      return [.set(.step, settings.answerTime), .greet]
    case .opened: return phase == .handshake ? opened(at: now) : []
    case .lost(let why): return isInUse ? lost(why, at: now) : []
    case .closed:
      openCount -= 1
      return finishIfOver()
    case .due(.step): return stepIsDue(at: now)
    case .due(.stop): return isStopping && phase != .ended ? end() : []
    }
  }

  /// What to do next with an open connection, one thing at a time, as sending may fill or lose it;
  /// nil: nothing. `hasRoom`: the socket takes more.
  mutating func next(hasRoom: Bool) -> Action? {
    guard isConnected else { return nil }
    if hasRoom, let command = waiting.next() {
      if WaitingCommands.Kind(command) != .passing { last = command }
      counts.sent += 1
      return .send(command)
    }
    guard isStopping, !isClosing, waiting.isEmpty else { return nil }
    isClosing = true
    return .close
  }

  // MARK: -

  /// Whether there is a channel, or an attempt that may lead to one.
  private var isInUse: Bool {
    switch phase {
    case .connecting, .handshake, .open: true
    case .idle, .resting, .ended: false
    }
  }

  private mutating func connect() -> [Action] {
    phase = .connecting
    openCount += 1
    return [.report(.connecting), .connect]
  }

  private mutating func give(_ command: [UInt8], hasRoom: Bool) {
    counts.given += 1
    let isPassing = WaitingCommands.Kind(command) == .passing
    let goesNow = isConnected && hasRoom && waiting.isEmpty
    if isStopping || isPassing && !goesNow {
      counts.dropped += 1
      if !isPassing { unsent = command }
    } else if waiting.put(command) {
      counts.replaced += 1
    }
  }

  private mutating func opened(at now: Instant) -> [Action] {
    phase = .open(now)
    counts.connections += 1
    if waiting.isEmpty, let last {
      _ = waiting.put(last)
      counts.repeated += 1
      counts.sent -= 1
    }
    return [.cancel(.step), .report(.connected)]
  }

  private mutating func stepIsDue(at now: Instant) -> [Action] {
    switch phase {
    case .handshake:
      let limit = settings.answerTime.nanoseconds / 1_000_000
      return [.cut] + lost("it did not answer in \(limit) ms", at: now)
    case .resting: return connect()
    case .idle, .connecting, .open, .ended: return []
    }
  }

  private mutating func lost(_ why: String, at now: Instant) -> [Action] {
    if case .open(let since) = phase, now - since >= settings.goodTime { backOff.reset() }
    guard !isStopping || !waiting.isEmpty else { return end() }
    phase = .resting
    return [.set(.step, backOff.wait(using: &random)), .report(.disconnected(why))]
  }

  private mutating func stop() -> [Action] {
    guard !isStopping else { return [] }
    isStopping = true
    // A target that was never there is given the time to be reached.
    let time =
      counts.connections > 0 ? settings.stopTime : settings.connectTime + settings.answerTime
    let isOver = phase == .idle || !isConnected && waiting.isEmpty
    return [.set(.stop, time)] + (isOver ? end() : [])
  }

  private mutating func end() -> [Action] {
    counts.dropped += waiting.count
    // A connection that was lost may have taken it along.
    let isDoubtful = !isConnected && counts.connections > 0
    unsent = waiting.newest ?? unsent ?? (isDoubtful ? last : nil)
    waiting.removeAll()
    phase = .ended
    return [.cancel(.step), .cut] + finishIfOver()
  }

  private func finishIfOver() -> [Action] {
    phase == .ended && openCount == 0 ? [.cancel(.stop), .finish] : []
  }
}
