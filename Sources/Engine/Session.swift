package import Devices
package import Judging
package import Sketches
package import Traces

/// A session as a value: its board and line, its life, the judge, the rules and the client. It
/// decides everything, and does nothing: a driver gives it its inputs with their instants, takes
/// the events and carries out the effects. It reads no clock, waits for nothing, opens and prints
/// nothing. A copy is a snapshot.
///
///     input at an instant --> Session --> events, effects
///                             nextDeadline: when it must advance even if nothing arrives
package struct Session<D: RealTimeDevice>: Sendable {
  // What a driver calls in each turn is compiled for the model too. Otherwise every access to the
  // board would look up its size, and many would copy it.

  package internal(set) var board: LiveBoard<D>
  /// The faults on the way from the sender to the board; nil for none.
  package private(set) var faults: FaultyLine?
  private let plan: FaultPlan?
  package private(set) var life: SessionLife
  var followers: SessionFollowers
  private var effects: [SessionEffect] = []

  /// How long the bootloader owns the line when a sender opens the pty, and when one sets DTR; nil
  /// if that does not restart the board.
  package var resetOnOpen: Interval?
  package var resetOnDTR: Interval?
  /// The number of bytes of messages that the client has not read.
  package var clientBacklog = 0
  private var isPtyOpen = false
  /// Whether a sender has opened the pty or made use of another link.
  package private(set) var isReached = false
  /// The speed that the client of the port over TCP has set, in bits a second, and its format. They
  /// become the sender's with its next byte.
  private var remoteBaud: Int
  private var remoteFormat = LineFormat.standard
  /// What samples the board's bytes for the programs at the two ports.
  private var ptyReceiver: PortReceiver
  private var remoteReceiver: PortReceiver
  /// The number of bytes from the board that no program read.
  package private(set) var unreadCount = 0
  private var hasReportedUnread = false
  /// Whether the client sends in the format that it has set, or in that of a session in virtual
  /// time. If not, it sends in the board's.
  private var hasClientFormat = false
  /// What has arrived that can end the session, since the last decision.
  private var endings: [EndingInput] = []
  /// Decides which of the network's clients controls the turret, and what waits for the line; nil
  /// without a network.
  package private(set) var arbiter: Arbiter?
  private var isNetworkClosed = false

  private enum EndingInput {
    case signal(CInt)
    case commandEnded
  }

  /// Whether the key that ends the session was pressed, or a client has ended it.
  private var isEndRequested = false

  /// - Parameters:
  ///   - life: when the session ends; nil for one that ends only when its client ends it.
  ///   - isVerbose: whether what the sender does with its port is remarked on even if it is usual.
  package init(_ start: SessionStart<D>, life: SessionLife? = nil, isVerbose: Bool = false) {
    let baud = start.setup.baud
    board = LiveBoard(
      start.device, baud: baud, kinds: start.setup.observes, isVerbose: isVerbose)
    faults = start.faults.flatMap { plan in
      plan.specs.contains { !$0.isReturn } ? FaultyLine(plan, baud: baud) : nil
    }
    board.delayed = faults.map { DelayedInputs($0) }
    self.life = life ?? SessionLife(end: nil, hasNetwork: false, rejoins: false)
    followers = SessionFollowers(baud: baud)
    followers.returnLine = ReturnLine(start.faults, baud: baud)
    plan = start.faults
    remoteBaud = baud
    ptyReceiver = PortReceiver(baud: baud)
    remoteReceiver = PortReceiver(baud: baud)
  }

  // MARK: What follows its events

  /// Compares the session with a trace; nil if that was not requested.
  package var judge: TraceJudge? {
    get { followers.judge }
    set { followers.judge = newValue }
  }

  /// Judges the session; nil if there are none.
  package var rules: SessionRules? {
    get { followers.rules }
    set { followers.rules = newValue }
  }

  package var counts: LiveCounts { followers.counts }

  /// The servos as machines with mass, and what feeds them; nil if only their commands are of
  /// interest. The board must show pulses.
  package var drive: ServoDrive? {
    _read { yield followers.drive }
    _modify { yield &followers.drive }
  }

  /// What the client's session is; nil if there can be no client.
  package var clientSetting: APISetting? { followers.client?.setting }

  /// Lets clients of a network send.
  package mutating func serve(_ settings: ArbiterSettings) {
    arbiter = Arbiter(settings, at: now)
  }

  /// Lets a client make requests.
  package mutating func serve(_ client: APISession) {
    followers.client = client
    hasClientFormat = client.setting.isVirtual
  }

  /// Whether its own judges use the events of the board's bytes.
  private var usesTransmits: Bool {
    followers.judge != nil || followers.rules != nil || followers.client != nil
      || followers.returnLine != nil
  }

  /// Sets whether anything else uses the events of the board's bytes. Returns whether there are
  /// such events: a session in virtual time always has them.
  package mutating func setShowsTransmits(_ isUsed: Bool) -> Bool {
    board.setShowsTransmits(isUsed || usesTransmits)
  }

  /// Until when a session whose sender is done at `now` must continue so that it can be judged.
  package func settles(from now: Instant) -> Instant {
    max(
      followers.judge?.settles(from: now) ?? now, followers.rules?.settles(from: now) ?? now)
  }

  /// The number of commands that the sketch has taken; nil if that cannot be observed.
  package var commandCount: Int? {
    board.device.capabilities.reportsFates ? board.ledger.commands : nil
  }

  // MARK: Time

  /// How far it has advanced.
  package var now: Instant { board.now }

  /// Lets the session end early, when `isOver` returns true. It is called before each of its steps,
  /// which are short. Then nothing more happens, however far it advances.
  package mutating func end(when isOver: @escaping @Sendable () -> Bool) { board.isOver = isOver }

  /// How far it had advanced when it ended early; nil if it did not.
  package var cut: Instant? { board.cut }

  /// The instant of what happens when the clock's present is `clock`: that of the clock, or the one
  /// at which the board is if it is behind.
  package func present(_ clock: Instant) -> Instant {
    board.isBehind ? board.now : min(clock, life.lastInstant)
  }

  /// When it must advance although the board does nothing and nothing arrives; nil if never.
  @_specialize(where D == Model)
  package func nextDeadline(after clock: Instant) -> Instant? {
    var next = life.nextDeadline(after: clock)
    func consider(_ instant: Instant?) {
      if let instant { next = next.map { min($0, instant) } ?? instant }
    }
    if life.isStarting { consider(.zero + board.device.capabilities.lag) }
    consider(followers.toSender.nextDeadline)
    consider(followers.returnLine?.nextDeadline)
    consider(ptyReceiver.nextDeadline)
    consider(remoteReceiver.nextDeadline)
    consider(clientDeadline)
    consider(arbiter?.nextDeadline(at: clock))
    return next
  }

  /// What a driver waits for when a turn ends at `clock`.
  @_specialize(where D == Model)
  package func wait(after clock: Instant) -> SessionWait {
    var deadline = nextDeadline(after: clock)
    if let patience = board.device.patience {
      deadline = min(deadline ?? .distantFuture, clock + patience)
    }
    return SessionWait(
      deadline: deadline, isBehind: board.isBehind,
      descriptor: board.device.fault == nil ? board.device.descriptor : nil,
      hasRoom: credit(.pty) > 0, isClientBehind: isClientBehind, lag: board.device.capabilities.lag)
  }

  /// When the client must be answered although nothing happens; nil if never.
  package var clientDeadline: Instant? {
    let lag = board.device.capabilities.lag
    return followers.client?.nextDeadline.map { $0 + lag }
  }

  /// Begins with what is applied to the pins at time 0, in the sender's format.
  package mutating func begin(
    _ inputs: [BoardInput], _ format: LineFormat = .standard, _ emit: (Event) -> Void
  ) {
    board.begin(inputs) { followers.pass($0, emit) }
    if format != .standard { arrive(.format(format), at: .zero, emit) }
    handle(.waited(lag: board.device.capabilities.lag), at: now, emit)
  }

  /// Advances to `end`, which is in whole microseconds. What the client has scheduled happens on
  /// the way.
  ///
  /// - Parameter limit: how much of the computer's time a device that can be slow can take, and how
  ///   much has passed since the caller began; nil for any time. If it is not there by then, it is
  ///   behind, and advances further in the next call.
  @_specialize(where D == Model)
  package mutating func advance(
    to end: Instant, within limit: (time: Interval, spent: () -> Interval)? = nil,
    _ emit: (Event) -> Void
  ) {
    var isThere = false
    while !isThere {
      let next = followers.client?.nextSend.flatMap { $0 <= end ? $0 : nil }
      pass(to: next.map { $0 - .microseconds(1) } ?? end, within: limit, emit)
      isThere = next == nil || board.isBehind
      if let next, !board.isBehind { takeScheduled(by: next, emit) }
    }
    judgeForClient()
  }

  private mutating func pass(
    to end: Instant, within limit: (time: Interval, spent: () -> Interval)?,
    _ emit: (Event) -> Void
  ) {
    followers.toSender.baud = board.device.sendingBaud ?? board.port.plannedBaud
    followers.toSender.format = board.device.sendingFormat
    followers.returnLine?.set(
      baud: followers.toSender.baud, followers.toSender.format, at: board.settled)
    while let due = faults?.nextDeadline, due <= end {
      passBoard(to: due.roundedUpToMicrosecond - .microseconds(1), within: limit, emit)
      // A board that is behind takes it in a later turn.
      if board.isBehind { break }
      takeDisturbed(by: due, emit)
    }
    if faults == nil || !board.isBehind { passBoard(to: end, within: limit, emit) }
    followers.advanceReturn(to: board.settled, emit)
    board.noteDevice()
    noteEffects()
  }

  /// Advances the board, and the servos with it.
  private mutating func passBoard(
    to end: Instant, within limit: (time: Interval, spent: () -> Interval)?,
    _ emit: (Event) -> Void
  ) {
    guard followers.drive != nil else {
      return Self.pass(&board, to: end, within: limit) { followers.pass($0, emit) }
    }
    while let stop = followers.drive?.nextStop, board.now < end {
      let lag = board.now - board.settled
      var events: [Event] = []
      let next = min(end, (stop + lag).roundedUpToMicrosecond)
      Self.pass(&board, to: next, within: limit) {
        followers.drive?.follow($0)
        events.append($0)
      }
      var shown: [Event] = []
      let failure = followers.drive?.advance(to: board.settled) { shown.append($0) }
      var index = shown.startIndex
      func emitShown(before instant: Instant) {
        while index < shown.endIndex, shown[index].time < instant {
          followers.pass(shown[index], emit)
          index += 1
        }
      }
      for event in events {
        emitShown(before: event.time)
        followers.pass(event, isDriven: true, emit)
      }
      emitShown(before: .distantFuture)
      if let failure { fail(failure, emit) }
      if followers.drive?.takeReturnOfPort() == true {
        arrive(.event(.mark(PowerFailure.reopening)), at: board.now, emit)
        arrive(.event(.reset(PowerFailure.bootTime)), at: board.now, emit)
      }
      if board.isBehind { return }
    }
  }

  /// Records a failure of the supply, and restarts what had no power.
  private mutating func fail(_ failure: PowerFailure, _ emit: (Event) -> Void) {
    arrive(.event(.mark(failure.mark)), at: board.now, emit)
    arrive(.event(.fault(failure.strike)), at: board.now, emit)
    if let deadTime = failure.deadTime(from: board.now) {
      arrive(.event(.reset(deadTime)), at: board.now, emit)
    }
    effects.append(.powerFailed(failure))
  }

  private static func pass(
    _ board: inout LiveBoard<D>, to end: Instant,
    within limit: (time: Interval, spent: () -> Interval)?, _ take: (Event) -> Void
  ) {
    if let limit {
      board.pass(to: end, within: limit.time, spent: limit.spent, take)
    } else {
      board.pass(to: end, take)
    }
  }

  // MARK: Faults

  /// Passes what has arrived for the board to the faults, and what they let through at once to the
  /// board.
  private mutating func disturb(_ emit: (Event) -> Void) {
    guard faults != nil else { return }
    board.disturb(by: &faults!) { followers.pass($0, emit) }
  }

  /// Passes to the board what reaches it by an instant.
  private mutating func takeDisturbed(by instant: Instant, _ emit: (Event) -> Void) {
    guard faults != nil else { return }
    board.take(from: &faults!, by: instant) { followers.pass($0, emit) }
  }

  // MARK: Links

  /// How many bytes the session can take from a link now. `slowest` is the lowest speed of what
  /// waits at a client of the port over TCP, in bits a second; nil if nothing does.
  package func credit(_ link: SessionLink, slowest: Int? = nil) -> Int {
    switch link {
    // A client of requests has the line's credit, too, but is refused what is beyond it.
    case .pty, .client: return board.credit
    case .network: return max(0, Self.networkMax - board.backlogCount)
    case .remote:
      // Enough to last until the next turn, but few, because a client can only purge bytes that are
      // not on the line yet. At a low speed, those of half a second.
      let speed = min(board.port.baud, remoteBaud, slowest ?? remoteBaud)
      let ahead = min(max(64, board.port.plannedBaud / 250), max(2, speed / 20))
      // Otherwise each byte that leaves the line would be replaced by one more, as its own event.
      return board.onTheWayCount <= ahead / 2 ? ahead - board.onTheWayCount : 0
    }
  }

  /// The maximum number of the network's raw bytes that wait for the port, in addition to those
  /// already in it.
  private static var networkMax: Int { 16_384 }

  /// Returns what the board has sent when the clock's present is `clock`, as the programs at the
  /// ports receive it. The network's clients receive it, too.
  ///
  /// - Parameters:
  ///   - isCounted: whether the board's bytes also become events.
  ///   - pty: how the program at the pty reads; nil without one.
  ///   - remote: how the client of the port over TCP reads; nil without one.
  @_specialize(where D == Model)
  package mutating func deliver(
    at clock: Instant, isCounted: Bool, pty: LineReader?, remote: LineReader?,
    _ emit: (Event) -> Void
  ) -> BoardDelivery {
    let now = present(clock)
    let emitted = followers.toSender.take(by: now)
    // The board's own bytes do not pass the faults.
    let early = board.takeForSender()
    let sent = followers.returnLine == nil ? early ?? emitted : emitted
    if !isCounted { followers.counts.addTransmitted(sent.bytes.count) }
    var delivery = BoardDelivery(bytes: sent.bytes)
    if let pty {
      // A pty does not carry the format that its program has set, so it is taken to be the board's.
      delivery.pty = ptyReceiver.receive(sent, at: pty.baud, in: sent.format, by: now)
      if ptyReceiver.hasGarbled { board.noteGarbled(at: pty.baud, from: sent.baud) }
      ptyReceiver.hasGarbled = false
    } else if ptyReceiver.nextDeadline != nil {
      // What was on its way to a program that has closed the port is lost. Otherwise it would be
      // due for ever.
      ptyReceiver = PortReceiver(baud: board.port.plannedBaud)
    }
    if let remote {
      let format = remote.format ?? sent.format
      if !sent.isEmpty { board.noteReading(in: format, from: sent.format) }
      delivery.remote = remoteReceiver.receive(sent, at: remote.baud, in: format, by: now)
      if remoteReceiver.hasGarbled, !PortReceiver.isSame(remote.baud, as: sent.baud) {
        board.noteGarbled(at: remote.baud, from: sent.baud)
      }
      remoteReceiver.hasGarbled = false
    } else if remoteReceiver.nextDeadline != nil {
      remoteReceiver = PortReceiver(baud: board.port.plannedBaud)
    }
    noteEffects()
    if !sent.bytes.isEmpty { tellArbiter(.boardSent(sent.bytes), at: clock, emit) }
    return delivery
  }

  /// Takes how many bytes of a delivery the ports had room for; nil for a port without a reader.
  /// `isOpen`: whether a program has one of them open.
  package mutating func note(
    _ delivery: BoardDelivery, writtenToPty pty: Int?, toRemote remote: Int?, isOpen: Bool
  ) {
    let all = delivery.bytes.count
    let lost = min(
      pty.map { delivery.pty.count - $0 } ?? all, remote.map { delivery.remote.count - $0 } ?? all)
    guard lost > 0 else { return }
    unreadCount += lost
    guard isOpen, !hasReportedUnread else { return }
    hasReportedUnread = true
    effects.append(
      .remark("The sender does not read the board's output; it is lost from here on."))
  }

  // MARK: Inputs

  /// Takes an input that arrives when the clock's present is `clock`. Inputs that were scheduled
  /// for earlier come first.
  @_specialize(where D == Model)
  package mutating func take(
    _ input: SessionInput, at clock: Instant, _ emit: (Event) -> Void
  ) {
    let instant = present(clock)
    if !isNetworkClosed, life.ending == nil { takeScheduled(by: instant, emit) }
    switch input {
    case .level, .signal, .commandEnded, .endKey, .sceneOver, .boardIsStillAway, .closed: break
    default: isReached = true
    }
    switch input {
    case .opened:
      isPtyOpen = true
      if let resetOnOpen { arrive(.event(.reset(resetOnOpen)), at: instant, emit) }
    case .closed: isPtyOpen = false
    case .bytes(let bytes, let sender): receive(bytes, from: sender, at: instant, emit)
    case .speed(let baud, .remote): remoteBaud = baud
    case .speed(let baud, _): arrive(.speed(baud), at: instant, emit)
    case .format(let format, .remote): remoteFormat = format
    case .format(let format, _): arrive(.format(format), at: instant, emit)
    case .breakBegan: arrive(.breakBegan, at: instant, emit)
    case .breakEnded: arrive(.breakEnded, at: instant, emit)
    case .dtr:
      guard let resetOnDTR else { return }
      arrive(.dtr(deadTime: resetOnDTR, edge: clock), at: instant, emit)
    case .level(let input): arrive(.event(.input(input)), at: instant, emit)
    case .network(let event): tellArbiter(event, at: clock, emit)
    case .line(let line):
      let moment = moment(at: instant)
      obey(followers.client?.handle(line, moment), at: instant, emit)
    case .request(let id, let request):
      let moment = moment(at: instant)
      obey(followers.client?.take(request, id, moment), at: instant, emit)
    case .traces(let rules, let id): obey(followers.client?.add(rules, id), at: instant, emit)
    case .clientLeft(let isLast):
      obey(followers.client?.left(isLast: isLast), at: instant, emit)
      if isLast { isEndRequested = true }
    case .signal(let number): endings.append(.signal(number))
    case .commandEnded: endings.append(.commandEnded)
    case .endKey: isEndRequested = true
    case .sceneOver: handle(.sceneOver, at: clock, emit)
    case .boardIsStillAway: handle(.boardIsStillAway, at: clock, emit)
    }
  }

  private mutating func arrive(
    _ arrival: BoardArrival, at instant: Instant, _ emit: (Event) -> Void
  ) {
    board.take(arrival, at: instant) { followers.pass($0, emit) }
    disturb(emit)
  }

  private mutating func receive(
    _ bytes: [UInt8], from sender: SessionLink, at instant: Instant, _ emit: (Event) -> Void
  ) {
    switch sender {
    case .client where hasClientFormat: break
    case .pty, .network, .client: arrive(.adoptFormat(isPty: isPtyOpen), at: instant, emit)
    case .remote:
      // A UART whose line is held low still takes bytes, but they do not reach the line.
      guard !board.port.isInBreak else { return }
      if remoteBaud != board.port.baud { arrive(.speed(remoteBaud), at: instant, emit) }
      if remoteFormat != board.port.format { arrive(.format(remoteFormat), at: instant, emit) }
    }
    arrive(
      life.isBoardAway ? .missed(bytes) : .event(kind(ofSent: bytes, at: instant)), at: instant,
      emit)
  }

  /// Returns what becomes of bytes that are sent at an instant: they are lost while the computer
  /// has no port, because the board's adapter has no power.
  private func kind(ofSent bytes: [UInt8], at instant: Instant) -> Event.Kind {
    guard let drive = followers.drive, instant < drive.portReturns ?? .zero else {
      return .receive(bytes)
    }
    return .fault(FaultStrike(.dropOut, at: .usb16u2, took: bytes))
  }

  /// Takes an event of a list of inputs, which is in order of time.
  package mutating func take(listed event: Event, _ emit: (Event) -> Void) {
    var event = event
    if case .receive(let bytes) = event.kind {
      event.kind = kind(ofSent: bytes, at: max(event.time, now))
    }
    if faults != nil {
      let event = Event(max(event.time, now), event.kind)
      board.delayed?.arrived.append(event)
      disturb(emit)
    } else {
      board.take(listed: event) { followers.pass($0, emit) }
    }
    board.noteDevice()
  }

  /// Takes bytes that the driver has read from the device's descriptor.
  package mutating func arrived(_ bytes: [UInt8]) { board.arrived(bytes) }

  /// Continues with a board that was gone and has been restarted, unless the session is ending.
  package mutating func rejoin(_ device: D, at clock: Instant, _ emit: (Event) -> Void) {
    guard !life.isEnding else { return }
    board.rejoin(device, at: present(clock)) { followers.pass($0, emit) }
    handle(.boardIsBack(bootTime: board.device.bootTime), at: clock, emit)
  }

  /// Continues from an earlier moment. The clock is at `clock` now, which is an `interval` earlier
  /// than it was. What senders have set on their ports since, what the network's clients have done,
  /// and what can end the session, is kept.
  package mutating func goBack(
    to earlier: Session, by interval: Interval, at clock: Instant, _ emit: (Event) -> Void
  ) {
    let later = self
    self = earlier
    life = later.life
    (isPtyOpen, isReached) = (later.isPtyOpen, later.isReached)
    (remoteBaud, remoteFormat) = (later.remoteBaud, later.remoteFormat)
    ptyReceiver = PortReceiver(baud: board.port.plannedBaud)
    remoteReceiver = ptyReceiver
    (unreadCount, hasReportedUnread) = (later.unreadCount, later.hasReportedUnread)
    (endings, isEndRequested) = (later.endings, later.isEndRequested)
    effects = later.effects
    arbiter = later.arbiter
    arbiter?.goBack(by: interval)
    board.keepPort(of: later.board, at: present(clock)) { followers.pass($0, emit) }
    disturb(emit)
  }

  // MARK: The client

  /// Whether the sketch listens, as far as the session shows it.
  package var isListening: Bool { followers.client?.isListening(moment(at: now)) ?? true }

  /// Whether events wait for a client that reads slowly.
  package var isClientBehind: Bool { followers.client?.isBehind ?? false }

  /// What the session is at an instant. The board may not have advanced that far yet.
  private func moment(at instant: Instant) -> APIMoment {
    var moment = APIMoment(now: max(now, instant), settled: board.settled, baud: board.port.baud)
    moment.activity = board.device.activity
    moment.counts = followers.counts
    moment.commands = commandCount
    moment.onTheWay = board.onTheWayCount
    moment.waiting = board.device.waitingCount
    moment.backlog = clientBacklog
    return moment
  }

  private mutating func takeScheduled(by instant: Instant, _ emit: (Event) -> Void) {
    guard let next = followers.client?.nextSend, next <= instant else { return }
    obey(followers.client?.due(by: instant), at: instant, emit)
  }

  /// Reports to the client what has been decided.
  private mutating func judgeForClient() {
    guard followers.client != nil else { return }
    let moment = moment(at: now)
    for case .write(let message) in followers.client?.advance(moment) ?? [] {
      effects.append(.answer(message))
    }
  }

  private mutating func obey(
    _ actions: [APIAction]?, at instant: Instant, _ emit: (Event) -> Void
  ) {
    for action in actions ?? [] {
      switch action {
      case .write(let message): effects.append(.answer(message))
      case .input(let kind, let time, let id):
        take(kind, fromClientAt: time ?? instant, emit)
        if let id { effects.append(.answer(.answer(id, .done(at: now)))) }
      case .watch(let pins): board.watch(pins)
      case .run(let until, let id):
        advance(to: until, emit)
        effects.append(.answer(.answer(id, .done(at: until))))
      case .plot(let trace, let id): effects.append(.plot(trace, for: id))
      case .open(let rule, let id): effects.append(.openTraces(of: rule, for: id))
      case .end: isEndRequested = true
      }
    }
  }

  private mutating func take(
    _ kind: Event.Kind, fromClientAt instant: Instant, _ emit: (Event) -> Void
  ) {
    switch kind {
    case .receive(let bytes): receive(bytes, from: .client, at: instant, emit)
    case .baud(let baud): arrive(.speed(baud), at: instant, emit)
    case .format(let format):
      hasClientFormat = true
      arrive(.format(format), at: instant, emit)
    // A line that another sender holds low is low already.
    case .senderBreak where board.port.isInBreak: break
    default: arrive(.event(kind), at: instant, emit)
    }
  }

  // MARK: The network's clients

  /// Passes the clients' bytes to the line, as many as it has room for.
  @_specialize(where D == Model)
  package mutating func feedLine(at clock: Instant, _ emit: (Event) -> Void) {
    guard arbiter != nil else { return }
    takeScheduled(by: present(clock), emit)
    tellArbiter(.passed, at: clock, emit)
    guard !life.isBoardAway else { return }
    while true {
      let (count, room) = (board.onTheWayCount, credit(.network))
      guard let next = arbiter?.next(waitingCount: count, room: room, at: clock) else { return }
      for action in next.actions { effects.append(.network(action)) }
      receive(next.bytes, from: .network, at: present(clock), emit)
    }
  }

  /// Notifies the clients of what waits and will not be sent, because the driver ends. From now on,
  /// what they do becomes no part of the session. Can be called again.
  package mutating func closeNetwork(at clock: Instant, _ emit: (Event) -> Void) {
    isNetworkClosed = true
    tellArbiter(.over, at: clock, emit)
  }

  private mutating func tellArbiter(
    _ event: Arbiter.Event, at clock: Instant, _ emit: (Event) -> Void
  ) {
    for action in arbiter?.handle(event, at: clock) ?? [] { effects.append(.network(action)) }
    if !isNetworkClosed, life.ending == nil { recordRefused(isLast: false, at: clock, emit) }
  }

  /// Records what the arbiter has refused. `isLast`: the session ends.
  private mutating func recordRefused(
    isLast: Bool, at clock: Instant, _ emit: (Event) -> Void
  ) {
    for message in arbiter?.takeRefused(isLast: isLast) ?? [] {
      arrive(.event(.refused(message)), at: present(clock), emit)
    }
  }

  // MARK: Its life

  /// Decides at the end of a turn, so that an ending cuts nothing off, whether the session goes on.
  /// `unread` is the number of the senders' bytes that have arrived but were not taken yet.
  @_specialize(where D == Model)
  package mutating func decide(
    at clock: Instant, unread: Int = 0, _ emit: (Event) -> Void
  ) {
    if life.isStarting {
      handle(.waited(lag: board.device.capabilities.lag), at: clock, emit)
    }
    if let fault = board.device.fault { handle(.boardFailed(fault), at: clock, emit) }
    for ending in endings where !life.isEnding {
      switch ending {
      case .signal(let number): handle(.signal(number), at: clock, emit)
      case .commandEnded: handle(commandEnded(at: clock, unread: unread), at: clock, emit)
      }
    }
    endings = []
    if isEndRequested { handle(.endKey, at: clock, emit) }
    handle(.passed, at: clock, emit)
    if life.isAboutToEnd(at: clock) {
      handle(.undecided(until: settles(from: clock)), at: clock, emit)
    }
    // A board that is behind has not done yet what the command has sent.
    let undone = board.isBehind ? 1 : 0
    let onTheWay = board.onTheWayCount + unread + undone
    handle(.line(onTheWay: onTheWay, waiting: board.device.waitingCount), at: clock, emit)
    // By now the network may have begun to leave, which can send a last command.
    let isDrained = arbiter?.isDrained ?? true
    handle(
      .network(isDrained: isDrained && board.onTheWayCount + unread == 0), at: clock, emit)
  }

  private func commandEnded(at clock: Instant, unread: Int) -> SessionLife.Event {
    let byteTime = ByteClock.byteTime(baud: board.port.plannedBaud).nanoseconds
    return .commandEnded(
      earliest: max(settles(from: clock), followers.client?.nextDeadline ?? clock),
      backlog: .nanoseconds(Int64(board.onTheWayCount + unread) * byteTime))
  }

  private mutating func handle(
    _ event: SessionLife.Event, at clock: Instant, _ emit: (Event) -> Void
  ) {
    for action in life.handle(event, at: clock) {
      switch action {
      case .startCommand: effects.append(.startCommand)
      case .missBoard(let error):
        effects.append(.boardIsGone(error))
        arrive(.event(.mark("unplugged")), at: present(clock), emit)
        tellArbiter(.boardIsGone, at: clock, emit)
      case .lookForBoard: effects.append(.lookForBoard)
      case .welcomeBoard(let time):
        effects.append(.remark("The board is back."))
        tellArbiter(.boardIsBack(bootTime: time), at: clock, emit)
      case .leave:
        tellArbiter(.leaving, at: clock, emit)
        feedLine(at: clock, emit)
      case .reportUntaken: reportUntaken()
      case .end(let instant):
        tellArbiter(.over, at: clock, emit)
        recordRefused(isLast: true, at: clock, emit)
        effects.append(.end(at: instant))
      }
    }
  }

  private mutating func reportUntaken() {
    guard let arbiter else { return }
    let kind = arbiter.settings.isRaw ? "bytes" : "commands"
    effects.append(
      .remark(
        "The board did not take everything in time: \(kind) waiting: \(arbiter.waitingCount), "
          + "bytes in transit: \(board.device.untakenCount)."))
  }

  /// Ends the session at an instant of its own time. `isMarked`: whether a mark states the end,
  /// because the header does not.
  package mutating func finish(
    at instant: Instant, isMarked: Bool = true, _ emit: (Event) -> Void
  ) {
    if !board.isBehind { takeDisturbed(by: instant, emit) }
    // The mark of the end passes no fault.
    board.delayed = nil
    board.finish(at: instant, isMarked: isMarked) { followers.pass($0, emit) }
    followers.advanceReturn(to: now, emit)
    noteEffects()
  }

  /// The faults that have not struck, and a sentence about them; nil if all have.
  package var unstruck: [FaultSpec] {
    (faults?.unstruck ?? []) + (followers.returnLine?.unstruck ?? [])
  }
  package var unstruckNote: String? { plan?.note(unstruck: unstruck) }

  /// Returns the judge's verdict after the end; nil if there is none.
  package mutating func verdict() -> Verdict? {
    let end = now
    return followers.judge?.finish(at: end)
  }

  /// Returns the result of the rules after the end; nil if there are none.
  package mutating func ruleReport(sender: SenderOutcome?) -> RuleReport? {
    let end = now
    var report = followers.rules?.finish(at: end, sender: sender)
    if sender != nil, !isReached { report?.explain(Self.unreached) }
    return report
  }

  /// Judges the client's rules after the end. Returns whether one has failed.
  package mutating func judgeClientRules() -> Bool {
    let end = now
    let backlog = clientBacklog
    for case .write(let message) in followers.client?.finish(at: end, backlog: backlog) ?? [] {
      effects.append(.answer(message))
    }
    return followers.client.map { $0.rules.failedCount > 0 } ?? false
  }

  /// What is said of a command that made no use of its port.
  package static var unreached: String {
    "the sender never opened its port; its path is in SENTRY_PORT (a program that uses "
      + "libserialport can open no pty)"
  }

  /// The last message to the client, when the program ends with `status`; nil without a client.
  package func lastMessage(_ status: ExitStatus) -> APIMessage? {
    followers.client?.over(status: status)
  }

  // MARK: Effects

  /// Returns what the driver has to do since the last call, in order.
  @_specialize(where D == Model)
  package mutating func takeEffects() -> [SessionEffect] {
    noteEffects()
    guard !effects.isEmpty else { return [] }
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  /// Passes on what the board has done that no event shows.
  private mutating func noteEffects() {
    for effect in board.takeEffects() {
      switch effect {
      case .remark(let line): effects.append(.remark(line))
      case .wrongSpeed(let wrong):
        followers.rules?.note(wrong)
        followers.client?.record.note(wrong)
      case .boardSpeed(let baud):
        followers.rules?.note(boardBaud: baud)
        followers.client?.record.note(boardBaud: baud)
      }
    }
  }
}
