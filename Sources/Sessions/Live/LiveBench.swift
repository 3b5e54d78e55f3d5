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
