package import Sketches

/// Decides how commands reach a target: what is sent, what waits, when to give up. When to connect
/// is decided by its `Reconnection`, which it ends after a stop, as soon as nothing waits or the
/// time is over. A `TurretLink` has one, and so has Network's `CommandSender`, which carries its
/// decisions out.
///
/// While there is no connection, or it accepts no more data, the newest aim and the newest
/// `L` wait, in their order. After a reconnection the last command is sent again: it may have been
/// lost, and the program that runs there now may never have received it. Unlike in the gateway's
/// queue, no other command waits, because one that answers a picture from a second ago is useless.
package struct CommandDelivery: Sendable {
  package enum Event: Hashable, Sendable {
    case link(Reconnection.Event)
    /// `hasRoom`: the link can accept it now.
    case give(LinkCommand, hasRoom: Bool)
    case stop
  }

  package enum Action: Hashable, Sendable {
    case link(Reconnection.Action)
    case send(LinkCommand)
    /// Close in good order, after what was sent.
    case close
    case report(SenderState)
  }

  private let settings: SenderSettings
  private var connection: Reconnection
  private var isStopping = false
  private var isClosing = false
  /// When the time for stopping is over; nil if it was not stopped, or has ended.
  private var stopDeadline: Instant?
  /// The newest aim and the newest `L`, in the order in which they were given.
  private var waiting: [LinkCommand] = []
  /// The last command sent that determines what the turret does from then on.
  private var last: LinkCommand?
  package private(set) var counts = SenderCounts()
  /// After the end, the newest command if it was still waiting, or was sent on a connection that
  /// was lost or accepted no more; nil if it was sent.
  package private(set) var unsent: LinkCommand?

  /// `seed`: as that of a `Reconnection`.
  package init(_ settings: SenderSettings, seed: UInt64?) {
    self.settings = settings
    connection = Reconnection(settings, seed: seed)
  }

  /// When `.link(.passed)` must follow if nothing else happens; nil if nothing is awaited.
  package var nextDeadline: Instant? {
    [connection.nextDeadline, stopDeadline].compactMap { $0 }.min()
  }

  /// The number of commands that wait, at most two.
  package var waitingCount: Int { waiting.count }

  /// Takes an event. Call `next` afterwards for what can be sent.
  package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .link(.passed):
      if let stopDeadline, stopDeadline <= now { return end(at: now) }
      return take(.passed, at: now)
    case .link(let event): return take(event, at: now)
    case .give(let command, let hasRoom):
      give(command, hasRoom: hasRoom)
      return []
    case .stop: return stop(at: now)
    }
  }

  /// The next action for an open connection; nil if there is none. Only one is returned at a time,
  /// because sending can fill the link or lose the connection. `hasRoom`: whether the link
  /// accepts more.
  package mutating func next(hasRoom: Bool) -> Action? {
    guard connection.isOpen else { return nil }
    if hasRoom, !waiting.isEmpty {
      let command = waiting.removeFirst()
      if command.kind != .passing { last = command }
      counts.sent += 1
      return .send(command)
    }
    guard hasRoom, isStopping, !isClosing, waiting.isEmpty else { return nil }
    isClosing = true
    return .close
  }

  // MARK: -

  private mutating func take(_ event: Reconnection.Event, at now: Instant) -> [Action] {
    connection.handle(event, at: now).flatMap { action -> [Action] in
      switch action {
      case .connect: [.report(.connecting), .link(.connect)]
      case .ready: opened()
      case .away where isStopping && waiting.isEmpty: end(at: now)
      case .away(let why, _): [.report(.disconnected(why))]
      case .greet, .discard, .cut, .finish: [.link(action)]
      }
    }
  }

  private mutating func give(_ command: LinkCommand, hasRoom: Bool) {
    counts.given += 1
    let isPassing = command.kind == .passing
    let goesNow = connection.isOpen && hasRoom && waiting.isEmpty
    if isStopping || isPassing && !goesNow {
      counts.dropped += 1
      if !isPassing { unsent = command }
    } else {
      wait(command)
    }
  }

  private mutating func wait(_ command: LinkCommand) {
    if let older = waiting.firstIndex(where: { $0.kind == command.kind }) {
      waiting.remove(at: older)
      counts.replaced += 1
    }
    waiting.append(command)
  }

  private mutating func opened() -> [Action] {
    counts.connections += 1
    if waiting.isEmpty, let last {
      waiting.append(last)
      counts.repeated += 1
      counts.sent -= 1
    }
    return [.report(.connected)]
  }

  private mutating func stop(at now: Instant) -> [Action] {
    guard !isStopping else { return [] }
    isStopping = true
    let isOver = connection.isIdle || !connection.isOpen && waiting.isEmpty
    if isOver { return end(at: now) }
    // A target that was never connected is given the time to connect.
    stopDeadline =
      now
      + (counts.connections > 0 ? settings.stopTime : settings.connectTime + settings.answerTime)
    return []
  }

  private mutating func end(at now: Instant) -> [Action] {
    counts.dropped += waiting.count
    // It may have been lost with the connection, or be stuck on its way, unless that was closed in
    // order.
    let isDoubtful = !isClosing && counts.connections > 0
    unsent = waiting.last ?? unsent ?? (isDoubtful ? last : nil)
    waiting.removeAll()
    stopDeadline = nil
    return take(.end, at: now)
  }
}

/// What happened to the commands. Every command was sent, replaced or dropped, or is waiting.
package struct SenderCounts: Hashable, Sendable {
  package var given = 0
  /// Passed to the system. Commands sent again after a reconnection are not included.
  package var sent = 0
  /// Replaced by a newer command while waiting.
  package var replaced = 0
  /// Dropped because they would be useless later and the target was not connected or accepted no
  /// more, or because they were still waiting at the end.
  package var dropped = 0
  /// The last command, sent again after a reconnection.
  package var repeated = 0
  /// Connections that the target accepted.
  package var connections = 0
}

/// The state of the connection to the target, as the apps show it.
package enum SenderState: Hashable, Sendable, CustomStringConvertible {
  case connecting
  case connected
  /// With the reason in a few words. The next attempt follows after a while.
  case disconnected(String)

  package var description: String {
    switch self {
    case .connecting: "connecting"
    case .connected: "connected"
    case .disconnected(let why): "disconnected: \(why)"
    }
  }
}
