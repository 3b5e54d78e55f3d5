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
  // board would look up its size, and many would copy it. So would access by way of a property that
  // is computed, so `timeline.board` and `timeline.followers` are written out.

  /// What goes back in time. All else is kept then.
  var timeline: SessionTimeline<D>
  let plan: FaultPlan?
  package internal(set) var life: SessionLife
  var effects: [SessionEffect] = []

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
  /// The number of bytes from the board that no program read.
  package private(set) var unreadCount = 0
  private var hasReportedUnread = false
  /// Whether the client sends in the format that it has set, or in that of a session in virtual
  /// time. If not, it sends in the board's.
  var hasClientFormat = false
  /// What has arrived that can end the session, since the last decision.
  var endings: [SessionInput] = []
  /// Decides which of the network's clients controls the turret, and what waits for the line; nil
  /// without a network.
  package internal(set) var arbiter: Arbiter?
  var isNetworkClosed = false

  /// Whether the key that ends the session was pressed, or a client has ended it.
  var isEndRequested = false

  /// - Parameters:
  ///   - life: when the session ends; nil for one that ends only when its client ends it.
  ///   - isVerbose: whether what the sender does with its port is remarked on even if it is usual.
  package init(_ start: SessionStart<D>, life: SessionLife? = nil, isVerbose: Bool = false) {
    timeline = SessionTimeline(start, isVerbose: isVerbose)
    self.life = life ?? SessionLife(end: nil, hasNetwork: false, rejoins: false)
    plan = start.faults
    remoteBaud = start.setup.baud
  }

  package var board: LiveBoard<D> { _read { yield timeline.board } }

  /// Keeps the inputs that the device takes from now on, for a debugger's copy of it.
  package mutating func keepInputs() { timeline.board.takenInputs = [] }

  /// Returns the inputs that the device has taken since the last call, with their instants.
  package mutating func takeInputs() -> [Event] {
    defer { if timeline.board.takenInputs?.isEmpty == false { timeline.board.takenInputs = [] } }
    return timeline.board.takenInputs ?? []
  }

  /// Changes the device from outside, as a debugger does. Such a session is no recording.
  package mutating func change(_ change: (inout D) -> Void) { change(&timeline.board.device) }
  /// The faults on the way from the sender to the board; nil for none.
  package var faults: FaultyLine? { timeline.faults }

  // MARK: What follows its events

  /// Compares the session with a trace; nil if that was not requested.
  package var judge: TraceJudge? {
    get { timeline.followers.judge }
    set { timeline.followers.judge = newValue }
  }

  /// Judges the session; nil if there are none.
  package var rules: SessionRules? {
    get { timeline.followers.rules }
    set { timeline.followers.rules = newValue }
  }

  package var counts: LiveCounts { timeline.followers.counts }

  /// The servos as machines with mass, and what feeds them; nil if only their commands are of
  /// interest. The board must show pulses.
  package var drive: ServoDrive? {
    _read { yield timeline.followers.drive }
    _modify { yield &timeline.followers.drive }
  }

  /// What the client's session is; nil if there can be no client.
  package var clientSetting: APISetting? { timeline.followers.client?.setting }

  /// Lets clients of a network send.
  package mutating func serve(_ settings: ArbiterSettings) { arbiter = Arbiter(settings, at: now) }

  /// Lets a client make requests.
  package mutating func serve(_ client: APISession) {
    timeline.followers.client = client
    hasClientFormat = client.setting.isVirtual
  }

  /// Whether its own judges use the events of the board's bytes.
  private var usesTransmits: Bool {
    timeline.followers.judge != nil || timeline.followers.rules != nil
      || timeline.followers.client != nil || timeline.followers.returnLine != nil
  }

  /// Sets whether anything else uses the events of the board's bytes. Returns whether there are
  /// such events: a session in virtual time always has them.
  package mutating func setShowsTransmits(_ isUsed: Bool) -> Bool {
    timeline.board.setShowsTransmits(isUsed || usesTransmits)
  }

  /// Until when a session whose sender is done at `now` must continue so that it can be judged.
  package func settles(from now: Instant) -> Instant {
    max(
      timeline.followers.judge?.settles(from: now) ?? now,
      timeline.followers.rules?.settles(from: now) ?? now)
  }

  /// The number of commands that the sketch has taken; nil if that cannot be observed.
  package var commandCount: Int? {
    timeline.board.device.capabilities.reportsFates ? timeline.board.ledger.commands : nil
  }

  // MARK: Time

  /// How far it has advanced.
  package var now: Instant { timeline.board.now }

  /// Lets the session end early, when `isOver` returns true. It is called before each of its steps,
  /// which are short. Then nothing more happens, however far it advances.
  package mutating func end(when isOver: @escaping @Sendable () -> Bool) {
    timeline.board.isOver = isOver
  }

  /// How far it had advanced when it ended early; nil if it did not.
  package var cut: Instant? { timeline.board.cut }

  /// The instant of what happens when the clock's present is `clock`: that of the clock, or the one
  /// at which the board is if it is behind.
  package func present(_ clock: Instant) -> Instant {
    timeline.board.isBehind ? timeline.board.now : min(clock, life.lastInstant)
  }

  /// When it must advance although the board does nothing and nothing arrives; nil if never.
  @_specialize(where D == Model)
  package func nextDeadline(after clock: Instant) -> Instant? {
    var next = life.nextDeadline(after: clock)
    func consider(_ instant: Instant?) {
      if let instant { next = next.map { min($0, instant) } ?? instant }
    }
    if life.isStarting { consider(.zero + timeline.board.device.capabilities.lag) }
    consider(timeline.followers.toSender.nextDeadline)
    consider(timeline.followers.returnLine?.nextDeadline)
    consider(timeline.ptyReceiver.nextDeadline)
    consider(timeline.remoteReceiver.nextDeadline)
    consider(clientDeadline)
    consider(arbiter?.nextDeadline(at: clock))
    return next
  }

  /// What a driver waits for when a turn ends at `clock`.
  @_specialize(where D == Model)
  package func wait(after clock: Instant) -> SessionWait {
    var deadline = nextDeadline(after: clock)
    if let patience = timeline.board.device.patience {
      deadline = min(deadline ?? .distantFuture, clock + patience)
    }
    return SessionWait(
      deadline: deadline, isBehind: timeline.board.isBehind,
      descriptor: timeline.board.device.fault == nil ? timeline.board.device.descriptor : nil,
      hasRoom: credit(.pty) > 0, isClientBehind: isClientBehind,
      lag: timeline.board.device.capabilities.lag)
  }

  /// When the client must be answered although nothing happens; nil if never.
  package var clientDeadline: Instant? {
    let lag = timeline.board.device.capabilities.lag
    return timeline.followers.client?.nextDeadline.map { $0 + lag }
  }

  /// Begins with what is applied to the pins at time 0, in the sender's format.
  package mutating func begin(
    _ inputs: [BoardInput], _ format: LineFormat = .standard, _ emit: (Event) -> Void
  ) {
    timeline.begin(inputs, emit)
    if format != .standard { timeline.arrive(.format(format), at: .zero, emit) }
    handle(.waited(lag: timeline.board.device.capabilities.lag), at: now, emit)
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
      let next = timeline.followers.client?.nextSend.flatMap { $0 <= end ? $0 : nil }
      timeline.pass(to: next.map { $0 - .microseconds(1) } ?? end, within: limit, &effects, emit)
      isThere = next == nil || timeline.board.isBehind
      if let next, !timeline.board.isBehind { takeScheduled(by: next, emit) }
    }
    judgeForClient()
  }

  // MARK: Links

  /// How many bytes the session can take from a link now. `slowest` is the lowest speed of what
  /// waits at a client of the port over TCP, in bits a second; nil if nothing does.
  package func credit(_ link: SessionLink, slowest: Int? = nil) -> Int {
    switch link {
    // A client of requests has the line's credit, too, but is refused what is beyond it.
    case .pty, .client: return timeline.board.credit
    case .network: return max(0, Self.networkMax - timeline.board.backlogCount)
    case .remote:
      // Enough to last until the next turn, but few, because a client can only purge bytes that are
      // not on the line yet. At a low speed, those of half a second.
      let speed = min(timeline.board.port.baud, remoteBaud, slowest ?? remoteBaud)
      let ahead = min(max(64, timeline.board.port.plannedBaud / 250), max(2, speed / 20))
      // Otherwise each byte that leaves the line would be replaced by one more, as its own event.
      return timeline.board.onTheWayCount <= ahead / 2 ? ahead - timeline.board.onTheWayCount : 0
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
    let delivery = timeline.deliver(
      by: present(clock), isCounted: isCounted, pty: pty, remote: remote)
    timeline.noteEffects(&effects)
    if !delivery.bytes.isEmpty { tellArbiter(.boardSent(delivery.bytes), at: clock, emit) }
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
    effects.append(.remark("The sender does not read the board's output; it is lost from here on."))
  }

  // MARK: Inputs

  /// Takes an input that arrives when the clock's present is `clock`. Inputs that were scheduled
  /// for earlier come first.
  @_specialize(where D == Model)
  package mutating func take(_ input: SessionInput, at clock: Instant, _ emit: (Event) -> Void) {
    let instant = present(clock)
    if !isNetworkClosed, life.ending == nil { takeScheduled(by: instant, emit) }
    switch input {
    case .level, .signal, .commandEnded, .endKey, .sceneOver, .boardIsStillAway, .closed: break
    default: isReached = true
    }
    switch input {
    case .opened:
      isPtyOpen = true
      if let resetOnOpen { timeline.arrive(.event(.reset(resetOnOpen)), at: instant, emit) }
    case .closed: isPtyOpen = false
    case .bytes(let bytes, let sender): receive(bytes, from: sender, at: instant, emit)
    case .speed(let baud, .remote): remoteBaud = baud
    case .speed(let baud, _): timeline.arrive(.speed(baud), at: instant, emit)
    case .format(let format, .remote): remoteFormat = format
    case .format(let format, _): timeline.arrive(.format(format), at: instant, emit)
    case .breakBegan: timeline.arrive(.breakBegan, at: instant, emit)
    case .breakEnded: timeline.arrive(.breakEnded, at: instant, emit)
    case .dtr:
      guard let resetOnDTR else { return }
      timeline.arrive(.dtr(deadTime: resetOnDTR, edge: clock), at: instant, emit)
    case .level(let input): timeline.arrive(.event(.input(input)), at: instant, emit)
    case .network(let event): tellArbiter(event, at: clock, emit)
    case .line(let line):
      let moment = moment(at: instant)
      obey(timeline.followers.client?.handle(line, moment), at: instant, emit)
    case .request(let id, let request):
      let moment = moment(at: instant)
      obey(timeline.followers.client?.take(request, id, moment), at: instant, emit)
    case .traces(let rules, let id):
      obey(timeline.followers.client?.add(rules, id), at: instant, emit)
    case .clientLeft(let isLast):
      obey(timeline.followers.client?.left(isLast: isLast), at: instant, emit)
      if isLast { isEndRequested = true }
    case .signal, .commandEnded: endings.append(input)
    case .endKey: isEndRequested = true
    case .sceneOver: handle(.sceneOver, at: clock, emit)
    case .boardIsStillAway: handle(.boardIsStillAway, at: clock, emit)
    }
  }

  mutating func receive(
    _ bytes: [UInt8], from sender: SessionLink, at instant: Instant, _ emit: (Event) -> Void
  ) {
    switch sender {
    case .client where hasClientFormat: break
    case .pty, .network, .client: timeline.arrive(.adoptFormat(isPty: isPtyOpen), at: instant, emit)
    case .remote:
      // A UART whose line is held low still takes bytes, but they do not reach the line.
      guard !timeline.board.port.isInBreak else { return }
      let (baud, format) = (timeline.board.port.baud, timeline.board.port.format)
      if remoteBaud != baud { timeline.arrive(.speed(remoteBaud), at: instant, emit) }
      if remoteFormat != format { timeline.arrive(.format(remoteFormat), at: instant, emit) }
    }
    let kind = timeline.kind(ofSent: bytes, at: instant)
    timeline.arrive(life.isBoardAway ? .missed(bytes) : .event(kind), at: instant, emit)
  }

  /// Takes an event of a list of inputs, which is in order of time.
  package mutating func take(listed event: Event, _ emit: (Event) -> Void) {
    timeline.take(listed: event, emit)
  }

  /// Takes bytes that the driver has read from the device's descriptor.
  package mutating func arrived(_ bytes: [UInt8]) { timeline.board.device.arrived(bytes) }

  /// Continues with a board that was gone and has been restarted, unless the session is ending.
  package mutating func rejoin(_ device: D, at clock: Instant, _ emit: (Event) -> Void) {
    guard !life.isEnding else { return }
    timeline.rejoin(device, at: present(clock), emit)
    handle(.boardIsBack(bootTime: timeline.board.device.bootTime), at: clock, emit)
  }

  /// Continues from an earlier moment. The clock is at `clock` now, which is an `interval` earlier
  /// than it was. What senders have set on their ports since, what the network's clients have done,
  /// and what can end the session, is kept.
  package mutating func goBack(
    to earlier: Session, by interval: Interval, at clock: Instant, _ emit: (Event) -> Void
  ) {
    let later = timeline.board
    timeline = earlier.timeline
    arbiter?.goBack(by: interval)
    timeline.keepPort(of: later, at: present(clock), emit)
  }

  // MARK: Effects

  /// Returns what the driver has to do since the last call, in order.
  @_specialize(where D == Model)
  package mutating func takeEffects() -> [SessionEffect] {
    timeline.noteEffects(&effects)
    guard !effects.isEmpty else { return [] }
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }
}
