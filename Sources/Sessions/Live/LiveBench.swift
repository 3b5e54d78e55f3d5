import ComPort
import Devices
import Engine
import Gateway
import Networking
import Platform
import RemotePorts
import Serial
import SystemPackage
import Traces
import Turret
import Verification

/// A live session in real time, one turn at a time: takes input, advances the device, and passes on
/// its output. Between turns, a loop waits for what the last one returned.
///
/// `SessionLife` decides when and how the session ends; this carries it out.
final class LiveBench<Source: DeviceSource>: NetworkBench {
  typealias D = Source.Made

  /// The maximum number of the network's raw bytes that wait for the port, in addition to those
  /// already in it.
  private static var rawMax: Int { 16_384 }
  /// How much of the computer's time a turn can take to advance the device, and to find when it
  /// next does something. Signals and clients wait for the end of a turn.
  private static var turnMax: Interval { .milliseconds(20) }
  private static var searchMax: Interval { .milliseconds(5) }

  let plan: LivePlan
  let surroundings: LiveSurroundings
  /// Looks for a board that was unplugged; nil if the session does not wait for it.
  let search: BoardSearch<Source>?
  /// Becomes readable when signals arrive; nil if the session does not handle them.
  let signals: FileDescriptor?
  var pty: PtyPort?
  /// The port over TCP; nil if there is none.
  let remote: RemotePort?
  let network: ArbiterRunner?
  /// Serves the requests of a client; nil if there can be no client.
  var api: APIRunner? { outputs.api }
  var session: Session<D>
  let outputs: LiveSinks
  let view: LiveView?
  var pacer = Pacer()
  var backlog = BoardBacklog()
  let command: LiveCommand
  /// The levels and voltages that another program writes; nil without --inputs.
  let pinInputs: PinInputs?
  var pinKeys: PinKeys
  var life: SessionLife
  /// The signals since the last turn.
  var arrivedSignals: [CInt] = []
  /// Whether the key that ends the session was pressed, or a client of --api has ended it.
  var isEndRequested = false
  /// When the device next does something, as of the last turn. The plan's deadline is a little
  /// earlier.
  var due: Instant?
  var hasReportedUnread = false
  /// The speed that the client of the port over TCP has set, in bits a second, and its format. They
  /// become the sender's with its next byte.
  var remoteBaud: Int
  var remoteFormat = LineFormat.standard
  /// Whether a client of --api has set a format.
  var hasAPIFormat = false
  /// The receivers of the two ports, which sample the board's bytes.
  var ptyReceiver: PortReceiver
  var remoteReceiver: PortReceiver
  var history = History<LiveMoment<D>>()
  /// The number of bytes from the board that no sender read.
  var unread = 0

  init(
    _ plan: LivePlan, _ surroundings: LiveSurroundings, _ search: BoardSearch<Source>?,
    _ pty: consuming PtyPort?, _ remote: RemotePort?, _ network: ArbiterRunner?,
    _ session: Session<D>, _ outputs: LiveSinks, _ view: LiveView?
  ) throws(Failure) {
    self.plan = plan
    self.surroundings = surroundings
    self.search = search
    self.pty = pty
    self.remote = remote
    remoteBaud = plan.session.baud
    ptyReceiver = PortReceiver(baud: plan.session.baud)
    remoteReceiver = PortReceiver(baud: plan.session.baud)
    self.network = network
    self.session = session
    self.outputs = outputs
    self.view = view
    command = LiveCommand(
      plan.command, environment: surroundings.environment, keepsErrors: plan.reportsSender)
    pinInputs = try plan.inputPath.map { (path) throws(Failure) in try PinInputs(path) }
    pinKeys = PinKeys(surroundings.inputs)
    life = SessionLife(
      end: plan.end, hasNetwork: network != nil, rejoins: search != nil,
      commandLimit: plan.commandLimit)
    // Without a view, stopping the process is left to the system.
    signals =
      surroundings.handlesSignals
      ? try SignalQueue.open([SIGCHLD, SIGCONT] + (view == nil ? [] : [SIGWINCH, SIGTSTP])) : nil
  }

  /// Runs without a network, in a loop around one wait, until the session ends.
  func run() throws(Failure) -> SessionLife.Ending {
    defer { close() }
    begin()
    var reason = TurnReason.work
    while true {
      switch try turn(reason) {
      case .over(let ending): return ending
      case .wait(let plan):
        let descriptors = plan.descriptors + (plan.stream.map { [$0] } ?? [])
        let ready = Poller.wait(
          descriptors.map(FileDescriptor.init(rawValue:)),
          timeout: plan.deadline.map { $0 - .now })
        reason = ready.isEmpty ? .deadline : .readable(ready.map(\.rawValue))
      }
    }
  }

  /// Handles everything that has arrived or is due. Returns what to wait for, or after the last
  /// turn how the session ended.
  ///
  /// The order of the steps matters:
  ///
  ///  1. The command starts before any input is taken, so that a command that cannot be started
  ///     ends an empty session.
  ///  2. Keys are handled before input: bytes in the port when the session is rewound are received
  ///     by the rewound board.
  ///  3. Input is taken before time advances: each input is stamped with its own reading of the
  ///     clock, and time then advances to an instant after all of them. That of a client of --api
  ///     comes first, because it can have an earlier time of its own.
  ///  4. Whether transmitted bytes become events is decided before the device makes any.
  ///  5. Time advances: the device's outputs become events, and queued bytes leave the line. A
  ///     device that needs too long continues in the next turn, and until it has caught up, input
  ///     is stamped with the instant at which it is. If it is known to be slow, it also advances
  ///     before input is taken, since taking input advances it to the stamp.
  ///  6. The board's bytes are delivered before anything else is done. A sender waits for its
  ///     answer, but nothing waits for the rest.
  ///  7. The network's input is taken a second time, because the line may have room now.
  ///     Otherwise the next command would be sent a turn later.
  ///  8. Senders are held or released when the number of bytes on their way is final. These bytes
  ///     may be the only thing that would wake the bench, so a sender must not stay held for them.
  ///  9. Remarks, the recording, the moment to rewind to, and the view follow, because only people
  ///     read them. The moment includes everything recorded, and the view shows it.
  /// 10. The session's life decides last, so that an ending does not cut off anything in this turn.
  /// 11. Dashboards, and status requests until the next turn, receive the state at the end of this
  ///     one.
  func turn(_ reason: TurnReason) throws(Failure) -> TurnOutcome<SessionLife.Ending> {
    let begin = HostTime.now
    if reason != .work { woke(isTimeout: reason == .deadline) }
    if session.isSlow { advance(since: begin) }
    try decide(.turnBegan(lag: session.device.capabilities.lag), at: pacer.now)
    obeyKeys()
    command.errors?.pass()
    api?.begin(on: self)
    takePinInputs()
    try takeInput()
    takeNetworkInput()
    let showsTransmits = session.setShowsTransmits(outputs.areUsed)
    outputs.toSender.baud = session.device.sendingBaud ?? plan.session.baud
    outputs.toSender.format = session.device.sendingFormat
    let clock = advance(since: begin)
    let now = self.now
    try deliver(by: now, isCounted: showsTransmits)
    api?.advance(on: self)
    takeNetworkInput()
    try holdOrRelease()
    session.noteDevice()
    carryOutEffects()
    for line in try outputs.flush(at: session.settled, isQuiet: session.isQuiet) { report(line) }
    remember(at: now)
    reportBacklog(at: clock)
    draw(at: now, clock)
    try decide(at: clock)
    setStatus()
    showDashboards(at: now, clock)
    if let ending = life.ending { return .over(ending) }
    let searchBegin = HostTime.now
    due =
      session.isBehind
      ? nil : session.nextDeadline(within: Self.searchMax) { HostTime.now - searchBegin }
    return .wait(waitPlan)
  }

  /// The session's present: that of the clock, or the instant at which the device is if it is
  /// behind.
  var now: Instant { session.isBehind ? session.now : min(pacer.now, life.lastInstant) }

  /// Advances the device to the clock's present in a turn that began at `begin`, as far as the
  /// turn's time allows. Returns the clock's present.
  @discardableResult
  private func advance(since begin: HostTime) -> Instant {
    let clock = min(pacer.now, life.lastInstant)
    session.pass(to: clock, within: Self.turnMax) {
      HostTime.now - begin
    } _: {
      outputs.put($0)
    }
    return clock
  }

  /// Notes that a wait has ended. `isTimeout` is whether the planned time came before any input.
  private func woke(isTimeout: Bool) {
    if let signals { arrivedSignals += SignalQueue.take(from: signals) }
    // After a stop (Ctrl-Z) the bench catches up; the wait itself was not late.
    if isTimeout, arrivedSignals.isEmpty, let due { pacer.woke(for: due) }
  }

  /// Takes what has arrived through the port.
  func takeInput() throws(Failure) {
    do throws(SerialError) {
      for event in try pty?.look(room: session.credit) ?? [] {
        switch event {
        case .opened:
          if plan.isVerbose { report("A sender has opened the port.") }
          if let deadTime = plan.resetOnOpen { take(.reset(deadTime)) }
        case .closed:
          if plan.isVerbose { report("No sender has the port open any more.") }
        case .parity:
          report(
            "A sender has set a parity. A pty carries none, so the bytes are taken to be in the "
              + "format that the board expects; --rfc2217 carries it.")
        case .replaced(let path): try surroundings.port?.lead(to: path)
        case .baud(let baud): setSpeed(to: baud)
        case .bytes(let bytes):
          adoptFormat()
          receive(bytes)
        }
      }
    } catch {
      throw Failure(error)
    }
    takeRemoteInput()
  }

  /// Takes the network clients' bytes, as many as the line has room for.
  func takeNetworkInput() {
    guard let network else { return }
    network.expire()
    recordRefused()
    guard !life.isBoardAway else { return }
    while let bytes = network.next(
      waitingCount: session.onTheWayCount, room: Self.rawMax - session.backlogCount)
    {
      adoptFormat()
      receive(bytes)
    }
  }

  /// Records what the network has refused. `isLast` is whether the session is about to end.
  func recordRefused(isLast: Bool = false) {
    for message in network?.takeRefused(isLast: isLast) ?? [] { take(.refused(message)) }
  }

  /// Holds senders while many bytes are on their way. This check comes last before waiting: the
  /// bytes on their way may be the only thing that would wake the bench.
  func holdOrRelease() throws(Failure) {
    remote?.settle(isIdle: session.onTheWayCount == 0)
    guard let holds = session.holdsSenders else { return }
    try Failure.ofPort { () throws(SerialError) in try pty?.hold(holds) }
  }

  /// Takes a sender's bytes, at an instant that is not later than now, or now.
  func receive(_ bytes: [UInt8], at instant: Instant? = nil) {
    let now = min(instant ?? self.now, life.lastInstant)
    if life.isBoardAway {
      session.miss(bytes, at: now) { outputs.put($0) }
    } else {
      session.take(.receive(bytes), at: now) { outputs.put($0) }
    }
  }

  func take(_ kind: Event.Kind) {
    session.take(kind, at: now) { outputs.put($0) }
  }

  func setSpeed(to baud: Int) {
    session.setSpeed(to: baud, at: now) { outputs.put($0) }
    carryOutEffects()
  }

  func setFormat(to format: LineFormat) {
    session.setFormat(to: format, at: now) { outputs.put($0) }
    carryOutEffects()
  }

  func adoptFormat() {
    session.adoptFormat(isPty: pty?.isOpen == true, at: now) { outputs.put($0) }
    carryOutEffects()
  }

  /// Carries out what the session has decided.
  func carryOutEffects() {
    for effect in session.takeEffects() {
      switch effect {
      case .remark(let line): report(line)
      case .wrongSpeed(let wrong): outputs.note(wrong)
      case .boardSpeed(let baud): outputs.note(boardBaud: baud)
      }
    }
  }

  func report(_ line: String) {
    if let view { view.warn(line) } else { surroundings.notices.report(line) }
  }
}

// The beginning and the end: reports events to the session's life, and carries out what it decides.
extension LiveBench {
  /// Returns how the command after `--` ended; nil if there was none.
  func senderReport(_ ending: SessionLife.Ending) -> SenderReport? {
    command.report(ending, limit: plan.end.map { $0 - .zero })
  }

  /// A summary of what the network's clients have sent and the board never received; nil if there
  /// is nothing.
  var unsentSummary: String? { network.flatMap { $0.counts.unsentSummary(isRaw: $0.isRaw) } }

  /// The number of commands that the sketch has taken; nil if that cannot be observed.
  var commandCount: Int? {
    session.device.capabilities.reportsFates ? session.ledger.commands : nil
  }

  /// When the session ended, in its own time.
  var end: Instant { session.now }

  /// Starts the session's clock.
  func begin() {
    view?.enter()
    session.begin(surroundings.inputs) { outputs.put($0) }
    Poller.sharpenTimers()
    skipStartUp()
    pacer = Pacer(since: session.device.origin ?? .now + (.zero - session.now))
  }

  /// How long a sketch is given to start, of its own time and of the computer's. One that has not
  /// started by then is not waited for.
  private static var startUpMax: Interval { .seconds(10) }

  /// Lets a device in virtual time run until its sketch listens.
  private func skipStartUp() {
    guard plan.skipsStartUp, session.device.origin == nil, let api else { return }
    let begin = HostTime.now
    while !api.isListening(on: self), session.now < .zero + Self.startUpMax,
      HostTime.now - begin < Self.startUpMax
    {
      session.pass(to: session.now + .milliseconds(1)) { outputs.put($0) }
      api.advance(on: self)
    }
  }

  /// Releases everything after the session has ended or failed.
  func close() {
    view?.leave()
    if let signals { command.end(signals: signals) }
  }

  /// Reports to the session's life what has happened by the end of a turn.
  func decide(at now: Instant) throws(Failure) {
    if let fault = session.device.fault { try decide(.boardFailed(fault), at: now) }
    try obeySignals(at: now)
    if isEndRequested { try decide(.endKey, at: now) }
    try decide(.passed, at: now)
    let board = session.device.waitingCount
    if life.isAboutToEnd(at: now) {
      try decide(.undecided(until: outputs.settles(from: now)), at: now)
    }
    // A board that is behind has not done yet what the command has sent.
    let undone = session.isBehind ? 1 : 0
    try decide(.line(onTheWay: totalOnTheWay + undone, waiting: board), at: now)
    // Counted again, because the session may just have begun to leave.
    let isDrained = network?.isDrained != false && totalOnTheWay == 0
    try decide(.network(isDrained: isDrained), at: now)
  }

  func decide(_ event: SessionLife.Event, at now: Instant) throws(Failure) {
    for action in life.handle(event, at: now) { try carryOut(action, at: now) }
  }

  private func obeySignals(at now: Instant) throws(Failure) {
    defer { arrivedSignals = [] }
    for number in arrivedSignals where !life.isEnding {
      switch number {
      case SIGCHLD:
        command.updateStatus()
        if command.status != nil { try decide(commandEnded(at: now), at: now) }
      case SIGWINCH: view?.resized()
      case SIGTSTP: view?.suspend()
      default:
        if SignalQueue.ending.contains(number) { try decide(.signal(number), at: now) }
      }
    }
  }

  private func commandEnded(at now: Instant) -> SessionLife.Event {
    let byteTime = ByteClock.byteTime(baud: plan.session.baud).nanoseconds
    return .commandEnded(
      earliest: max(outputs.settles(from: now), api?.nextDeadline ?? now),
      backlog: .nanoseconds(Int64(totalOnTheWay) * byteTime))
  }

  private func carryOut(_ action: SessionLife.Action, at now: Instant) throws(Failure) {
    switch action {
    case .startCommand: try command.start()
    case .missBoard(let error):
      report(error.description)
      report(
        outputs.isWritten
          ? "Recording resumes when the board is back." : "The bench keeps looking for it.")
      take(.mark("unplugged"))
      network?.boardIsGone()
    case .lookForBoard: try decide(lookForBoard(), at: now)
    case .welcomeBoard(let time):
      report("The board is back.")
      network?.boardIsBack(bootTime: time)
    case .leave:
      network?.beginLeaving()
      takeNetworkInput()
    case .reportUntaken: reportUntaken()
    case .end(let instant):
      recordRefused(isLast: true)
      session.finish(at: instant) { outputs.put($0) }
      try outputs.finish()
    }
  }

  private func lookForBoard() -> SessionLife.Event {
    guard let origin = session.device.origin, let device = search?.find(since: origin) else {
      return .boardIsStillAway
    }
    session.rejoin(device, at: now) { outputs.put($0) }
    return .boardIsBack(bootTime: session.device.bootTime)
  }

  private func reportUntaken() {
    guard let network else { return }
    let kind = network.isRaw ? "bytes" : "commands"
    report(
      "The board did not take everything in time: \(kind) waiting: \(network.waitingCount), "
        + "bytes in transit: \(session.device.untakenCount).")
  }
}

// Input from the port over TCP (RFC 2217).
extension LiveBench {
  /// How many bytes are put on the line in advance: enough to last until the next turn, but few,
  /// because a client can only purge bytes that are not on the line yet. At a low speed, those of
  /// half a second.
  private var remoteAhead: Int {
    let speed = min(session.port.baud, remoteBaud, remote?.slowestWaiting ?? remoteBaud)
    return min(max(64, plan.session.baud / 250), max(2, speed / 20))
  }

  /// The number of the senders' bytes that have not reached the board yet.
  var totalOnTheWay: Int { session.onTheWayCount + (remote?.waitingCount ?? 0) }

  func takeRemoteInput() {
    guard let remote else { return }
    for event in remote.look() { handle(event) }
    let onTheWay = session.onTheWayCount
    // Otherwise each byte that leaves the line would be replaced by one more, as its own event.
    guard onTheWay <= remoteAhead / 2 else { return }
    for item in remote.takeForLine(room: remoteAhead - onTheWay) { put(item) }
  }

  private func handle(_ event: RemotePort.Event) {
    switch event {
    case .opened(let peer):
      if plan.isVerbose { report("\(peer) has opened the RFC 2217 port.") }
      resetByDTR()
    case .closed(let refused, let ignored):
      guard plan.isVerbose else { return }
      report(
        "The RFC 2217 client has disconnected. Other clients refused in the meantime: \(refused); "
          + "commands ignored: \(ignored).")
    case .dropped(let count):
      report(
        "\(String(counting: count, "byte")) of an RFC 2217 client that has left will not be sent.")
    case .foreign(let kind, let peer):
      report("\(peer) was refused: it begins as \(kind.name), not as a client of RFC 2217.")
    case .refused(let peer):
      report("\(peer) was refused: another client has the RFC 2217 port.")
    case .restart: resetByDTR()
    }
  }

  private func resetByDTR() {
    guard let deadTime = plan.resetOnDTR else { return }
    session.restart(deadTime: deadTime, at: now) { outputs.put($0) }
  }

  private func put(_ item: LineItem) {
    switch item {
    case .speed(let baud): remoteBaud = baud
    case .format(let format): remoteFormat = format
    case .bytes(let bytes):
      // A UART whose line is held low still takes bytes, but they do not reach the line.
      guard !session.port.isInBreak else { return }
      if remoteBaud != session.port.baud { setSpeed(to: remoteBaud) }
      if remoteFormat != session.port.format { setFormat(to: remoteFormat) }
      receive(bytes)
    case .breakBegan: session.beginBreak(at: now) { outputs.put($0) }
    case .breakEnded: session.endBreak(at: now) { outputs.put($0) }
    }
  }
}

// Output: the board's bytes to the senders, the picture to the view and the dashboards.
extension LiveBench {
  /// Delivers the board's bytes to the senders. `isCounted` is whether they also become events.
  func deliver(by now: Instant, isCounted: Bool) throws(Failure) {
    let emitted = outputs.toSender.take(by: now)
    let sent = session.takeForSender() ?? emitted
    if !sent.isEmpty {
      if !isCounted { outputs.put(transmitted: sent.bytes, by: now) }
      network?.deliver(sent.bytes)
    }
    guard pty != nil || remote != nil else { return }
    let lost = min(deliverToRemote(sent, by: now), try deliverToPty(sent, by: now))
    guard lost > 0 else { return }
    unread += lost
    if pty?.isOpen == true || remote?.isOpen == true, !hasReportedUnread {
      hasReportedUnread = true
      report("The sender does not read the board's output; it is lost from here on.")
    }
  }

  /// Returns the number of bytes that the pty had no room for. All of them if it is not open.
  private func deliverToPty(_ sent: SentBytes, by now: Instant) throws(Failure) -> Int {
    guard pty?.isOpen == true, let baud = pty?.readerBaud else { return sent.bytes.count }
    // A pty does not carry the format that its program has set, so it is taken to be the board's.
    let bytes = ptyReceiver.receive(sent, at: baud, in: sent.format, by: now)
    if ptyReceiver.hasGarbled {
      ptyReceiver.hasGarbled = false
      session.noteGarbled(at: baud, from: sent.baud)
      carryOutEffects()
    }
    guard !bytes.isEmpty else { return 0 }
    return try Failure.ofPort { () throws(SerialError) in
      bytes.count - (try pty?.write(bytes) ?? 0)
    }
  }

  /// Returns the number of bytes that the client of the port over TCP had no room for. All of them
  /// if there is none.
  private func deliverToRemote(_ sent: SentBytes, by now: Instant) -> Int {
    guard let remote, let baud = remote.readerBaud else { return sent.bytes.count }
    let format = remote.readerFormat
    if !sent.isEmpty { session.noteReading(in: format, from: sent.format) }
    let bytes = remoteReceiver.receive(sent, at: baud, in: format, by: now)
    if remoteReceiver.hasGarbled {
      remoteReceiver.hasGarbled = false
      if !PortReceiver.isSame(baud, as: sent.baud) {
        session.noteGarbled(at: baud, from: sent.baud)
      }
    }
    carryOutEffects()
    return bytes.isEmpty ? 0 : bytes.count - remote.write(bytes)
  }

  /// Sets what the network's status requests report.
  func setStatus() {
    network?.benchStatus.boardFailure = session.device.fault?.description
    network?.benchStatus.degrees = outputs.counts.degrees
    network?.benchStatus.recording = outputs.recordingHealth
  }

  /// Reports a board that is slower than real time, when the clock's present is `clock`.
  func reportBacklog(at clock: Instant) {
    backlog.note(session.isBehind ? clock - session.now : .zero)
    if let line = backlog.takeReport() { report(line) }
  }

  /// Shows the state at `now` on the dashboards, when the clock's present is `clock`.
  func showDashboards(at now: Instant, _ clock: Instant) {
    guard let network, network.dashboards.isWatched,
      let message = outputs.dashboard?.message(
        of: session, outputs.counts, lateness: pacer.lateness,
        withHistory: network.dashboards.needsHistory, at: now, clock: clock)
    else { return }
    network.show(message)
  }

  func draw(at now: Instant, _ clock: Instant) {
    view?.draw(
      session, outputs.counts,
      clients: (pty?.clientCount ?? 0) + (remote?.isOpen == true ? 1 : 0)
        + (network?.clientCount ?? 0),
      unread: unread,
      lateness: pacer.lateness, behind: backlog.behind, at: now, clock: clock)
  }
}

// The keys of the view: one rewinds the session, one ends it, and digits change pins, as another
// program can.
extension LiveBench {
  /// How far one key press rewinds the session.
  private static var stepBack: Interval { .seconds(5) }

  /// Keeps the present state, to rewind to.
  func remember(at now: Instant) {
    guard let view, surroundings.refusalToGoBack == nil else { return }
    history.keep(
      LiveMoment(
        session: session, counts: outputs.counts, toSender: outputs.toSender, shaft: view.shaft),
      at: now)
  }

  func obeyKeys() {
    for key in view?.takeKeys() ?? [] {
      switch key {
      case UInt8(ascii: "b"): goBack()
      case UInt8(ascii: "q"): isEndRequested = true
      default:
        if let input = pinKeys.press(key) {
          take(.input(input))
          view?.showNotice(PinKeys.notice(input))
        }
      }
    }
  }

  /// Takes the levels and voltages that another program has written.
  func takePinInputs() {
    for arrival in pinInputs?.look() ?? [] {
      switch arrival {
      case .input(let input): take(.input(input))
      case .mistake(let message): report(message)
      }
    }
  }

  /// Continues the session from an earlier moment, with the clock, the board and the bytes on their
  /// way as they were then. Settings that senders have made on the port since are kept.
  private func goBack() {
    if let refusal = surroundings.refusalToGoBack ?? network?.refusalToGoBack {
      view?.showNotice(refusal)
      return
    }
    let now = self.now
    guard let (time, moment) = history.goBack(to: now - Self.stepBack), time < now else { return }
    pacer.goBack(by: pacer.now - time)
    backlog = BoardBacklog()
    let later = session
    session = moment.session
    outputs.goBack(to: moment, at: time)
    ptyReceiver = PortReceiver(baud: plan.session.baud)
    remoteReceiver = PortReceiver(baud: plan.session.baud)
    view?.goBack(to: moment)
    network?.wentBack()
    session.keepPort(of: later, at: self.now) { outputs.put($0) }
    view?.showNotice(
      "Rewound to \(time.nanoseconds / 1_000_000_000) s; press b again to go further.")
  }
}

// The requests of a client.
extension LiveBench: APIBench {
  var apiMoment: APIMoment {
    var moment = APIMoment(now: now, settled: session.settled, baud: session.port.baud)
    let device = session.device
    moment.activity = device.activity
    moment.counts = outputs.counts
    moment.commands = commandCount
    moment.onTheWay = session.onTheWayCount
    moment.waiting = device.waitingCount
    return moment
  }

  func take(_ kind: Event.Kind, at instant: Instant?) -> Instant {
    switch kind {
    case .receive(let bytes):
      if !hasAPIFormat { adoptFormat() }
      receive(bytes, at: instant)
    case .baud(let baud): setSpeed(to: baud)
    case .format(let format):
      hasAPIFormat = true
      setFormat(to: format)
    default:
      session.take(kind, at: min(instant ?? now, life.lastInstant)) { outputs.put($0) }
    }
    return session.now
  }

  func watch(_ pins: Set<BoardPin>) { session.watch(pins) }

  // The session runs in real time.
  func run(until end: Instant) {}

  func requestEnd() { isEndRequested = true }
}

// The wait between two turns, for the loop that runs the bench.
extension LiveBench {
  /// The time until a slow reader of the trace or of standard error is tried again.
  private static var watchPeriod: Interval { .milliseconds(20) }

  @Sendable static func wait(_ descriptors: [CInt]) -> [CInt] {
    Poller.readable(of: descriptors)
  }

  /// Takes bytes from the board that were read elsewhere.
  func arrived(_ bytes: [UInt8]) { session.arrived(bytes) }

  /// What to wait for before the next turn.
  var waitPlan: TurnPlan {
    let hasRoom = session.credit > 0
    let others = [
      life.nextDeadline(after: pacer.now),
      outputs.nextRecordingTry.map { $0 + session.device.capabilities.lag },
      outputs.toSender.nextDeadline, ptyReceiver.nextDeadline, remoteReceiver.nextDeadline,
      network?.nextDeadline.map { pacer.now + ($0 - .now) }, view?.nextRedraw(after: pacer.now),
      network?.dashboards.isWatched == true
        ? outputs.dashboard?.nextMessage(after: pacer.now) : nil,
      session.device.patience.map { pacer.now + $0 },
      api?.nextDeadline.map { $0 + session.device.capabilities.lag },
      outputs.isBehind || api?.isBehind == true || command.errors?.isStalled == true
        || remote?.needsRetry == true || (remote?.waitingCount ?? 0) > 0
        ? pacer.now + Self.watchPeriod : nil,
      remote?.deadline.map { pacer.now + ($0 - .now) },
    ]
    let next =
      session.isBehind
      ? pacer.now : (others + [due.map { pacer.wakeUp(for: $0) }]).compactMap { $0 }.min()
    var descriptors = pty?.descriptors(hasRoom: hasRoom) ?? []
    if let signals { descriptors.append(signals) }
    if let keys = view?.keyDescriptor { descriptors.append(keys) }
    if let errors = command.errors?.descriptor { descriptors.append(errors) }
    descriptors += api?.descriptors ?? []
    if let inputs = pinInputs?.descriptor { descriptors.append(inputs) }
    let device = session.device
    return TurnPlan(
      deadline: next == .distantFuture ? nil : next.map { .now + ($0 - pacer.now) },
      descriptors: descriptors.map(\.rawValue) + (remote?.descriptors ?? []),
      stream: device.fault == nil ? device.descriptor : nil)
  }
}

/// The complete state of a live session at one moment, to rewind to.
struct LiveMoment<D: RealTimeDevice>: Sendable {
  var session: Session<D>
  var counts: LiveCounts
  /// Bytes from the board that are on their way to the sender.
  var toSender: TransmitDelay
  var shaft: Shaft
}

/// The search for an unplugged board, in a session that continues without it.
struct BoardSearch<Source: DeviceSource> {
  let source: Source
  let header: Header
  let firmware: Firmware

  /// Returns the board, which has just restarted, for a session whose time 0 was at `origin`; nil
  /// if it is not back.
  func find(since origin: HostTime) -> Source.Made? {
    try? source.rejoin(for: header, firmware: firmware, since: origin)
  }
}
