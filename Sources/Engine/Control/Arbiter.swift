package import Sketches
package import Traces

/// Decides whose bytes reach the board and when, what is sent to the clients, and how the turret is
/// left at the end.
///
///     running --leaving--> leaving --over--> leaving, and nothing waits
///
/// It takes an event with its instant and returns the actions to carry out. It neither writes nor
/// waits. Its instants are those of the session's clock. When the session is rewound, what its
/// clients have done is not: its own time goes on.
package struct Arbiter: Sendable {
  package let settings: ArbiterSettings
  private var clients: [ClientID: ClientState] = [:]
  private var control: ControlAssignment
  private var pending = PendingCommands()
  /// nil if only complete commands reach the board.
  private var raw: RawBytes?
  /// When raw bytes of clients that have left are dropped; nil if none wait.
  private var rawLeftEnd: Instant?
  private var board: BoardAvailability
  private var replies = ReplyLines()
  private var isLeaving = false
  private var tally = GatewayCounts()
  private var refused = RefusedMessages()
  private var shownRefusals = ShownRefusals()
  /// The time from the last message's arrival to its command's first bit on the wire; nil before
  /// the first.
  package private(set) var lastDelay: Interval?
  /// By how much the session was rewound.
  private var rewound = Interval.zero
  /// When the present event occurred, in its own time.
  private var now: Instant
  /// The actions of the present event.
  private var actions: [Action] = []
  /// The client that the last `controller` action named.
  private var announced: ClientID?

  package init(_ settings: ArbiterSettings, at begin: Instant) {
    self.settings = settings
    now = begin
    control = ControlAssignment(policy: settings.control)
    board = BoardAvailability(baud: settings.baud, boot: settings.profile?.boot ?? [], at: begin)
    if settings.isRaw { raw = RawBytes(settings) }
  }

  /// The counts of everything that has happened so far.
  package var counts: GatewayCounts {
    var counts = tally
    counts.queue = pending.queue.counts
    counts.queueLength = pending.queue.count
    counts.hasController = control.controller != nil
    counts.hasBoard = !board.isGone
    return counts
  }

  package var controller: ClientID? { control.controller }
  /// The number of commands that wait for the line; in raw mode, of bytes.
  package var waitingCount: Int { raw?.count ?? pending.queue.count }
  /// Whether everything that waited has been passed to the line.
  package var isDrained: Bool { pending.queue.isEmpty && raw?.isEmpty != false || board.isGone }

  /// The number of messages that the board did not receive, and the last of them, at the session's
  /// instants. Those from before a rewinding can be later than its present.
  package var refusals: (count: Int, last: [ShownRefusals.Entry]) {
    let last = shownRefusals.entries.map { entry in
      var entry = entry
      entry.at = entry.at - rewound
      return entry
    }
    return (shownRefusals.count, last)
  }

  /// When it must be advanced, at `clock` or later, even if nothing else happens; nil for never.
  package func nextDeadline(at clock: Instant) -> Instant? {
    var next = board.deadline(at: ownTime(clock), isWaitedFor: !pending.queue.isEmpty)
    for deadline in [replies.deadline, clientDeadline, lateDeadline, rawLeftEnd] {
      guard let deadline else { continue }
      next = next.map { min($0, deadline) } ?? deadline
    }
    return next.map { $0 - rewound }
  }

  /// Its own time when the session's clock is at `clock`.
  private func ownTime(_ clock: Instant) -> Instant { clock + rewound }

  /// The session was rewound by an interval.
  package mutating func goBack(by interval: Interval) { rewound = rewound + interval }

  /// A command is late one nanosecond after its deadline.
  private var lateDeadline: Instant? { pending.queue.lateDeadline.map { $0 + .nanoseconds(1) } }

  private var clientDeadline: Instant? { clients.values.lazy.compactMap { $0.deadline }.min() }

  /// Takes an event when the session's clock is at `clock`.
  package mutating func handle(_ event: Event, at clock: Instant) -> [Action] {
    now = ownTime(clock)
    switch event {
    case .joined(let id, let transport, let address):
      join(id, transport)
      note(.connected(id, transport, address: address))
      if clients[id]?.isSender == true { apply(control.join(id)) }
    case .received(let bytes, let isText, let id): receive(bytes, isText: isText, from: id)
    case .ordered(let command, let id): receive(command, from: id)
    case .left(let id, let how): leave(id, how: how)
    case .passed: expire()
    case .boardSent(let bytes): deliver(bytes)
    case .boardIsGone: boardIsGone()
    case .boardIsBack(let bootTime): boardIsBack(bootTime: bootTime)
    case .leaving: beginLeaving()
    case .over: giveUp()
    }
    if announced != control.controller {
      announced = control.controller
      actions.append(.controller(announced))
    }
    guard !actions.isEmpty else { return [] }
    defer { actions = [] }
    return actions
  }

  /// The bytes to send over the line next; nil if there are none, or not now. `waitingCount`: the
  /// number of bytes on the line or waiting for it. `room`: how many more can wait in raw mode.
  package mutating func next(
    waitingCount: Int, room: Int, at clock: Instant
  ) -> (bytes: [UInt8], actions: [Action])? {
    guard board.isListening else { return nil }
    now = ownTime(clock)
    if let bytes = raw?.next(room: room) {
      if raw?.leftCount == 0 { rawLeftEnd = nil }
      // One of the bench's own commands can follow, after the pause that ends what was sent.
      board.carry(bytes.count, pause: settings.profile?.pauseMax, at: now)
      return (bytes, raw?.isLow == true ? [.release] : [])
    }
    // Late commands are refused first, by the event that their deadline causes.
    if let lateDeadline, lateDeadline <= now { return nil }
    guard waitingCount == 0, board.isPauseOver(at: now), let entry = pending.next() else {
      return nil
    }
    let bytes = raw?.next(command: entry.command.bytes) ?? entry.command.bytes
    board.carry(bytes.count, pause: entry.command.pause, at: now)
    tally.sent += 1
    if let arrival = entry.arrival {
      let delay = now - arrival
      tally.delay.add(delay)
      lastDelay = delay
    }
    return (bytes, [])
  }

  /// Removes and returns what was refused since the last call, in order. `isLast`: no call follows.
  package mutating func takeRefused(isLast: Bool = false) -> [RefusedMessage] {
    refused.take(isLast: isLast)
  }

  /// Tells a client something, unless it has left.
  private mutating func tell(_ message: ClientMessage, to id: ClientID) {
    guard clients[id] != nil else { return }
    actions.append(.tell(message, id))
  }

  private mutating func note(_ remark: Remark) { actions.append(.remark(remark)) }
}

// MARK: - Clients

extension Arbiter {
  private mutating func join(_ id: ClientID, _ transport: Transport) {
    clients[id] = ClientState(transport, parser: settings.makeParser())
    tally.joined(.init(transport))
  }

  private mutating func leave(_ id: ClientID, how: String) {
    take(clients[id]?.finish() ?? [], from: id)
    guard let client = clients.removeValue(forKey: id) else { return }
    tally.left(.init(client.transport))
    note(.gone(id, how: how))
    if control.controller == id, raw?.isEmpty == false {
      raw?.leave()
      rawLeftEnd = rawLeftEnd ?? now + RawBytes.leftTime
    }
    apply(control.leave(id))
    actions.append(.forget(id))
  }

  private mutating func receive(_ bytes: [UInt8], isText: Bool, from id: ClientID) {
    guard clients[id] != nil else { return }
    tally.received(bytes: bytes.count)
    clients[id]?.usesText = isText
    if raw != nil { return takeRaw(bytes, from: id) }
    take(clients[id]?.take(bytes, at: now) ?? [], from: id)
  }

  /// Takes what a client's bytes were.
  private mutating func take(_ found: [Parsed], from id: ClientID) {
    var unsent: [Command] = []
    for parsed in found {
      switch parsed {
      case .refused(let refusal): refuse(refusal, to: id)
      case .command(let command):
        noteSender(id)
        tally.accepted[.init(command), default: 0] += 1
        if isLeaving { unsent.append(command) } else { take(command, from: id) }
      }
    }
    if !unsent.isEmpty { refuseForTheEnd(unsent.map { $0.bytes }, count: unsent.count, to: id) }
  }

  private mutating func receive(_ command: Command, from id: ClientID) {
    guard clients[id] != nil else { return }
    tally.received(bytes: command.bytes.count)
    if raw != nil { return takeRaw(command.bytes, from: id) }
    take([.command(command)], from: id)
  }

  /// A client that has sent a command counts for control.
  private mutating func noteSender(_ id: ClientID) {
    guard clients[id]?.isSender == false else { return }
    clients[id]?.isSender = true
    apply(control.join(id))
  }

  /// Does everything that has become due.
  private mutating func expire() {
    if let rest = replies.takeOverdue(at: now) { reply(rest) }
    board.advance(to: now)
    refuseLate()
    dropLateRaw()
    guard let due = clientDeadline, due <= now else { return }
    let overdue = clients.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys
    for id in overdue.sorted() {
      take(clients[id]?.finishOverdue(at: now) ?? [], from: id)
    }
  }

  /// Refuses the commands that have waited for too long.
  private mutating func refuseLate() {
    let late = pending.queue.removeLate(at: now)
    guard !late.isEmpty else { return }
    drop(late, .late, tellsEach: false)
    for entry in late { if let id = entry.from { tell(.late(entry.command), to: id) } }
  }

  /// Drops the raw bytes that have waited for too long after their senders left.
  private mutating func dropLateRaw() {
    guard let rawLeftEnd, rawLeftEnd <= now, let late = raw?.removeLeft() else { return }
    self.rawLeftEnd = nil
    count(late, .late, from: nil)
    if raw?.isLow == true { actions.append(.release) }
  }

  private mutating func refuse(_ refusal: Refusal, to id: ClientID) {
    tally.refused[.notACommand, default: 0] += refusal.commands
    let why: RefusedMessage.Why = refusal.why == .outOfRange ? .outOfRange : .notACommand
    record(refusal.bytes, count: refusal.count, why, from: id)
    tell(.notACommand(refusal), to: id)
    note(.notACommand(refusal, id))
  }

  /// Records in the session what a client sent and the board does not receive. `count` is the
  /// number of all the bytes, if it differs from that of `bytes`.
  private mutating func record(
    _ bytes: [UInt8], count: Int? = nil, _ why: RefusedMessage.Why, from client: ClientID?
  ) {
    let message = RefusedMessage(bytes, count: count, why: why)
    refused.put(message, at: now)
    shownRefusals.add(message, from: client, at: now)
  }

  /// Counts commands, or raw bytes, that arrived after the session began to end.
  private mutating func refuseForTheEnd(_ messages: [[UInt8]], count: Int, to id: ClientID) {
    for message in messages { record(message, .leaving, from: id) }
    tally.refused[.leaving, default: 0] += count
    tell(.leaving(count, isRaw: raw != nil), to: id)
  }

  /// Counts commands, or raw bytes, that are lost because the board is disconnected. Their sender
  /// is notified once.
  private mutating func refuseWithoutBoard(_ bytes: [UInt8], count: Int, to id: ClientID) {
    record(bytes, .noBoard, from: id)
    tally.refused[.noBoard, default: 0] += count
    tellOfBoard(id)
  }

  private mutating func tellOfBoard(_ id: ClientID) {
    guard clients[id]?.isToldOfBoard == false else { return }
    clients[id]?.isToldOfBoard = true
    tell(.noBoard(isRaw: raw != nil), to: id)
  }

  /// Returns whether a command, or `count` raw bytes, from this client can be accepted. If not,
  /// they are recorded as refused, and the client is notified once for each change of control.
  private mutating func isInControl(_ id: ClientID, _ bytes: [UInt8], count: Int = 1) -> Bool {
    guard control.controller != id else { return true }
    record(bytes, .notInControl, from: id)
    tally.refused[.notInControl, default: 0] += count
    if clients[id]?.isToldOfControl == false {
      clients[id]?.isToldOfControl = true
      tell(.notInControl, to: id)
    }
    return false
  }
}

// MARK: - Commands and bytes for the board

extension Arbiter {
  private mutating func take(_ command: Command, from id: ClientID) {
    guard isInControl(id, command.bytes) else { return }
    guard !board.isGone else {
      pending.remember(command, from: id)
      return refuseWithoutBoard(command.bytes, count: 1, to: id)
    }
    let now = now
    guard changePending({ $0.put(command, from: id, at: now) }) == .overflow else { return }
    record(command.bytes, .queueFull, from: id)
    tally.refused[.queueFull, default: 0] += 1
    tell(.queueFull(command), to: id)
    note(.queueFull(id))
  }

  private mutating func takeRaw(_ bytes: [UInt8], from id: ClientID) {
    noteSender(id)
    if isLeaving { return refuseForTheEnd([bytes], count: bytes.count, to: id) }
    guard isInControl(id, bytes, count: bytes.count) else { return }
    guard !board.isGone else { return refuseWithoutBoard(bytes, count: bytes.count, to: id) }
    raw?.put(bytes)
    if raw?.isFull == true { actions.append(.hold(id)) }
  }

  /// Accepts a command that no client has sent.
  private mutating func putOwn(_ command: Command) {
    tally.own += 1
    // At the end no other command follows it, and everything that waits is sent first.
    let isLast = isLeaving
    drop(changePending { $0.putOwn(command, isLast: isLast) }, .leaving)
  }

  /// Changes what waits, and records the commands that this replaces and merges.
  private mutating func changePending<Result>(_ body: (inout PendingCommands) -> Result) -> Result {
    let before = pending.queue.counts
    let result = body(&pending)
    let after = pending.queue.counts
    if after.replaced > before.replaced, let old = pending.queue.lastReplaced {
      record(old.bytes, .replaced, from: nil)
    }
    for _ in before.merged..<after.merged { record(Command.lost.bytes, .merged, from: nil) }
    return result
  }

  /// Counts commands that will not be sent, and notifies the clients that sent them.
  private mutating func drop(
    _ entries: [CommandQueue.Entry], _ reason: GatewayCounts.DropReason, tellsEach: Bool = true
  ) {
    tally.dropped[reason, default: 0] += entries.count
    for entry in entries where entry.from != nil {
      record(entry.command.bytes, reason.why, from: entry.from)
    }
    guard tellsEach else { return }
    for id in Set(entries.compactMap { $0.from }).sorted() {
      let count = entries.count { $0.from == id }
      tell(.dropped(count), to: id)
      note(.dropped(count, id))
    }
  }

  private mutating func removeRaw() {
    raw?.removeAll()
    rawLeftEnd = nil
  }

  /// Drops all raw bytes. `id`: the client that sent them; nil if it has left.
  private mutating func dropRaw(from id: ClientID?, _ reason: GatewayCounts.DropReason) {
    guard let rest = raw?.waiting, !rest.isEmpty else { return }
    removeRaw()
    count(rest, reason, from: id)
    guard let id else { return }
    tell(.rawDropped(rest.count), to: id)
    actions.append(.release)
  }

  /// Counts raw bytes that will not be sent.
  private mutating func count(
    _ bytes: [UInt8], _ reason: GatewayCounts.DropReason, from id: ClientID?
  ) {
    record(bytes, reason.why, from: id)
    tally.dropped[reason, default: 0] += bytes.count
  }
}

// MARK: - The board

extension Arbiter {
  /// Passes bytes from the board to the client in control.
  private mutating func deliver(_ bytes: [UInt8]) {
    tally.bytesFromBoard += bytes.count
    board.hear(bytes)
    guard raw == nil else { return reply(bytes) }
    for line in replies.take(bytes, at: now) { reply(line) }
  }

  private mutating func reply(_ bytes: [UInt8]) {
    // Without a client in control, those that might only listen receive everything.
    let receivers = control.controller.map { [$0] } ?? clients.keys.sorted()
    for id in receivers {
      guard let usesText = clients[id]?.usesText else { continue }
      actions.append(.reply(bytes, isText: usesText && bytes.allSatisfy { $0 < 0x80 }, id))
    }
  }

  /// Drops everything that waits and notifies the clients that sent it. The last command for the
  /// turret is kept.
  private mutating func boardIsGone() {
    board.gone()
    for id in clients.keys { clients[id]?.isToldOfBoard = false }
    if let raw, !raw.isEmpty, let id = control.controller {
      refuseWithoutBoard(raw.waiting, count: raw.count, to: id)
    }
    removeRaw()
    let dropped = pending.queue.removeAll()
    drop(dropped, .noBoard, tellsEach: false)
    for id in Set(dropped.compactMap { $0.from }).sorted() { tellOfBoard(id) }
    actions.append(.release)
  }

  private mutating func boardIsBack(bootTime: Interval) {
    board.back(bootTime: bootTime, at: now)
    tally.reconnects += 1
    raw?.restart()
    guard control.controller != nil, raw == nil else { return }
    for command in pending.lastLasting { putOwn(command) }
  }
}

// MARK: - Control, and the end

extension Arbiter {
  private mutating func apply(_ changes: [ControlAssignment.Change]) {
    for change in changes {
      switch change {
      case .gained(let id):
        note(.inControl(id))
        if clients[id]?.isToldOfControl == true { tell(.controlGained, to: id) }
        clients[id]?.isToldOfControl = false
      case .lost(let id):
        note(.lostControl(id))
        clients[id]?.isToldOfControl = true
        tell(.controlLost, to: id)
        // These bytes would arrive after those that the new controller has already sent.
        drop(changePending { $0.removeAll(from: id) }, .controlLost)
        dropRaw(from: id, .controlLost)
      case .abandoned: if !isLeaving { actOnDisconnect() }
      }
    }
  }

  private mutating func actOnDisconnect() {
    guard let command = settings.disconnectCommand else { return }
    note(.turretLeft(settings.onDisconnect))
    tally.disconnectActions += 1
    if board.isGone { pending.remember(command, from: nil) } else { putOwn(command) }
  }

  private mutating func beginLeaving() {
    guard !isLeaving else { return }
    isLeaving = true
    if control.controller != nil || tally.sent > 0 { actOnDisconnect() }
  }

  /// Discards everything that waits, because the board has not accepted it.
  private mutating func giveUp() {
    isLeaving = true
    drop(pending.queue.removeAll(), .leaving)
    dropRaw(from: control.controller, .leaving)
  }
}

extension Arbiter {
  /// An event that concerns the clients or the board.
  package enum Event: Hashable, Sendable {
    /// A client that can send commands has joined.
    case joined(ClientID, Transport, address: String)
    /// A client has sent a message; over TCP, some bytes.
    case received([UInt8], isText: Bool, from: ClientID)
    /// A client that is part of the bench has issued a command.
    case ordered(Command, from: ClientID)
    /// A client has left; `how`, for people.
    case left(ClientID, how: String)
    /// Time has passed.
    case passed
    /// The board has sent these bytes.
    case boardSent([UInt8])
    case boardIsGone
    /// The board is connected again. Its sketch reads after `bootTime`.
    case boardIsBack(bootTime: Interval)
    /// The session is ending. From now on, nothing that a client sends reaches the board.
    case leaving
    /// Waiting commands will not be sent any more.
    case over
  }

  /// An action for a client, or a remark for the log.
  package enum Action: Hashable, Sendable {
    case tell(ClientMessage, ClientID)
    /// Send these bytes from the board to this client, as text or as binary data.
    case reply([UInt8], isText: Bool, ClientID)
    /// Read nothing more from this client for now.
    case hold(ClientID)
    /// Resume reading from all clients that were held.
    case release
    /// Another client is in control now; nil if none is.
    case controller(ClientID?)
    /// The client has left, and nothing more is sent to it.
    case forget(ClientID)
    case remark(Remark)
  }

  /// An event that is worth a line in the log.
  package enum Remark: Hashable, Sendable {
    case connected(ClientID, Transport, address: String)
    case gone(ClientID, how: String)
    case inControl(ClientID)
    case lostControl(ClientID)
    case notACommand(Refusal, ClientID)
    case queueFull(ClientID)
    /// This many of its commands were waiting and will not be sent.
    case dropped(Int, ClientID)
    /// No client controls the turret any more, or the session is ending.
    case turretLeft(DisconnectAction)
  }
}
