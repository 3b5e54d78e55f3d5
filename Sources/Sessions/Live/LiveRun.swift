import ChipDevice
package import Devices
package import Engine
package import Judging
import Logging
package import Network
import Pictures
import Platform
package import Serial
package import Sketches
import SystemPackage
import Traces

/// A live session from its first to its last line of output: sets up what the plan needs, runs it
/// and reports the result.
package struct LiveRun: ~Copyable {
  private let plan: LivePlan
  private let host: LiveHost
  /// The trace by which the session is judged; nil for none. It is read once there is a device.
  private var expected: ExpectedTrace?

  package init(_ plan: LivePlan, judgedBy expected: consuming ExpectedTrace? = nil) {
    self.plan = plan
    self.expected = expected
    host = .command
  }

  init(_ plan: LivePlan, for host: LiveHost) {
    self.plan = plan
    self.host = host
  }

  /// Runs the session to its end. Throws if it cannot begin or cannot continue; any other failure
  /// is in the outcome.
  package consuming func run() throws -> LiveOutcome { try run(on: plan.source) }

  private mutating func run(on source: some DeviceSource) throws -> LiveOutcome {
    if !plan.awaitsBoard { try check(source) }
    var links = LiveLinks(notices: notices)
    links.rig = try plan.rig.map { (plan) throws(Failure) in
      try LiveRig(plan, CameraPictures(), on: HostSystem.shared)
    }
    links.port = try openPort()
    links.remote = try plan.openLink?(plan.session.baud)
    let debugPort = try plan.gdb?.listen()
    // Not opened earlier, so that a mistake in the command does not destroy an existing recording.
    let isOfCommand = !plan.command.isEmpty && !plan.keepsFailedRecording
    let isPrivate = plan.network != nil || plan.openLink != nil
    let recording = try plan.recording.map { (path) throws(Failure) in
      try LiveRecording(path, plan.rotation, isOfCommand: isOfCommand, isPrivate: isPrivate)
    }

    links.network = try openNetwork(camera: links.rig?.pictures)
    if case .client(let mailbox) = host {
      links.client = mailbox
    } else {
      links.client = try plan.api.map { (path) throws(Failure) in try APIPort(path) }
    }
    // Last, because the session of a real board begins here.
    let start = try plan.session.begin(on: source, awaitsBoard: plan.awaitsBoard)
    if plan.verbosity != .quiet {
      let baud = plan.session.baud
      for note in source.speedNotes(at: baud, speed: source.findSpeed(), "the session is") {
        notices.report(note)
      }
    }
    let capabilities = start.device.capabilities
    var shown = start.setup
    // A trace can also expect what the session's own does not show.
    shown.observes = capabilities.observes
    let judge = try expected.take()?.judge(shown)
    let rules = try makeRules(start.setup)
    if plan.inputPath != nil, !capabilities.takesInputs {
      throw Failure(.usage, Self.noInputs)
    }
    if let refusal = judge?.refusal {
      return LiveOutcome(verdict: refusal, failure: Failure(.disagree))
    }
    if let gdb = plan.gdb, let debugPort, let source = source as? AVRSource {
      links.debugger = gdb.server(
        at: debugPort, source, start.header, events: [], end: .zero, isLive: true
      ) { [notices] in notices.report($0) }
    }
    let bench = try makeBench(start, source, judge, rules, links, recording)
    try debugPort?.announce()
    let ending = try run(bench, on: links.network)
    for notice in bench.view?.notices ?? [] { Console.remark(notice) }
    if plan.verbosity != .quiet {
      for line in LiveReport.lines(bench) { notices.report(line) }
      for line in bench.rigReport { notices.report(line) }
    }
    plan.network?.log.writer.drain(within: Self.logPatience)
    return try concludeForClient(ending, bench)
  }

  /// Where lines are reported to the user.
  private var notices: SessionNotices {
    if case .client(let mailbox) = host { return .host(mailbox) }
    return plan.network.map { .log($0.log) } ?? .terminal
  }

  /// How long a stalled reader of the log delays the end.
  private static let logPatience = Interval.milliseconds(500)

  /// Opens the network on which the session listens from now on; nil if it has none.
  private func openNetwork(camera: CameraPictures?) throws(Failure) -> SessionNetwork? {
    do throws(NetworkError) {
      return try plan.network.map { (plan) throws(NetworkError) in
        var plan = plan
        plan.server?.camera = camera
        return try SessionNetwork(plan)
      }
    } catch {
      throw Failure(error)
    }
  }

  /// Opens the pty. A session with another link does without one if the system has none.
  private func openPort() throws(Failure) -> LivePort? {
    guard plan.hasPty else { return nil }
    if case .client = host {
      return LivePort(
        try Failure.ofPort { () throws(SerialError) in
          try PtyPort.make(baud: plan.session.baud)
        })
    }
    if plan.openLink != nil, plan.link == nil, !PseudoTerminal.areAvailable {
      notices.report("This system has no pty. Senders can only use the session's other addresses.")
      return nil
    }
    let port = try LivePort(
      link: plan.link, isPrivate: !plan.command.isEmpty, baud: plan.session.baud)
    // Even with -q: a sender that opens the usual path would move the other bench's turret.
    if let evasion = port.evasion { notices.report(evasion) }
    return port
  }

  private func run(
    _ bench: LiveBench<some DeviceSource>, on sessionNetwork: SessionNetwork?
  ) throws -> SessionLife.Ending {
    guard let sessionNetwork else { return try bench.run() }
    do {
      return try sessionNetwork.run(bench)
    } catch let error as NetworkError {
      throw Failure(error)
    }
  }

  /// Creates everything that requires the device.
  private func makeBench<Source: DeviceSource>(
    _ start: SessionStart<Source.Made>, _ source: Source, _ judge: TraceJudge?,
    _ rules: SessionRules?, _ links: LiveLinks, _ recording: LiveRecording?
  ) throws -> LiveBench<Source> {
    var links = links
    var header = start.header
    header.set(recorded: WallTime.now.textInSeconds)
    var session = Session(start, life: plan.life, isVerbose: plan.isVerbose)
    session.resetOnOpen = plan.resetOnOpen
    session.resetOnDTR = plan.resetOnDTR
    session.judge = judge
    session.rules = rules
    if let rig = plan.rig?.rig {
      if let refusal = rig.servos.refusal(ofTiltBeside: start.setup.ownServo) {
        throw Failure(.malformed, "error: \(refusal)")
      }
      session.drive = ServoDrive(rig.servos, seed: rig.seed)
    }
    if let network = plan.network { session.serve(network.arbiter) }
    if links.client != nil {
      var setting = APISetting(header: header, setup: start.setup, device: source.name)
      setting.capabilities = start.device.capabilities
      setting.environment = links.environment
      setting.deadTime = plan.resetOnOpen ?? plan.resetOnDTR ?? setting.deadTime
      session.serve(APISession(setting))
    }
    let hasView = plan.shows.contains(.view) && plan.command.isEmpty && Console.isOutputWatched
    let view =
      hasView ? makeView(links, canRewind: plan.refusalToGoBack(session) == nil) : nil
    switch host {
    case .command:
      // Without a view, stopping the process is left to the system.
      links.signals = try SignalQueue.open(
        [SIGCHLD, SIGCONT] + (view != nil ? [SIGWINCH, SIGTSTP] : []))
    case .client: break
    case .suite(let signals): links.signals = signals
    }
    let sinks = LiveSinks(
      header, showsTrace: plan.shows.contains(.trace) && view == nil, view: view,
      recording: recording?.takePlain(), rotating: recording?.takeRotating(),
      isKept: plan.keepsTrace, keepsRecent: plan.cache != nil,
      dashboard: makeDashboard(header),
      isRaw: plan.network?.arbiter.isRaw == true, rig: plan.rig)
    let bench = try LiveBench(plan, on: source, links, session, sinks)
    if let clients = links.network?.clients {
      sinks.watchers = clients.watchers
      clients.watchers.begin(header)
      clients.benchStatus.device = source.name
      clients.benchStatus.sketch = header.sketchName
      clients.recentTrace = { [weak sinks] in sinks?.recentTrace }
    }
    if plan.verbosity != .quiet { greet(links) }
    return bench
  }

  private func makeRules(_ setup: SessionSetup) throws(Failure) -> SessionRules? {
    guard let rules = plan.rules else { return nil }
    return try Failure.ofTrace { () throws(TraceError) in
      var judges = try SessionRules(rules.rules, setup) { (path) throws(TraceError) in
        try rules.open(path)
      }
      judges.record.hidesPulses = plan.rig?.hidesPulses == true
      return judges
    }
  }

  /// Called before the link exists, so that the bench does not mistake it for the board's port.
  private func check(_ source: some DeviceSource) throws(Failure) {
    do throws(DeviceError) {
      try source.check()
    } catch {
      throw Failure(error)
    }
  }

  private static let noInputs =
    "error: --inputs requires a program on the emulated chip: use --device avr:FILE"

  /// Creates what dashboards show; nil if none can connect.
  private func makeDashboard(_ header: Header) -> LiveDashboard? {
    guard plan.network?.server != nil else { return nil }
    var status = status(port: "")
    status.sketch = header.sketchName
    status.watchedPins = header.pins.sorted()
    return LiveDashboard(tracker(status))
  }

  private func makeView(_ links: LiveLinks, canRewind: Bool) -> LiveView? {
    guard let screen = TerminalScreen() else { return nil }
    let port =
      links.port?.path ?? links.remote?.urls.first
      ?? links.addresses.webSocket.first?.description ?? ""
    var status = status(port: port)
    status.recording = plan.recording
    status.ending = screen.hasKeys ? "Ctrl-C or q ends" : "Ctrl-C ends"
    if canRewind, screen.hasKeys { status.keys = "b: 5 s back" }
    if screen.hasKeys, let keys = PinKeys.help(plan.source.inputs) {
      status.keys = status.keys.map { "\($0), \(keys)" } ?? keys
    }
    status.canType = screen.hasKeys
    if screen.hasKeys {
      status.keys = (status.keys.map { $0 + ", " } ?? "") + "m: monitor"
    }
    let profile = plan.session.sketch.profile
    let isKnown = profile.map { $0.hasCommands } ?? plan.source.reportsFates
    let (cache, sketch) = (plan.cache, plan.session.sketch.name)
    status.monitor = SerialMonitor(
      isShown: !isKnown,
      lineEnd: cache?.lineEnd(of: sketch) ?? (profile == nil ? .none : .newLine))
    status.hints = links.dashboardURLs.map(PortHints.browser)
    status.hints += links.port.map { PortHints.lines(for: $0.path, profile) } ?? []
    return LiveView(screen, tracker(status)) { cache?.keep($0, of: sketch) }
  }

  private func status(port: String) -> LiveStatus {
    var status = LiveStatus(
      port: port, device: plan.source.name, firmware: plan.session.sketch.firmware,
      baud: plan.session.baud)
    status.program = plan.source.programFile?.split(separator: "/").last.map(String.init)
    return status
  }

  private func tracker(_ status: LiveStatus) -> LiveTracker {
    let session = plan.session
    return LiveTracker(
      status, profile: session.sketch.profile, servo: session.servo,
      hasPulses: session.showsPulses)
  }

  private func greet(_ links: LiveLinks) {
    if let port = links.port?.path {
      let profile = plan.session.sketch.profile
      let begun = "\(port): \(plan.session.sketch.name) at \(plan.session.baud) baud"
      if plan.command.isEmpty {
        Console.report(
          text: """
            \(begun); Ctrl-C ends it. To move the turret:
              \(PortHints.lines(for: port, profile).joined(separator: "\n  "))
            """)
      } else {
        Console.report(begun)
      }
    }
    for url in links.webSocketURLs { notices.report("listening on \(url)") }
    for url in links.tcpURLs { notices.report("listening on \(url)") }
    for url in links.dashboardURLs { notices.report("dashboard at \(url)") }
    if let url = links.cameraURL { notices.report("camera at \(url)") }
    for url in links.remote?.urls ?? [] { notices.report("listening on \(url)") }
    if let server = plan.network?.server, var invitation = server.invitation {
      if !server.pages.hasPhone { invitation.path = "/" }
      Self.show(invitation, links)
    }
  }

  /// Shows a secret on the terminal, and never in a file.
  private static func show(_ invitation: PhoneInvitation, _ links: LiveLinks) {
    let pages = invitation.pages(at: links.addresses.webSocket)
    guard Console.isErrorTerminal, let page = pages.first else { return }
    Console.report(text: invitation.text(for: pages))
    // Through a pipe: every user of this computer can read the arguments of a program.
    let command = ["qrencode", "-t", "ANSIUTF8", "-m", "2", "-o", "-"]
    let picture = try? ToolRun.run(command, input: Array(page.utf8), limit: .seconds(5))
    if let picture, picture.status == .agree { Console.display(picture.output) }
  }

  /// Returns whether the recording of such a session does not replace an earlier one: its command
  /// crashed, took too long or was not started, or the session was cut off. The end of `--for` does
  /// not count as a failure.
  private func hasFailed(_ ending: SessionLife.Ending, _ sender: SenderReport?) -> Bool {
    switch ending {
    case .signal, .fault, .commandTimeout: true
    case .time, .command, .key: sender?.hasCrashed ?? true
    }
  }

  /// Judges the rules of a client, determines how the session ended, and reports both to the
  /// client, before the outcome is printed.
  private func concludeForClient(
    _ ending: SessionLife.Ending, _ bench: LiveBench<some DeviceSource>
  ) throws(Failure) -> LiveOutcome {
    let hasFailed = bench.session.judgeClientRules()
    do throws(Failure) {
      try bench.carryOutEffects()
      var outcome = try conclude(ending, bench)
      if hasFailed, outcome.failure == nil { outcome.failure = Failure(.disagree) }
      bench.finishClient(outcome.failure?.status ?? .agree)
      return outcome
    } catch {
      bench.finishClient(error.status)
      throw error
    }
  }

  private func conclude(
    _ ending: SessionLife.Ending, _ bench: LiveBench<some DeviceSource>
  ) throws(Failure) -> LiveOutcome {
    var sender = bench.senderReport(ending)
    if let expected = plan.rules?.expectedStatus, let ended = sender?.outcome {
      sender?.isExpected = !ended.wasStopped && ended.status == expected
    }
    if let line = try bench.outputs.settleRecording(ofCommandThat: hasFailed(ending, sender)) {
      notices.report(line)
    }
    if let cache = plan.cache, let trace = bench.outputs.recentTrace?.text,
      let why = cache.keep(trace), plan.verbosity != .quiet
    {
      notices.report("This session is not kept as \(SessionCache.name): \(why)")
    }
    var outcome = LiveOutcome(
      verdict: bench.session.verdict(),
      rules: bench.session.ruleReport(sender: sender?.outcome), sender: sender,
      trace: bench.outputs.trace(at: bench.session.now))
    outcome.wrongSpeed = bench.session.board.port.wrongSpeed
    if let printed = bench.command.output?.printed { outcome.output = printed }
    if case .fault(let error) = ending { outcome.fault = error }
    outcome.isUnreached = sender != nil && plan.hasPty && !bench.session.isReached
    outcome.failure =
      failure(ending, sender) ?? bench.outputs.recordingFailure.map { Failure($0.status) }
      ?? outcome.failure(on: bench.links.rig?.slowness)
    return outcome
  }

  /// Returns why such an ending is a failure, whatever the turret did; nil if it is not one.
  private func failure(_ ending: SessionLife.Ending, _ sender: SenderReport?) -> Failure? {
    switch ending {
    case .signal(let number): return Failure(.signal(number))
    case .fault(let error): return Failure(error)
    case .commandTimeout:
      let sentence = sender?.sentence ?? "the sender was stopped"
      return Failure(.timeout, "error: \(sentence); --timeout sets the limit")
    case .time, .command, .key: break
    }
    // A client of --api that ends the session also stops the sender.
    var isStopped = ending == .key && sender?.ending == .interrupted
    // A tracking program runs until the scene is over.
    if plan.rig != nil, ending == .time, case .stopped = sender?.ending { isStopped = true }
    guard let sender, sender.hasFailed, !isStopped else { return nil }
    return Failure(sender.status, plan.reportsSender ? "error: \(sender.sentence)" : "")
  }
}

/// Who runs a live session. The process's signals, terminal and standard output are for one session
/// only.
enum LiveHost {
  /// A command of the program, whose only session it is.
  case command
  /// A client in the same process. The session has no command, and receives no signals.
  case client(Mailbox)
  /// A suite of several sessions. It passes on the signals for this one to a descriptor.
  case suite(signals: FileDescriptor)
}

/// How a live session reaches its senders, clients and user: what has been opened for it.
struct LiveLinks {
  /// Where lines are reported to the user.
  var notices: SessionNotices
  /// The pty; nil if there is none.
  var port: LivePort?
  /// The link next to the pty; nil if there is none.
  var remote: (any SenderLink)?
  var network: SessionNetwork?
  /// The connection to a client that makes requests; nil if there can be none.
  var client: (any APIConnection)?
  /// The scene that the session's camera sees; nil if there is none.
  var rig: LiveRig?
  /// The debugger that holds the session; nil if there can be none.
  var debugger: GDBServer?
  /// Becomes readable when signals arrive; nil if the session does not handle them.
  var signals: FileDescriptor?
  var system: any SystemCalls = HostSystem.shared

  var addresses: ListeningAddresses { network?.addresses ?? ListeningAddresses() }
  /// Appended to the names of protocols.
  private var secure: String { network?.plan.server?.tls != nil ? "s" : "" }

  /// Where the camera is for a program on this computer; nil if there is none.
  var cameraURL: String? {
    guard rig != nil, var endpoint = addresses.webSocket.first else { return nil }
    if endpoint.host == "0.0.0.0" { endpoint.host = "127.0.0.1" }
    if endpoint.host == "::" { endpoint.host = "::1" }
    return "http\(secure)://\(endpoint)/camera.mjpg"
  }

  /// Where a browser can show the session.
  var dashboardURLs: [String] {
    guard network?.plan.server?.pages.hasDashboard == true else { return [] }
    let listening = addresses.webSocket
    return CertificateNames.ofThisComputer(listeningOn: listening.map { $0.host })
      .reachable(at: listening).map { "http\(secure)://\($0)/" }
  }

  var webSocketURLs: [String] { addresses.webSocket.map { "ws\(secure)://\($0)/" } }
  var tcpURLs: [String] { addresses.tcp.map { "tcp://\($0)" } }

  /// The environment of a command that is run against the bench.
  var environment: [(name: String, value: String)] {
    var variables: [(name: String, value: String)] = []
    if let port { variables.append(("SENTRY_PORT", port.path)) }
    if let url = webSocketURLs.first { variables.append(("SENTRY_WEBSOCKET", url)) }
    if let address = addresses.tcp.first { variables.append(("SENTRY_TCP", "\(address)")) }
    if let remote, let url = remote.urls.first { variables.append((remote.variable, url)) }
    if let api = client?.path { variables.append(("SENTRY_API", api)) }
    if let cameraURL { variables.append(("SENTRY_CAMERA", cameraURL)) }
    return variables
  }
}

/// The settings of a live session: how it is reached, what is run against it, what is written, and
/// when it ends.
package struct LivePlan {
  package let source: any DeviceSource
  package var session: SessionPlan
  package var verbosity = Verbosity.normal

  // MARK: How it is reached

  /// Whether there is a pty, and the path of its link. A nil path is the default one or, with a
  /// command, one of the session's own.
  package var hasPty = true
  package var link: String?
  /// How long the bootloader owns the line when a sender opens the pty; nil if opening does not
  /// reset the board.
  package var resetOnOpen: Interval?
  /// Opens the link over which a sender can also reach the line, for a board whose port runs at
  /// `baud` bits a second; nil for none.
  package var openLink: (@Sendable (_ baud: Int) throws(Failure) -> any SenderLink)?
  /// How long the bootloader owns the line when a client there sets DTR; nil if that does not reset
  /// the board.
  package var resetOnDTR: Interval?
  /// The network that the session serves; nil for none.
  package var network: NetworkPlan?
  /// The path of the socket for a client's requests; `-` for standard input and output, nil for
  /// none.
  package var api: String?
  /// The scene that the session's camera sees; nil for none. With one, there is a network.
  package var rig: LiveRigPlan?
  /// Where a debugger of the emulated chip connects; nil for none.
  package var gdb: GDBPlan?
  /// The FIFO from which levels and voltages for the board's pins are read; nil for none.
  package var inputPath: String?

  // MARK: The command

  /// The command that is run against the bench; empty for none.
  package var command: [String] = []
  /// How long the command can take; nil for no limit.
  package var commandLimit: Interval?
  /// The folder that the command starts in; nil for the bench's own.
  package var commandFolder: String?
  /// Whether the end of the command's standard error is kept for the report, and a command that
  /// fails is reported in words.
  package var reportsSender = false
  /// Whether what the command prints is kept for the outcome, and shown nowhere. Its standard input
  /// is then empty.
  package var keepsOutput = false

  // MARK: Its life

  /// When the session ends without any other cause.
  package var end: Instant?
  /// Whether the session waits for a board that was unplugged.
  package var rejoins = false
  /// Whether the session also waits for a board that is missing at the start.
  package var awaitsBoard = false
  /// Whether a device in virtual time starts up at once, before the session's clock starts.
  package var skipsStartUp = false

  // MARK: What is written and judged

  /// The file that the session is recorded to; nil for none.
  package var recording: String?
  /// Whether the recording of a command that failed replaces an earlier recording.
  package var keepsFailedRecording = false
  /// The limits of the recording's size; nil for one file, which is overwritten.
  package var rotation: RotationPolicy?
  /// What standard output can show: the view on a terminal, otherwise the trace.
  package var shows: Set<Shown> = [.trace, .view]
  /// Whether the outcome includes the session as a trace.
  package var keepsTrace = false
  /// Where the session is kept as the last one, at most its last minutes; nil if it is not kept.
  package var cache: SessionCache?
  /// The rules by which the session is judged; nil for none.
  package var rules: RuleFile?

  package init(source: any DeviceSource, session: SessionPlan) {
    self.source = source
    self.session = session
  }

  package enum Shown: Hashable, Sendable { case trace, view }

  var isVerbose: Bool { verbosity == .verbose }

  var life: SessionLife {
    SessionLife(
      end: end, hasNetwork: network != nil, rejoins: rejoins, commandLimit: commandLimit)
  }

  /// Returns why the session cannot be rewound, as a sentence; nil if it can. What was written or
  /// judged is final, and a real board cannot return to an earlier state.
  func refusalToGoBack(_ session: borrowing Session<some RealTimeDevice>) -> String? {
    if !session.board.device.capabilities.canRewind {
      return "Rewinding is unavailable: the state of a board cannot be restored."
    }
    if recording != nil { return "Rewinding is unavailable with --record: a recording is final." }
    if rig != nil { return "Rewinding is unavailable with --rig: its pictures have been seen." }
    if keepsTrace { return "Rewinding is unavailable with --report: a report is final." }
    if api != nil {
      return "Rewinding is unavailable with --api: its client has seen the session."
    }
    if session.judge != nil {
      return "Rewinding is unavailable with --expect: a verdict is final."
    }
    if rules != nil { return "Rewinding is unavailable with rules: a verdict is final." }
    return nil
  }
}

/// The pty of a live session and its link.
final class LivePort {
  private var pty: PtyPort?
  private var link: PortLink?
  /// Where the link is registered to be removed if the process is ended; nil if it is not.
  private var slot: Int?
  /// The stable path.
  let path: String
  /// Why that is not the default path, as a sentence; nil if it is, or if another was asked for.
  let evasion: String?

  /// `link` is the path of the symbolic link; nil for the default. With `isPrivate` the default is
  /// a path of the session's own. The link is removed with this object, or by a signal that ends
  /// the process.
  init(link path: String?, isPrivate: Bool, baud: Int) throws(Failure) {
    let pty = try Failure.ofPort { () throws(SerialError) in
      try PtyPort.make(baud: baud, isReplaceable: true)
    }
    let target = pty.path
    let link = try Failure.ofPort { () throws(SerialError) in
      if path == nil, isPrivate { return try PortLink.makePrivate(to: target) }
      guard let path else { return try PortLink.makeDefault(to: target) }
      return try PortLink.make(at: path, to: target)
    }
    self.path = link.absolutePath
    evasion = link.evasion
    self.pty = consume pty
    slot = Signals.register(link.removal)
    self.link = consume link
  }

  /// A pty without a link, for senders in the same process.
  init(_ pty: consuming PtyPort) {
    path = pty.path
    evasion = nil
    link = nil
    self.pty = consume pty
  }

  deinit { Signals.unregister(slot) }

  /// Makes the link lead to the pty that has replaced the first one.
  func lead(to pty: String) throws(SerialError) {
    try link?.lead(to: pty)
    Signals.unregister(slot)
    slot = (link?.removal).flatMap { Signals.register($0) }
  }

  /// Transfers the connection to the caller, once.
  func takePty() -> PtyPort? { pty.take() }
}
