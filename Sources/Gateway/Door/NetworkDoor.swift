package import Bench
package import Logging
package import Turret

/// The door for senders on the network: whose bytes reach the board, and when.
///
/// A client's bytes become commands, those of the client in control wait for the cable, and the bench
/// takes them as it gets free. Used on the event loop only.
package final class NetworkDoor {
  /// In raw mode so many bytes wait at most before the sender is held.
  private static let rawBytesMax = 65_536
  /// When the line should be free and is not, it is looked at again after so long; a board that takes
  /// nothing is looked at ever less often, down to the longer one.
  private static let retry = Interval.microseconds(100)
  private static let retryMax = Interval.milliseconds(10)

  private let plan: DoorPlan
  private let log: Logger
  private var senders: [ClientID: Sender] = [:]
  private var desk: ControlDesk
  private var queue = CommandQueue()
  private var raw: [UInt8] = []
  /// Whether what was passed on raw ends within a number; and its bytes' meaning.
  private var rawParser: CommandParser
  /// When the line has carried what was handed over.
  private var lineFree: HostTime
  private var replies = ReplyLines()
  /// The last command that says what the turret is to do, for a board that comes back.
  private var wanted: Command?
  private var boardState = BoardState.present
  private var isLeaving = false
  /// Those who hear what happens.
  package let watchers: Broadcaster
  package private(set) var counts = GatewayCounts()

  /// Asks for a turn of the bench.
  package var onWork: () -> Void = {}
  /// How the bench is, for those who ask.
  package var benchStatus: () -> BenchStatus = { BenchStatus() }
  private let begun: HostTime
  private let clock: () -> HostTime

  private enum BoardState: Hashable {
    case present
    /// Back, and its bootloader owns the line until then.
    case booting(until: HostTime)
    case gone
  }

  /// `clock` tells the time; the default is the computer's.
  package init(
    _ plan: DoorPlan, watchers: Broadcaster, log: Logger,
    clock: @escaping () -> HostTime = { .now }
  ) {
    self.plan = plan
    self.clock = clock
    begun = clock()
    lineFree = begun
    self.log = log
    self.watchers = watchers
    desk = ControlDesk(policy: plan.control)
    rawParser = CommandParser(for: plan.firmware)
  }

  // MARK: For the bench

  /// How many clients there are, those that only watch too.
  package var clientCount: Int { senders.count + watchers.count }

  /// When the bench is to look again though nothing happens; nil: never.
  package var nextDeadline: HostTime? {
    var next = replies.deadline
    func consider(_ time: HostTime?) {
      if let time { next = next.map { min($0, time) } ?? time }
    }
    if !plan.isRaw {
      for sender in senders.values { consider(sender.numberDeadline) }
    }
    if case .booting(let end) = boardState { consider(end) }
    if !queue.isEmpty, boardState == .present {
      let now = clock()
      let late = Interval.nanoseconds((now - lineFree).nanoseconds / 8)
      consider(max(lineFree, now + min(max(late, Self.retry), Self.retryMax)))
    }
    return next
  }

  /// What goes down the line next; nil: nothing, or not now. `waitingCount`: how many bytes are on the
  /// line or wait for it. `room`: how many more may wait in raw mode.
  package func next(waitingCount: Int, room: Int) -> [UInt8]? {
    guard isBoardReady else { return nil }
    if let bytes = nextRaw(room: room) { return bytes }
    guard waitingCount == 0, let entry = queue.next() else { return nil }
    var bytes = entry.command.bytes
    // A number that was begun raw takes one byte with it; this one it may have.
    if rawParser.isOpen { bytes.insert(bytes[0], at: 0) }
    if plan.isRaw { follow(bytes) }
    handedOver(bytes.count)
    counts.sent += 1
    if let arrival = entry.arrival { counts.delay.add(clock() - arrival) }
    return bytes
  }

  /// What the board has sent goes to the client in control.
  package func deliver(_ bytes: [UInt8]) {
    counts.bytesFromBoard += bytes.count
    guard plan.isRaw else {
      for line in replies.take(bytes, at: clock()) { reply(line) }
      return
    }
    reply(bytes)
  }

  /// What is due by itself.
  package func expire() {
    let now = clock()
    if let rest = replies.takeOverdue(at: now) { reply(rest) }
    for (id, sender) in senders {
      if let deadline = sender.numberDeadline, deadline <= now {
        senders[id]?.numberDeadline = nil
        if let refusal = senders[id]?.parser.finish() { refuse(refusal, to: id) }
      }
    }
    if case .booting(let end) = boardState, end <= now { boardState = .present }
  }

  /// The board is not there any more. What waits is forgotten, and its senders are told; what the
  /// turret is to do is not.
  package func boardIsGone() {
    boardState = .gone
    counts.hasBoard = false
    for id in senders.keys { senders[id]?.isToldOfBoard = false }
    for entry in queue.removeAll() { refuseForWantOfBoard(1, to: entry.from) }
    if !raw.isEmpty { refuseForWantOfBoard(raw.count, to: desk.controller) }
    raw = []
    resumeReading()
  }

  /// The board is back; its sketch listens after `bootTime`.
  package func boardIsBack(bootTime: Interval) {
    boardState = .booting(until: clock() + bootTime)
    lineFree = clock()
    counts.hasBoard = true
    counts.reconnects += 1
    rawParser = CommandParser(for: plan.firmware)
    if let wanted, desk.controller != nil, !plan.isRaw {
      put(wanted, from: nil)
    }
  }

  /// The session ends: nobody is heard any more, and the turret is left as it should be.
  package func beginLeaving() {
    guard !isLeaving else { return }
    isLeaving = true
    if desk.controller != nil || counts.sent > 0 { actOnDisconnect() }
  }

  /// How many commands wait for the line.
  package var waitingCount: Int { queue.count }

  /// Whether all that waited is on the line.
  package var isDrained: Bool { queue.isEmpty && raw.isEmpty || boardState == .gone }

  // MARK: -

  private var isBoardReady: Bool { boardState == .present }

  private func nextRaw(room: Int) -> [UInt8]? {
    guard !raw.isEmpty, room > 0 else { return nil }
    let bytes: [UInt8]
    if raw.count <= room {
      bytes = raw
      raw = []
    } else {
      bytes = Array(raw.prefix(room))
      raw.removeFirst(room)
    }
    follow(bytes)
    handedOver(bytes.count)
    if raw.count < Self.rawBytesMax / 2 { resumeReading() }
    return bytes
  }

  private func follow(_ bytes: [UInt8]) {
    if plan.onDisconnect != .hold { _ = rawParser.take(bytes) }
  }

  private func handedOver(_ count: Int) {
    let time = Interval.nanoseconds(Int64(count) * ByteClock.byteTime(baud: plan.baud).nanoseconds)
    lineFree = max(lineFree, clock()) + time
  }

  private func resumeReading() {
    for sender in senders.values where !sender.client.isReading { sender.client.isReading = true }
  }

  private func reply(_ bytes: [UInt8]) {
    guard let id = desk.controller, let sender = senders[id] else { return }
    // Raw bytes are not left out: a client that takes none comes to its limit and is closed.
    guard plan.isRaw || sender.client.isWritable else { return }
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    sender.client.send(bytes, as: isASCII ? sender.kind : .binary)
  }

  private func refuse(_ refusal: Refusal, to id: ClientID) {
    counts.refused[.notACommand, default: 0] += refusal.count
    senders[id]?.tell(.notACommand(refusal))
    log.debug("not a command", metadata: ["client": "\(id)", "bytes": "\(refusal.text)"])
  }

  /// So many commands, or raw bytes, come to nothing as the board is away. A sender is told once.
  private func refuseForWantOfBoard(_ count: Int, to id: ClientID?) {
    counts.refused[.noBoard, default: 0] += count
    guard let id, senders[id]?.isToldOfBoard == false else { return }
    senders[id]?.isToldOfBoard = true
    senders[id]?.tell(.noBoard)
  }

  // MARK: Commands

  private func take(_ command: Command, from id: ClientID, at time: HostTime) {
    counts.accepted[.init(command), default: 0] += 1
    guard desk.controller == id else {
      counts.refused[.notInControl, default: 0] += 1
      if senders[id]?.isToldOfControl == false {
        senders[id]?.isToldOfControl = true
        senders[id]?.tell(.notInControl)
      }
      return
    }
    if command.isLasting { wanted = command }
    guard boardState != .gone else { return refuseForWantOfBoard(1, to: id) }
    put(command, from: id, at: time)
  }

  private func put(_ command: Command, from id: ClientID?, at time: HostTime? = nil) {
    // At the end all that waits goes out first, and nothing comes after this.
    let outcome = queue.put(command, from: id, at: time, isLast: isLeaving)
    switch outcome {
    case .queued: break
    case .replaced: counts.replaced += 1
    case .merged: counts.merged += 1
    case .overflow:
      guard let id else {
        // How the turret is to be left counts for more than what a client who is gone still wanted.
        for entry in queue.removeAll() { overflowed(entry.command, from: entry.from) }
        _ = queue.put(command, from: nil)
        return
      }
      overflowed(command, from: id)
    }
  }

  private func overflowed(_ command: Command, from id: ClientID?) {
    counts.overflowed += 1
    counts.refused[.queueFull, default: 0] += 1
    guard let id else { return }
    senders[id]?.tell(.queueFull(command))
    log.debug("queue full", metadata: ["client": "\(id)"])
  }

  private func takeRaw(_ bytes: [UInt8], from id: ClientID) {
    guard desk.controller == id else {
      counts.refused[.notInControl, default: 0] += 1
      if senders[id]?.isToldOfControl == false {
        senders[id]?.isToldOfControl = true
        senders[id]?.tell(.notInControl)
      }
      return
    }
    guard boardState != .gone else { return refuseForWantOfBoard(bytes.count, to: id) }
    if raw.isEmpty { raw = bytes } else { raw += bytes }
    if raw.count >= Self.rawBytesMax { senders[id]?.client.isReading = false }
  }

  // MARK: Control

  private func apply(_ changes: [ControlDesk.Change]) {
    for change in changes {
      switch change {
      case .gained(let id):
        log.info("in control", metadata: ["client": "\(id)"])
        if senders[id]?.isToldOfControl == true { senders[id]?.tell(.controlGained) }
        senders[id]?.isToldOfControl = false
      case .lost(let id):
        log.info("lost control", metadata: ["client": "\(id)"])
        senders[id]?.isToldOfControl = true
        senders[id]?.tell(.controlLost)
      case .abandoned:
        if !isLeaving { actOnDisconnect() }
      }
    }
    counts.hasController = desk.controller != nil
  }

  private func actOnDisconnect() {
    guard let command = plan.onDisconnect.command else { return }
    log.info("nobody controls", metadata: ["turret": "\(plan.onDisconnect.rawValue)"])
    wanted = command
    counts.disconnectActions += 1
    if boardState != .gone { put(command, from: nil) }
  }
}

extension NetworkDoor: Host {
  package func joined(_ client: any Client) {
    senders[client.id] = Sender(client: client, parser: CommandParser(for: plan.firmware))
    counts.joined(.init(client.transport))
    log.info(
      "connected",
      metadata: [
        "client": "\(client.id)", "over": "\(client.transport.rawValue)",
        "from": "\(client.address)",
      ])
    apply(desk.join(client.id))
    onWork()
  }

  package func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    counts.received(bytes: bytes.count)
    guard !isLeaving, senders[client.id] != nil else { return }
    let id = client.id
    senders[id]?.kind = kind
    if plan.isRaw { return takeRaw(bytes, from: id) }
    let now = clock()
    let wasOpen = senders[id]?.parser.isOpen ?? false
    for parsed in senders[id]?.parser.take(bytes) ?? [] {
      switch parsed {
      case .command(let command): take(command, from: id, at: now)
      case .refused(let refusal): refuse(refusal, to: id)
      }
    }
    let isOpen = senders[id]?.parser.isOpen ?? false
    if !isOpen {
      senders[id]?.numberDeadline = nil
    } else if !wasOpen || bytes.contains(UInt8(ascii: "X")) {
      senders[id]?.numberDeadline = now + CommandParser.openTimeMax
    }
  }

  package func receivedAll() { onWork() }

  package func left(_ client: any Client, _ departure: Departure) {
    let id = client.id
    guard senders[id] != nil else { return }
    if let refusal = senders[id]?.parser.finish() { refuse(refusal, to: id) }
    senders[id] = nil
    counts.left(.init(client.transport))
    log.info("gone", metadata: ["client": "\(id)", "how": "\(departure)"])
    apply(desk.leave(id))
    onWork()
  }

  package func watcherJoined(_ watcher: any Client) {
    watchers.add(watcher)
    counts.joined(.watcher)
    log.info("watching", metadata: ["client": "\(watcher.id)", "from": "\(watcher.address)"])
  }

  package func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    watchers.remove(watcher)
    counts.left(.watcher)
    log.info("gone", metadata: ["client": "\(watcher.id)", "how": "\(departure)"])
  }

  package func refused(_ status: Int) { counts.requestsRefused[status, default: 0] += 1 }

  package func metrics() -> String {
    let status = benchStatus()
    var counts = counts
    counts.queueLength = queue.count
    counts.linesDropped = watchers.missed
    counts.degrees = status.degrees
    return GatewayMetrics.text(
      counts, recording: status.recording, uptime: clock() - begun,
      logLinesDropped: status.logLinesDropped)
  }

  package func health() -> (json: String, isWell: Bool) {
    let status = benchStatus()
    var health = Health(device: status.device, firmware: plan.firmware)
    health.set(counts)
    health.boardFailure = status.boardFailure
    health.allowsAnonymous = plan.allowsAnonymous
    health.recording = status.recording
    health.uptime = clock() - begun
    return (health.json, health.isWell)
  }
}
