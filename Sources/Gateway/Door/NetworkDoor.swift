package import Devices
package import Logging
package import Turret

/// The door for senders on the network: carries out what the arbiter decides. Used on the event
/// loop only.
///
/// What a client is sent can bring the next event before the call returns. So the arbiter has
/// always decided before anything is carried out, and events wait in an inbox for their turn.
package final class NetworkDoor {
  /// A client that may send commands.
  private struct Member {
    let client: any Client
    var notices = ClientNotices()
  }

  let plan: DoorPlan
  private let log: Logger
  private var arbiter: Arbiter
  private var inbox = Inbox<Arbiter.Event>()
  private var members: [ClientID: Member] = [:]
  /// Whether the bench is to take a turn once all that has come is dealt with.
  private var isTurnDue = false
  /// Those who hear what happens.
  package let watchers: Broadcaster

  /// Asks for a turn of the bench.
  package var onWork: () -> Void = {}
  /// How the bench is, for those who ask.
  package var benchStatus: () -> BenchStatus = { BenchStatus() }
  private let begun: HostTime
  private let clock: () -> HostTime

  /// `clock` tells the time; the default is the computer's.
  package init(
    _ plan: DoorPlan, watchers: Broadcaster, log: Logger,
    clock: @escaping () -> HostTime = { .now }
  ) {
    self.plan = plan
    self.clock = clock
    begun = clock()
    self.log = log
    self.watchers = watchers
    arbiter = Arbiter(plan, at: begun)
  }

  /// What has become of everything so far.
  package var counts: GatewayCounts {
    var counts = arbiter.counts
    counts.linesDropped = watchers.missed
    return counts
  }

  // MARK: For the bench

  /// Whether bytes are passed on as they are.
  package var isRaw: Bool { plan.isRaw }

  /// How many clients there are, those that only watch too.
  package var clientCount: Int { arbiter.senderCount + watchers.count }

  /// When the bench is to look again though nothing happens; nil: never.
  package var nextDeadline: HostTime? { arbiter.nextDeadline(at: clock()) }

  /// What goes down the line next; nil: nothing, or not now. `waitingCount`: how many bytes are on
  /// the line or wait for it. `room`: how many more may wait in raw mode.
  package func next(waitingCount: Int, room: Int) -> [UInt8]? {
    guard let next = arbiter.next(waitingCount: waitingCount, room: room, at: clock())
    else { return nil }
    for action in next.actions { carryOut(action) }
    return next.bytes
  }

  /// What the board has sent goes to the client in control.
  package func deliver(_ bytes: [UInt8]) { handle(.boardSent(bytes)) }

  /// What is due by itself.
  package func expire() { handle(.passed) }

  /// The board is not there any more. What waits is forgotten, and its senders are told; what the
  /// turret is to do is not.
  package func boardIsGone() { handle(.boardIsGone) }

  /// The board is back; its sketch listens after `bootTime`.
  package func boardIsBack(bootTime: Interval) { handle(.boardIsBack(bootTime: bootTime)) }

  /// The session ends: nothing more is accepted, and the turret is left as it should be.
  package func beginLeaving() { handle(.leaving) }

  /// What still waits is not sent any more.
  package func giveUp() { handle(.over) }

  /// How long the door has been there.
  var uptime: Interval { clock() - begun }

  /// How many commands wait for the line; in raw mode, how many bytes.
  package var waitingCount: Int { arbiter.waitingCount }

  /// Whether all that waited is on the line.
  package var isDrained: Bool { arbiter.isDrained }

  // MARK: One event after the other

  private func handle(_ event: Arbiter.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      let actions = arbiter.handle(event, at: clock())
      for action in actions { carryOut(action) }
      // Its last words, if any, are out.
      if case .left(let id, _) = event { members[id] = nil }
    }
    if isTurnDue { askForTurn() }
  }

  /// Has the bench take a turn, behind the events that are being dealt with.
  private func askForTurn() {
    isTurnDue = inbox.isBusy
    if !isTurnDue { onWork() }
  }

  private func carryOut(_ action: Arbiter.Action) {
    switch action {
    case .tell(let notice, let id): tell(notice, to: id)
    case .reply(let bytes, let kind, let id):
      guard let client = members[id]?.client else { return }
      // Raw bytes are not left out: a client that takes none comes to its limit and is closed.
      if plan.isRaw || client.isWritable { client.send(bytes, as: kind) }
    case .hold(let id):
      let client = members[id]?.client
      client?.isReading = false
    case .letGo:
      let clients = members.values.map(\.client)
      for client in clients where !client.isReading { client.isReading = true }
    case .remark(let remark): write(remark)
    }
  }

  private func tell(_ notice: Notice, to id: ClientID) {
    guard let client = members[id]?.client else { return }
    let notices = members[id]?.notices.pass(notice, isWritable: client.isWritable) ?? []
    let end = client.transport == .tcp ? [UInt8(ascii: "\n")] : []
    for notice in notices { client.send(notice.json + end, as: .text) }
  }

  private func write(_ remark: Arbiter.Remark) {
    guard plan.announcesClients || !remark.isAnnouncement else { return }
    log.log(level: remark.level, remark.message, metadata: remark.metadata)
  }
}

extension NetworkDoor: Host {
  package func joined(_ client: any Client) {
    members[client.id] = Member(client: client)
    handle(.joined(client.id, client.transport, address: client.address))
    askForTurn()
  }

  package func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    handle(.received(bytes, kind, from: client.id))
  }

  package func receivedAll() { askForTurn() }

  package func left(_ client: any Client, _ departure: Departure) {
    guard members[client.id] != nil else { return }
    handle(.left(client.id, departure))
    askForTurn()
  }

  package func watcherJoined(_ watcher: any Client) {
    watchers.add(watcher)
    handle(.watcherJoined(watcher.id, address: watcher.address))
  }

  package func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    watchers.remove(watcher)
    handle(.watcherLeft(watcher.id, departure))
  }

  package func refused(_ status: Int) { handle(.requestRefused(status)) }
}
