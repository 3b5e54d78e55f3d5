package import Bench
package import Logging
package import Turret

/// The door for senders on the network: whose bytes reach the board, and when.
///
/// A client's bytes become commands, those of the client in control wait for the cable, and the bench
/// takes them as it gets free. Used on the event loop only.
package final class NetworkDoor {
  let plan: DoorPlan
  private let log: Logger
  private var senders: Senders
  private var desk: ControlDesk
  private var orders = Orders()
  /// nil: only whole commands reach the board.
  private var raw: RawBytes?
  private var line: BoardLine
  private var replies = ReplyLines()
  private var isLeaving = false
  /// Those who hear what happens.
  package let watchers: Broadcaster
  private var tally = GatewayCounts()

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
    senders = Senders(for: plan.firmware)
    desk = ControlDesk(policy: plan.control)
    line = BoardLine(baud: plan.baud, at: begun)
    if plan.isRaw {
      raw = RawBytes(for: plan.firmware, followsMeaning: plan.onDisconnect != .hold)
    }
  }

  /// What has come of it all so far.
  package var counts: GatewayCounts {
    var counts = tally
    counts.set(orders.counts, waiting: orders.count)
    counts.linesDropped = watchers.missed
    return counts
  }

  // MARK: For the bench

  /// How many clients there are, those that only watch too.
  package var clientCount: Int { senders.count + watchers.count }

  /// When the bench is to look again though nothing happens; nil: never.
  package var nextDeadline: HostTime? {
    let line = line.deadline(at: clock(), isWaitedFor: !orders.isEmpty)
    return [replies.deadline, senders.deadline, line].compactMap(\.self).min()
  }

  /// What goes down the line next; nil: nothing, or not now. `waitingCount`: how many bytes are on the
  /// line or wait for it. `room`: how many more may wait in raw mode.
  package func next(waitingCount: Int, room: Int) -> [UInt8]? {
    guard line.isListening else { return nil }
    if let bytes = raw?.next(room: room) {
      line.carry(bytes.count, at: clock())
      if raw?.isLow == true { senders.resume() }
      return bytes
    }
    guard waitingCount == 0, let entry = orders.next() else { return nil }
    let bytes = raw?.next(command: entry.command.bytes) ?? entry.command.bytes
    line.carry(bytes.count, at: clock())
    tally.sent += 1
    if let arrival = entry.arrival { tally.delay.add(clock() - arrival) }
    return bytes
  }

  /// What the board has sent goes to the client in control.
  package func deliver(_ bytes: [UInt8]) {
    tally.bytesFromBoard += bytes.count
    guard raw != nil else {
      for line in replies.take(bytes, at: clock()) { reply(line) }
      return
    }
    reply(bytes)
  }

  /// What is due by itself.
  package func expire() {
    let now = clock()
    if let rest = replies.takeOverdue(at: now) { reply(rest) }
    for (id, refusal) in senders.finishOverdue(at: now) { refuse(refusal, to: id) }
    line.advance(to: now)
  }

  /// The board is not there any more. What waits is forgotten, and its senders are told; what the
  /// turret is to do is not.
  package func boardIsGone() {
    line.gone()
    tally.hasBoard = false
    senders.boardIsGone()
    if let raw, !raw.isEmpty, let id = desk.controller { refuseForWantOfBoard(raw.count, to: id) }
    raw?.removeAll()
    let dropped = orders.removeAll()
    tally.dropped[.noBoard, default: 0] += dropped.count
    for id in Set(dropped.compactMap(\.from)).sorted() {
      senders.tellOfBoard(id, isRaw: raw != nil)
    }
    senders.resume()
  }

  /// The board is back; its sketch listens after `bootTime`.
  package func boardIsBack(bootTime: Interval) {
    line.back(bootTime: bootTime, at: clock())
    tally.hasBoard = true
    tally.reconnects += 1
    raw?.restart()
    if let wanted = orders.wanted, desk.controller != nil, raw == nil { putOwn(wanted) }
  }

  /// The session ends: nobody is heard any more, and the turret is left as it should be.
  package func beginLeaving() {
    guard !isLeaving else { return }
    isLeaving = true
    if desk.controller != nil || tally.sent > 0 { actOnDisconnect() }
  }

  /// How long the door has been there.
  var uptime: Interval { clock() - begun }

  /// How many commands wait for the line.
  package var waitingCount: Int { orders.count }

  /// Whether all that waited is on the line.
  package var isDrained: Bool { orders.isEmpty && raw?.isEmpty != false || line.isGone }

  // MARK: -

  private func announce(_ what: Logger.Message, _ id: ClientID, _ more: Logger.Metadata = [:]) {
    guard plan.announcesClients else { return }
    log.info(what, metadata: more.merging(["client": "\(id)"]) { $1 })
  }

  private func reply(_ bytes: [UInt8]) {
    if let id = desk.controller { senders[id]?.reply(bytes, isRaw: raw != nil) }
  }

  private func refuse(_ refusal: Refusal, to id: ClientID) {
    tally.refused[.notACommand, default: 0] += refusal.count
    senders.tell(.notACommand(refusal), to: id)
    log.debug("not a command", metadata: ["client": "\(id)", "bytes": "\(refusal.text)"])
  }

  /// So many commands, or raw bytes, come to nothing as the board is away. A sender is told once.
  private func refuseForWantOfBoard(_ count: Int, to id: ClientID) {
    tally.refused[.noBoard, default: 0] += count
    senders.tellOfBoard(id, isRaw: raw != nil)
  }

  // MARK: Commands

  private func take(_ command: Command, from id: ClientID, at time: HostTime) {
    tally.accepted[.init(command), default: 0] += 1
    guard isInControl(id) else { return }
    guard !line.isGone else {
      orders.want(command, from: id)
      return refuseForWantOfBoard(1, to: id)
    }
    let outcome = orders.put(command, from: id, at: time)
    guard outcome == .overflow else { return }
    tally.refused[.queueFull, default: 0] += 1
    senders.tell(.queueFull(command), to: id)
    log.debug("queue full", metadata: ["client": "\(id)"])
  }

  /// A command that no client has sent.
  private func putOwn(_ command: Command) {
    tally.own += 1
    // At the end nothing comes after it, and all that waits goes out first.
    drop(orders.putOwn(command, isLast: isLeaving), .leaving)
  }

  /// These are not sent any more, and whoever wants them is told.
  private func drop(_ entries: [CommandQueue.Entry], _ reason: GatewayCounts.DropReason) {
    tally.dropped[reason, default: 0] += entries.count
    for (id, own) in Dictionary(grouping: entries, by: \.from) {
      guard let id else { continue }
      senders.tell(.dropped(own.count), to: id)
      log.debug("dropped", metadata: ["client": "\(id)", "commands": "\(own.count)"])
    }
  }

  private func dropRaw(from id: ClientID) {
    guard let count = raw?.count, count > 0 else { return }
    raw?.removeAll()
    tally.dropped[.controlLost, default: 0] += count
    senders.tell(.rawDropped(count), to: id)
    senders.resume()
  }

  private func takeRaw(_ bytes: [UInt8], from id: ClientID) {
    guard isInControl(id) else { return }
    guard !line.isGone else { return refuseForWantOfBoard(bytes.count, to: id) }
    raw?.put(bytes)
    if raw?.isFull == true { senders.hold(id) }
  }

  /// Whether what it sends counts; where not, it is told.
  private func isInControl(_ id: ClientID) -> Bool {
    guard desk.controller != id else { return true }
    tally.refused[.notInControl, default: 0] += 1
    senders.tellOfControl(id)
    return false
  }

  // MARK: Control

  private func apply(_ changes: [ControlDesk.Change]) {
    for change in changes {
      switch change {
      case .gained(let id):
        announce("in control", id)
        senders.gainedControl(id)
      case .lost(let id):
        announce("lost control", id)
        senders.lostControl(id)
        // They would come after what the one who took over has done by now.
        drop(orders.removeAll(from: id), .controlLost)
        dropRaw(from: id)
      case .abandoned:
        if !isLeaving { actOnDisconnect() }
      }
    }
    tally.hasController = desk.controller != nil
  }

  private func actOnDisconnect() {
    guard let command = plan.onDisconnect.command else { return }
    log.info("the turret is left", metadata: ["to": "\(plan.onDisconnect.rawValue)"])
    tally.disconnectActions += 1
    if line.isGone { orders.want(command, from: nil) } else { putOwn(command) }
  }
}

extension NetworkDoor: Host {
  package func joined(_ client: any Client) {
    senders.add(client)
    tally.joined(.init(client.transport))
    announce(
      "connected", client.id,
      ["over": "\(client.transport.rawValue)", "from": "\(client.address)"])
    apply(desk.join(client.id))
    onWork()
  }

  package func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    tally.received(bytes: bytes.count)
    let id = client.id
    guard !isLeaving, senders.contains(id) else { return }
    senders.answer(id, as: kind)
    guard raw == nil else { return takeRaw(bytes, from: id) }
    let now = clock()
    for parsed in senders.take(bytes, from: id, at: now) {
      switch parsed {
      case .command(let command): take(command, from: id, at: now)
      case .refused(let refusal): refuse(refusal, to: id)
      }
    }
  }

  package func receivedAll() { onWork() }

  package func left(_ client: any Client, _ departure: Departure) {
    let id = client.id
    guard senders.contains(id) else { return }
    if let refusal = senders.finishNumber(of: id) { refuse(refusal, to: id) }
    senders.remove(id)
    tally.left(.init(client.transport))
    announce("gone", id, ["how": "\(departure)"])
    apply(desk.leave(id))
    onWork()
  }

  package func watcherJoined(_ watcher: any Client) {
    watchers.add(watcher)
    tally.joined(.watcher)
    announce("watching", watcher.id, ["from": "\(watcher.address)"])
  }

  package func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    watchers.remove(watcher)
    tally.left(.watcher)
    announce("gone", watcher.id, ["how": "\(departure)"])
  }

  package func refused(_ status: Int) { tally.requestsRefused[status, default: 0] += 1 }
}
