import Traces
import Turret
import TurretProtocol

/// Decides how commands reach a target: when to connect, what to send, what waits, when to give up.
/// `CommandSender` carries out the decisions.
///
///     idle --start--> connecting --connected--> handshake --opened--> open
///                      ^      |                      |                  |
///                      |      +------- a failure, or it is closed ------+
///                      |                             v
///                      +---------- rested -------- resting
///     any --stop, as soon as nothing waits or the time is over--> ended
///
/// While there is no connection, or the socket accepts no more data, the newest aim and the newest
/// `L` wait, in their order. After a reconnection the last command is sent again: it may have been
/// lost, and the program that runs there now may never have received it. Unlike in `CommandQueue`,
/// no other command waits, because one that answers a picture from a second ago is useless.
struct CommandDelivery<Random: RandomNumberGenerator> {
  private enum Phase: Hashable {
    case idle, connecting
    /// Connected; the server has not accepted the connection yet.
    case handshake
    /// The server accepted it at this time.
    case open(Instant)
    /// Waits until the next attempt.
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
    /// `hasRoom`: the socket can accept it now.
    case give(Command, hasRoom: Bool)
    case stop
    /// An attempt to connect has failed, for this reason.
    case refused(String)
    /// An attempt to connect has succeeded.
    case connected
    /// The server has accepted the connection.
    case opened
    /// The connection in use has ended, for this reason.
    case lost(String)
    /// A channel is closed, whether it was in use or not.
    case closed
    case due(Alarm)
  }

  enum Action: Hashable {
    case connect
    /// Begin the conversation on the channel that has just been connected.
    case greet
    /// Close the channel that has just been connected, because it is too late.
    case discard
    case send(Command)
    /// Close in good order, after what was sent.
    case close
    /// Close at once.
    case cut
    /// Set the alarm. There is one alarm of each kind; this replaces the previous one.
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
  /// The newest aim and the newest `L`, in the order in which they were given.
  private var waiting: [Command] = []
  /// The last command sent that determines what the turret does from then on.
  private var last: Command?
  /// Attempts and channels that have not ended.
  private var openCount = 0
  private(set) var counts = SenderCounts()
  /// After the end, the newest command if it was still waiting, or was sent on a connection that
  /// was lost; nil if it was sent.
  private(set) var unsent: Command?

  init(_ settings: SenderSettings, random: Random) {
    self.settings = settings
    self.random = random
    backOff = BackOff(first: settings.backOffFirst, most: settings.backOffMost)
  }

  var isConnected: Bool {
    if case .open = phase { true } else { false }
  }

  /// The number of commands that wait, at most two.
  var waitingCount: Int { waiting.count }

  /// Takes an event. Call `next` afterwards for what can be sent.
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

  /// The next action for an open connection; nil if there is none. Only one is returned at a time,
  /// because sending can fill the socket or lose the connection. `hasRoom`: whether the socket
  /// accepts more.
  mutating func next(hasRoom: Bool) -> Action? {
    guard isConnected else { return nil }
    if hasRoom, !waiting.isEmpty {
      let command = waiting.removeFirst()
      if command.isLasting { last = command }
      counts.sent += 1
      return .send(command)
    }
    guard isStopping, !isClosing, waiting.isEmpty else { return nil }
    isClosing = true
    return .close
  }

  // MARK: -

  /// Whether there is a channel, or an attempt to connect one.
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

  private mutating func give(_ command: Command, hasRoom: Bool) {
    counts.given += 1
    let isPassing = !command.isLasting
    let goesNow = isConnected && hasRoom && waiting.isEmpty
    if isStopping || isPassing && !goesNow {
      counts.dropped += 1
      if !isPassing { unsent = command }
    } else {
      wait(command)
    }
  }

  private mutating func wait(_ command: Command) {
    if let older = waiting.firstIndex(where: { $0.isAim == command.isAim }) {
      waiting.remove(at: older)
      counts.replaced += 1
    }
    waiting.append(command)
  }

  private mutating func opened(at now: Instant) -> [Action] {
    phase = .open(now)
    counts.connections += 1
    if waiting.isEmpty, let last {
      waiting.append(last)
      counts.repeated += 1
      counts.sent -= 1
    }
    return [.cancel(.step), .report(.connected)]
  }

  private mutating func stepIsDue(at now: Instant) -> [Action] {
    switch phase {
    case .handshake:
      let limit = String(readable: settings.answerTime)
      return [.cut] + lost("it did not answer in \(limit)", at: now)
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
    // A target that was never connected is given the time to connect.
    let time =
      counts.connections > 0 ? settings.stopTime : settings.connectTime + settings.answerTime
    let isOver = phase == .idle || !isConnected && waiting.isEmpty
    return [.set(.stop, time)] + (isOver ? end() : [])
  }

  private mutating func end() -> [Action] {
    counts.dropped += waiting.count
    // It may have been lost with the connection.
    let isDoubtful = !isConnected && counts.connections > 0
    unsent = waiting.last ?? unsent ?? (isDoubtful ? last : nil)
    waiting.removeAll()
    phase = .ended
    return [.cancel(.step), .cut] + finishIfOver()
  }

  private func finishIfOver() -> [Action] {
    phase == .ended && openCount == 0 ? [.cancel(.stop), .finish] : []
  }
}

extension Command {
  fileprivate var isAim: Bool { if case .aim = self { true } else { false } }
}
