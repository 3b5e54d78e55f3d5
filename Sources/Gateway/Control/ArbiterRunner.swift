package import Log
package import Logging
package import Networking
import Platform
package import Traces
package import Turret
import TurretProtocol

/// Runs the arbiter: passes it the events of the clients and of the board, and carries out its
/// actions. Used only on the event loop.
///
/// Sending to a client can cause the next event before the call returns. So the arbiter always
/// finishes deciding before anything is carried out, and events wait in an inbox.
package final class ArbiterRunner {
  /// A client that can send commands.
  private struct Member {
    let client: any Client
    var missed = MissedMessages()
  }

  let settings: ArbiterSettings
  private let log: Logger
  let logWriter: LogWriter?
  private var arbiter: Arbiter
  private var inbox = Inbox<Arbiter.Event>()
  private var members: [ClientID: Member] = [:]
  /// Whether the bench must run a turn when all received events have been handled.
  private var isTurnDue = false
  /// The clients that watch the session.
  package let watchers: Broadcaster
  /// The dashboards that show its state.
  package let dashboards = DashboardSender()
  /// The JSON that dashboards show for each refused message, by its number.
  var shownRefusals: [Int: JSONValue] = [:]
  /// Passes the clients' pictures to a detector; nil if there is none.
  package var pictures: PictureCourier?

  /// The bench that the arbiter works for; nil before its first turn and after its last.
  package weak var bench: (any TurnTaker)?
  /// Keeps the last minutes of the session; nil if they are not kept.
  package weak var traceKeeper: (any TraceKeeper)?
  /// The bench's state, for status requests. The bench sets it in each of its turns.
  package var benchStatus = BenchStatus()
  private let begun: HostTime
  let clock: () -> HostTime

  /// - Parameters:
  ///   - writer: the writer of the log, whose dropped lines are part of the metrics.
  ///   - clock: returns the time; the default is the computer's clock.
  package init(
    _ settings: ArbiterSettings, watchers: Broadcaster, log: Logger, writer: LogWriter? = nil,
    clock: @escaping () -> HostTime = { .now }
  ) {
    self.settings = settings
    logWriter = writer
    self.clock = clock
    begun = clock()
    self.log = log
    self.watchers = watchers
    arbiter = Arbiter(settings, at: begun)
  }

  /// The counts of everything that has happened so far.
  package var counts: GatewayCounts {
    var counts = arbiter.counts
    counts.linesDropped = watchers.missed + dashboards.missed
    return counts
  }

  // MARK: For the bench

  /// Whether bytes are passed on unchanged.
  package var isRaw: Bool { settings.isRaw }

  /// The number of clients, including watchers.
  package var clientCount: Int {
    arbiter.clientCount + watchers.count + dashboards.count
  }

  /// When the bench must run a turn even if nothing happens; nil for never.
  package var nextDeadline: HostTime? { arbiter.nextDeadline(at: clock()) }

  /// The bytes to send over the line next; nil if there are none, or not now. `waitingCount`: the
  /// number of bytes on the line or waiting for it. `room`: how many more can wait in raw mode.
  package func next(waitingCount: Int, room: Int) -> [UInt8]? {
    guard let next = arbiter.next(waitingCount: waitingCount, room: room, at: clock())
    else { return nil }
    for action in next.actions { carryOut(action) }
    return next.bytes
  }

  /// Passes bytes from the board to the client in control.
  package func deliver(_ bytes: [UInt8]) { handle(.boardSent(bytes)) }

  /// Does everything that has become due.
  package func expire() { handle(.passed) }

  /// Reports that the board is disconnected. Everything that waits is dropped, and its senders are
  /// notified. The last command for the turret is kept.
  package func boardIsGone() { handle(.boardIsGone) }

  /// Reports that the board is connected again. Its sketch listens after `bootTime`.
  package func boardIsBack(bootTime: Interval) { handle(.boardIsBack(bootTime: bootTime)) }

  /// Begins the end of the session: nothing more is accepted, and the turret is left as configured.
  package func beginLeaving() { handle(.leaving) }

  /// Discards everything that still waits.
  package func giveUp() { handle(.over) }

  /// Takes a command from a client that is part of the bench. `receivedAll` follows.
  func received(_ command: Command, from client: any Client) {
    handle(.ordered(command, from: client.id))
  }

  /// Removes and returns what was refused since the last call, in order. `isLast`: no call follows.
  package func takeRefused(isLast: Bool = false) -> [RefusedMessage] {
    arbiter.takeRefused(isLast: isLast)
  }

  /// The time since this object was created.
  var uptime: Interval { clock() - begun }

  /// The number of commands that wait for the line; in raw mode, of bytes.
  package var waitingCount: Int { arbiter.waitingCount }

  /// Whether everything that waited has been passed to the line.
  package var isDrained: Bool { arbiter.isDrained }

  // MARK: For dashboards

  /// The client in control; nil if there is none.
  var controller: ClientID? { arbiter.controller }
  /// The time from the last message's arrival to its command's first bit on the wire.
  var lastDelay: Interval? { arbiter.lastDelay }
  var refusals: ShownRefusals { arbiter.shownRefusals }
  /// A client that can send commands; nil if it has left.
  func shownClient(_ id: ClientID) -> (any Client)? { members[id]?.client }

  // MARK: One event at a time

  private func handle(_ event: Arbiter.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      let actions = arbiter.handle(event, at: clock())
      for action in actions { carryOut(action) }
      // The last messages to the client, if any, have been sent.
      if case .left(let id, _) = event { members[id] = nil }
      pictures?.setController(arbiter.controller)
    }
    if isTurnDue { askForTurn() }
  }

  /// Requests a turn of the bench, after the events that are being handled.
  private func askForTurn() {
    isTurnDue = inbox.isBusy
    if !isTurnDue { bench?.takeTurn() }
  }

  private func carryOut(_ action: Arbiter.Action) {
    switch action {
    case .tell(let message, let id): tell(message, to: id)
    case .reply(let bytes, let kind, let id):
      guard let client = members[id]?.client else { return }
      // Raw bytes are never left out: a client that does not read exceeds its limit and is closed.
      if settings.isRaw || client.isWritable { client.send(bytes, as: kind) }
    case .hold(let id):
      let client = members[id]?.client
      client?.isReading = false
    case .letGo:
      let clients = members.values.map(\.client)
      for client in clients where !client.isReading { client.isReading = true }
    case .remark(let remark): write(remark)
    }
  }

  private func tell(_ message: ClientMessage, to id: ClientID) {
    guard let client = members[id]?.client else { return }
    let messages = members[id]?.missed.pass(message, isWritable: client.isWritable) ?? []
    let end = client.transport == .tcp ? [UInt8(ascii: "\n")] : []
    for message in messages { client.send(message.json + end, as: .text) }
  }

  private func write(_ remark: Arbiter.Remark) {
    guard settings.announcesClients || !remark.isAnnouncement else { return }
    log.log(level: remark.level, remark.message, metadata: remark.metadata)
  }
}

extension ArbiterRunner: ServerDelegate {
  package func joined(_ client: any Client) {
    members[client.id] = Member(client: client)
    handle(.joined(client.id, client.transport, address: client.address))
    // It may have left already.
    if client.sendsPictures, members[client.id] != nil { pictures?.joined(client) }
    askForTurn()
  }

  package func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    if client.sendsPictures, kind == .binary {
      pictures?.received(bytes, from: client)
    } else {
      handle(.received(bytes, kind, from: client.id))
    }
  }

  package func receivedAll() { askForTurn() }

  package func left(_ client: any Client, _ departure: Departure) {
    guard members[client.id] != nil else { return }
    pictures?.left(client)
    handle(.left(client.id, departure))
    askForTurn()
  }

  package func watcherJoined(_ watcher: any Client) {
    watchers.add(watcher)
    handle(.watcherJoined(watcher.id, address: watcher.address))
  }

  package func dashboardJoined(_ dashboard: any Client) {
    dashboards.add(dashboard)
    handle(.watcherJoined(dashboard.id, address: dashboard.address))
    askForTurn()
  }

  package func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    if !dashboards.remove(watcher) { watchers.remove(watcher) }
    handle(.watcherLeft(watcher.id, departure))
  }

  package func refused(_ status: Int) { handle(.requestRefused(status)) }
}
