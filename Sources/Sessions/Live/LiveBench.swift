import Devices
import Gateway
import Platform
import RemotePorts
import Serial
import SystemPackage
import Turret

/// A live session in real time, one turn at a time: takes input, advances the device, and passes on
/// its output. Between turns, a loop waits for what the last one returned.
///
/// `SessionLife` decides when and how the session ends; this carries it out.
final class LiveBench<Source: DeviceSource> {
  typealias D = Source.Made

  let plan: LivePlan
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
  var session: LiveSession<D>
  let outputs: LiveSinks
  let view: LiveView?
  var pacer = Pacer()
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
  var reportedRemarkCount = 0
  /// The speed that the port is set to, in bits a second.
  var senderBaud: Int
  /// The speed that the client of the port over TCP has set, in bits a second.
  var remoteBaud: Int
  /// When the present break on the line began; nil if there is none.
  var breakStart: Instant?
  /// The earliest time at which a client of the port over TCP can restart the board again.
  var restartsFrom = HostTime.now
  var hasReportedFormat = false
  var history = History<LiveMoment<D>>()
  /// The number of bytes from the board that no sender read.
  var unread = 0

  init(
    _ plan: LivePlan, _ search: BoardSearch<Source>?, _ pty: consuming PtyPort?,
    _ remote: RemotePort?, _ network: ArbiterRunner?, _ session: LiveSession<D>,
    _ outputs: LiveSinks, _ view: LiveView?
  ) throws(Failure) {
    self.plan = plan
    self.search = search
    senderBaud = plan.baud
    self.pty = pty
    self.remote = remote
    remoteBaud = plan.baud
    self.network = network
    self.session = session
    self.outputs = outputs
    self.view = view
    command = LiveCommand(
      plan.command, environment: plan.environment, keepsErrors: plan.keepsErrors)
    pinInputs = try plan.inputPath.map { (path) throws(Failure) in try PinInputs(path) }
    pinKeys = PinKeys(plan.inputs)
    life = SessionLife(
      end: plan.end, hasNetwork: network != nil, rejoins: search != nil,
      commandLimit: plan.commandLimit)
    // Without a view, stopping the process is left to the system.
    signals =
      plan.handlesSignals
      ? try SignalQueue.open([SIGCHLD, SIGCONT] + (view == nil ? [] : [SIGWINCH, SIGTSTP])) : nil
  }

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
    session.begin(plan.inputs) { outputs.put($0) }
    Poller.sharpenTimers()
    skipStartUp()
    pacer = Pacer(since: session.device.origin ?? .now + (.zero - session.now))
  }

  /// How long a sketch is given to start. One that has not started by then is not waited for.
  private static var startUpMax: Interval { .seconds(10) }

  /// Lets a device in virtual time run until its sketch listens.
  private func skipStartUp() {
    guard plan.skipsStartUp, session.device.origin == nil, let api else { return }
    while !api.isListening(on: self), session.now < .zero + Self.startUpMax {
      session.pass(to: session.now + .milliseconds(1)) { outputs.put($0) }
      api.advance(on: self)
    }
  }

  /// Handles everything that has arrived or is due. Returns the session's ending after the last
  /// turn.
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
  ///  5. Time advances: the device's outputs become events, and queued bytes leave the line.
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
  func turn() throws(Failure) -> SessionLife.Ending? {
    try decide(.turnBegan(lag: session.device.capabilities.lag), at: pacer.now)
    obeyKeys()
    command.errors?.pass()
    api?.begin(on: self)
    takePinInputs()
    try takeInput()
    takeNetworkInput()
    let now = min(pacer.now, life.lastInstant)
    let showsTransmits = session.setShowsTransmits(outputs.areUsed)
    session.pass(to: now) { outputs.put($0) }
    try deliver(by: now, isCounted: showsTransmits)
    api?.advance(on: self)
    takeNetworkInput()
    try holdOrRelease()
    reportRemarks()
    try flush()
    remember(at: now)
    draw(at: now)
    try decide(at: now)
    setStatus()
    showDashboards(at: now)
    return life.ending
  }

  /// Releases everything after the session has ended or failed.
  func close() {
    view?.leave()
    if let signals { command.end(signals: signals) }
  }

  func report(_ line: String) {
    if let view { view.warn(line) } else { plan.notices.report(line) }
  }
}
