import Aim
import Sketches
import Traces

/// Keeps a sender's connection to the gateway, and decides which commands are sent on it: a value
/// without a clock or a socket. Its owner reports what happens, with the time in seconds since any
/// moment, and carries out what is returned. `TurretSocket` does this with `URLSession`.
///
///     var link = TurretLink()
///     link.handle(.start, at: now)              // [.show(...), .connect]
///     link.handle(.connected, at: now)          // [.show(...)]
///     link.handle(.send(.aim(90)), at: now)     // [.send(.aim(90))]
///
/// - The newest aim wins: of the commands given without a connection, the newest aim and the newest
///   `L` wait. A command that equals the last one is not sent again.
/// - After a failure it connects again, after a pause that doubles and has a random part. After a
///   reconnection the newest command is sent in any case, because the last one may have been lost.
/// - While another client is in control, nothing is sent. When it is this client's turn, the newest
///   command is.
/// - After a sleep nothing from before is sent. The first command after it is, in any case.
public struct TurretLink: Sendable {
  public enum Event: Hashable, Sendable {
    /// Connect, and stay connected.
    case start
    /// The connection is open, and the gateway has accepted it.
    case connected
    /// The gateway has sent a text.
    case message(String)
    /// An attempt to connect has failed, or the connection has ended, for this reason; nil if the
    /// gateway closed it in order. Not to be reported after `close`.
    case closed(String?)
    /// What the turret must do from now on.
    case send(LinkCommand)
    /// The app goes to the background, or the phone is locked.
    case sleep
    /// The app is back. Without a `sleep` before it, it changes nothing.
    case wake
    /// Close. Only `start` begins again.
    case stop
    /// Whether more can be sent without waiting behind what was sent before. Until this is
    /// reported, it can. Commands wait as without a connection.
    case room(Bool)
    /// `waitUntil` has come. It may be reported too early or too often.
    case passed
  }

  public enum Action: Hashable, Sendable {
    /// Open a connection. There is no other.
    case connect
    /// Send this: as a text if its bytes are UTF-8, and as bytes if not.
    case send(LinkCommand)
    /// Close the connection, or give up the attempt, after what was sent.
    case close
    /// Show this instead of what was shown before.
    case show(Status)
  }

  public struct Settings: Hashable, Sendable {
    /// The maximum number of commands a second, without shots; nil for no limit. A board at 9600
    /// baud reads at most 192 commands `X100.` a second.
    public var commandsPerSecond: Double? = 20
    /// The longest pause after the first failure, in seconds. The pause is at least half of it.
    public var firstPause = 0.25
    /// What the pause grows to, in seconds.
    public var longestPause = 8.0
    /// How long an attempt to connect can take, in seconds.
    public var connectTime = 5.0

    public init() {}
  }

  /// What an app shows about the connection.
  public struct Status: Hashable, Sendable {
    public enum Connection: Hashable, Sendable {
      case connecting, connected
      /// The next attempt follows automatically.
      case disconnected(String)
      case asleep
      /// Not started, or stopped.
      case ended
    }

    /// Which client the gateway obeys.
    public enum Control: Hashable, Sendable {
      /// It has not said so; that is usual while there is only one client.
      case unknown
      case here, elsewhere
    }

    public var connection = Connection.ended
    public var control = Control.unknown
    /// The gateway's last notice or error on this connection.
    public var notice: Notice?
  }

  public private(set) var status = Status()
  private let settings: Settings
  private let seed: UInt64?
  private var delivery: CommandDelivery
  private var pace: CommandPace<LinkCommand>
  /// What waits for this client's turn.
  private var held: LinkCommand?
  /// When the attempt to connect is given up; nil if there is none.
  private var connectDeadline: Instant?
  private var hasRoom = true
  private var isAsleep = false
  private var isStarted = false

  /// - Parameters:
  ///   - settings: the limits of rate and time.
  ///   - seed: for the random part of the pauses, and different for each client of a gateway; nil
  ///     for the longest pauses, without one.
  public init(
    _ settings: Settings = Settings(), seed: UInt64? = UInt64.random(in: .min ... .max)
  ) {
    self.settings = settings
    self.seed = seed
    delivery = Self.delivery(settings, seed)
    pace = CommandPace(rate: settings.commandsPerSecond)
  }

  /// When `passed` must be reported if nothing else happens, in seconds; nil for never.
  public var waitUntil: Double? {
    let deadlines = [delivery.nextDeadline, connectDeadline, pace.due]
    return deadlines.compactMap { $0 }.min()?.seconds
  }

  /// Whether a command waits only because there is no room.
  public var waitsForRoom: Bool {
    isFree && !hasRoom && delivery.waitingCount > 0
  }

  public mutating func handle(_ event: Event, at seconds: Double) -> [Action] {
    let now = Instant(seconds: seconds)
    let before = status
    var actions: [Action] = []
    switch event {
    case .start where !isStarted:
      isStarted = true
      if isAsleep { status.connection = .asleep } else { actions = begin(at: now) }
    case .wake where isAsleep:
      isAsleep = false
      if isStarted { actions = begin(at: now) }
    case .connected where status.connection == .connecting:
      actions = take(.link(.connected), at: now) + take(.link(.opened), at: now)
    case .message(let text) where status.connection == .connected:
      actions = received(text, at: seconds)
    case .closed(let why): actions = closed(why, at: now)
    case .send(let command) where isStarted && !isAsleep && !command.bytes.isEmpty:
      actions = give(command, at: seconds)
    case .sleep where !isAsleep:
      isAsleep = true
      actions = end(at: now)
    case .stop where isStarted:
      isStarted = false
      actions = end(at: now)
    case .room(let hasRoom):
      self.hasRoom = hasRoom
      actions = sendWaiting(at: now)
    case .passed:
      actions = pace.advance(to: seconds).map { forward($0, at: now) } ?? []
      actions += passed(at: now)
    default: break
    }
    return status == before ? actions : [.show(status)] + actions
  }

  // MARK: -

  /// Whether the gateway takes this client's commands, as far as it has said.
  private var isFree: Bool { status.connection == .connected && status.control != .elsewhere }

  private var connectTime: Interval { Instant(seconds: settings.connectTime) - .zero }

  private static func delivery(_ settings: Settings, _ seed: UInt64?) -> CommandDelivery {
    var kept = SenderSettings()
    kept.backOffFirst = Instant(seconds: settings.firstPause) - .zero
    kept.backOffMost = Instant(seconds: settings.longestPause) - .zero
    return CommandDelivery(kept, seed: seed)
  }

  private mutating func begin(at now: Instant) -> [Action] { take(.link(.start), at: now) }

  private mutating func give(_ command: LinkCommand, at seconds: Double) -> [Action] {
    let due = command.kind == .passing ? command : pace.take(command, at: seconds)
    return due.map { forward($0, at: Instant(seconds: seconds)) } ?? []
  }

  private mutating func forward(_ command: LinkCommand, at now: Instant) -> [Action] {
    guard status.control != .elsewhere else {
      if command.kind != .passing { held = command }
      return []
    }
    return take(.give(command, hasRoom: hasRoom), at: now)
  }

  private mutating func received(_ text: String, at seconds: Double) -> [Action] {
    guard let message = GatewayMessage(Array(text.utf8)) else { return [] }
    let notice = Notice(message)
    status.notice = notice
    switch notice {
    case .notInControl, .controlLost:
      status.control = .elsewhere
      held = held ?? pace.last
      return []
    case .controlGained:
      status.control = .here
      status.notice = nil
      let command = held ?? pace.last
      held = nil
      let now = Instant(seconds: seconds)
      return command.map { take(.give($0, hasRoom: hasRoom), at: now) } ?? []
    default: return []
    }
  }

  private mutating func passed(at now: Instant) -> [Action] {
    guard let connectDeadline, connectDeadline <= now else { return take(.link(.passed), at: now) }
    let limit = String(readable: connectTime)
    return [.close] + closed("it did not answer in \(limit)", at: now)
  }

  private mutating func closed(_ why: String?, at now: Instant) -> [Action] {
    if let command = held.take() { _ = delivery.handle(.give(command, hasRoom: false), at: now) }
    switch status.connection {
    case .connecting: return take(.link(.refused(why ?? "it closed")), at: now)
    case .connected: return take(.link(.lost(why)), at: now) + take(.link(.closed), at: now)
    case .disconnected, .asleep, .ended: return []
    }
  }

  /// Sends what waits for its turn, closes, and forgets everything else.
  private mutating func end(at now: Instant) -> [Action] {
    hasRoom = true
    var actions = pace.finish().map { forward($0.command, at: now) } ?? sendWaiting(at: now)
    switch status.connection {
    case .connecting, .connected: actions.append(.close)
    case .disconnected, .asleep, .ended: break
    }
    delivery = Self.delivery(settings, seed)
    pace = CommandPace(rate: settings.commandsPerSecond)
    held = nil
    connectDeadline = nil
    status = Status(connection: isStarted && isAsleep ? .asleep : .ended)
    return actions
  }

  private mutating func take(_ event: CommandDelivery.Event, at now: Instant) -> [Action] {
    var actions: [Action] = []
    for action in delivery.handle(event, at: now) { add(action, to: &actions, at: now) }
    return actions + sendWaiting(at: now)
  }

  private mutating func sendWaiting(at now: Instant) -> [Action] {
    var actions: [Action] = []
    while let action = delivery.next(hasRoom: hasRoom && isFree) {
      add(action, to: &actions, at: now)
    }
    return actions
  }

  private mutating func add(
    _ action: CommandDelivery.Action, to actions: inout [Action], at now: Instant
  ) {
    switch action {
    case .link(.connect):
      connectDeadline = now + connectTime
      actions.append(.connect)
    case .link(.cut), .link(.discard), .close: actions.append(.close)
    case .send(let command): actions.append(.send(command))
    case .report(.connecting): status = Status(connection: .connecting)
    case .report(.connected):
      hasRoom = true
      connectDeadline = nil
      status.connection = .connected
    case .report(.disconnected(let why)):
      connectDeadline = nil
      status = Status(connection: .disconnected(why))
    case .link(.greet), .link(.finish), .link(.ready), .link(.away): break
    }
  }
}
