package import Devices
package import Gateway
package import Log
import Logging
package import Networking
import Pictures
import RemotePorts
import Serial
import Traces
package import Turret
package import Verification

/// A live session from its first to its last line of output: sets up what the command needs, runs
/// it and reports the result.
package struct LiveRun: ~Copyable {
  package var source: any DeviceSource
  package var firmware: Firmware
  /// The sketch's commands and pins, if they are not those of the firmware.
  package var profile: Profile?
  package var baud: Int
  package var verbosity: Verbosity
  /// Whether there is a pty, and the path of its link. A nil path is the default one or, with a
  /// command, one of the session's own.
  package var hasPty = true
  package var link: String?
  /// The network that the session serves; nil for none.
  package var network: NetworkPlan?
  package var log: BenchLog?
  /// When the session ends without any other cause.
  package var end: Instant?
  /// The command that is run against the bench; empty for none.
  package var command: [String] = []
  /// How long the command can take; nil for no limit.
  package var commandLimit: Interval?
  /// Whether the end of the command's standard error is kept for the report, and a command that
  /// fails is reported in words.
  package var reportsSender = false
  /// The file that the session is recorded to; nil for none.
  package var recording: String?
  /// Whether the recording of a command that failed replaces an earlier recording.
  package var keepsFailedRecording = false
  /// The limits of the recording's size; nil for one file, which is overwritten.
  package var rotation: RotationPolicy?
  /// Whether the trace is written to standard output if there is no view.
  package var showsTrace = true
  /// Whether a view is allowed.
  package var mayShowView = true
  package var servo = ServoData.sg90
  package var showsPulses = false
  /// How long the bootloader owns the line when a sender opens the port; nil if opening does not
  /// reset the board.
  package var resetOnOpen: Interval?
  /// Where the port is reachable over TCP (RFC 2217); nil for nowhere.
  package var remote: Endpoint?
  /// How long the bootloader owns the line when a client there sets DTR; nil if that does not reset
  /// the board.
  package var resetOnDTR: Interval?
  /// Whether the session waits for a board that was unplugged.
  package var rejoins = false
  /// Whether the session also waits for a board that is missing at the start.
  package var startsWithoutBoard = false
  /// Whether the outcome includes the session as a trace.
  package var keepsTrace = false
  /// The FIFO from which levels and voltages for the board's pins are read; nil for none.
  package var inputPath: String?
  /// The title of the session's trace; nil for the name of the scenario, if there is one.
  package var title: String?
  /// The rules by which the session is judged; nil for none.
  package var rules: RuleFile?
  /// The path of the socket for a client's requests; `-` for standard input and output, nil for
  /// none.
  package var api: String?
  /// The client in the same process; nil for none. With one, the session has no command, and leaves
  /// the process's signals, standard output and environment alone.
  var host: Mailbox?
  /// Whether a device in virtual time starts up at once, before the session's clock starts.
  var skipsStartUp = false
  /// The trace by which the session is judged; nil for none. It is read once there is a device.
  package var expected: ExpectedTrace?

  package init(
    source: any DeviceSource, firmware: Firmware, baud: Int, verbosity: Verbosity,
    recording: String?
  ) {
    self.source = source
    self.firmware = firmware
    self.baud = baud
    self.verbosity = verbosity
    self.recording = recording
  }

  /// Runs the session to its end. Throws if it cannot begin or cannot continue; any other failure
  /// is in the outcome.
  package consuming func run() throws -> LiveOutcome { try run(on: source) }

  private mutating func run(on source: some DeviceSource) throws -> LiveOutcome {
    if !startsWithoutBoard { try check(source) }
    let port = try openPort()
    defer { if host == nil { Signals.link = nil } }
    let remotePort = try openRemotePort()
    // Not opened earlier, so that a mistake in the command does not destroy an existing recording.
    let isOfCommand = !command.isEmpty && !keepsFailedRecording
    let isPrivate = network != nil || remote != nil
    let recording = try recording.map { (path) throws(Failure) in
      try LiveRecording(path, rotation, isOfCommand: isOfCommand, isPrivate: isPrivate)
    }

    let sessionNetwork = try openNetwork()
    let client: (any APIConnection)? =
      try host ?? api.map { (path) throws(Failure) in try APIPort(path) }
    let header = Header(
      firmware: firmware, baud: baud, duration: nil, title: title ?? rules?.scenario)
    // Last, because the session of a real board begins here.
    var device = try makeDevice(source, for: header)
    var setup = SessionSetup(
      firmware: firmware, profile: profile, timing: source.timing, baud: baud,
      on: device.capabilities, servo: servo)
    setup.watch(
      rules?.rules ?? [], profile: client != nil, besides: source.pins, on: &device)
    let judge = try expected.take()?.judge(
      firmware, profile, observing: device.capabilities.observes,
      from: device.capabilities.start, baud: baud, timing: source.timing)
    let sessionRules = try makeRules(setup)
    if inputPath != nil, !device.capabilities.takesInputs {
      throw Failure(.usage, Self.noInputs)
    }
    if let refusal = judge?.refusal {
      return LiveOutcome(verdict: refusal, failure: Failure(.disagree))
    }
    let bench = try makeBench(
      device, source, header, judge, setup, sessionRules,
      Links(
        port: port, remotePort: remotePort, recording: recording, network: sessionNetwork,
        client: client))
    let ending = try run(bench, on: sessionNetwork)
    for notice in bench.view?.notices ?? [] { Console.remark(notice) }
    if verbosity != .quiet { for line in LiveReport.lines(bench) { notices.report(line) } }
    log?.writer.drain(within: Self.logPatience)
    return try concludeForClient(ending, bench)
  }

  /// The ways to reach a session, and its recording.
  private struct Links {
    var port: LivePort?
    var remotePort: RemotePort?
    var recording: LiveRecording?
    var network: SessionNetwork?
    var client: (any APIConnection)?
  }

  /// Where lines are reported to the user.
  private var notices: SessionNotices {
    host.map { .host($0) } ?? log.map { .log($0) } ?? .terminal
  }

  /// How long a stalled reader of the log delays the end.
  private static let logPatience = Interval.milliseconds(500)

  /// Opens the network on which the session listens from now on; nil if it has none.
  private func openNetwork() throws(Failure) -> SessionNetwork? {
    do throws(NetworkError) {
      return try network.map { (plan) throws(NetworkError) in try SessionNetwork(plan) }
    } catch {
      throw Failure(error)
    }
  }

  /// Opens the pty. A session that is reachable over TCP does without one if the system has none.
  private func openPort() throws(Failure) -> LivePort? {
    guard hasPty else { return nil }
    if host != nil { return try LivePort(baud: baud) }
    if remote != nil, link == nil, !PseudoTerminal.areAvailable {
      notices.report("This system has no pty. The port is reachable over TCP only.")
      return nil
    }
    return try LivePort(link: link, isPrivate: !command.isEmpty, baud: baud)
  }

  private func openRemotePort() throws(Failure) -> RemotePort? {
    do throws(NetworkError) {
      return try remote.map { (endpoint) throws(NetworkError) in
        try RemotePort(listening: endpoint, speed: baud, speeds: SerialLine.bauds)
      }
    } catch {
      throw Failure(error)
    }
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

  /// Creates everything that requires the device. `header` does not have the device's
  /// properties yet.
  private func makeBench<Source: DeviceSource>(
    _ device: Source.Made, _ source: Source, _ header: Header, _ judge: TraceJudge?,
    _ setup: SessionSetup, _ sessionRules: SessionRules?, _ links: Links
  ) throws -> LiveBench<Source> {
    let arbiter = links.network?.arbiter
    let hasView = mayShowView && command.isEmpty && Console.isOutputWatched
    let capabilities = device.capabilities
    var header = header
    header.set(clock: capabilities.clock)
    header.set(start: capabilities.start)
    if let profile { header.set(profile, on: source) }
    header.set(source: "sentrybench, \(source.name)")
    header.set(recorded: WallTime.now.textInSeconds)
    if capabilities.observes.contains(.pin) { header.set(pins: setup.shownPins) }
    var kinds = capabilities.observes
    let showsPulses = showsPulses || rules?.needPulses == true
    if !showsPulses { kinds = kinds.filter { !$0.isOnRequest } }

    let refusal = refusalToGoBack(on: capabilities, isCompared: judge != nil)
    var reach = LiveReach(
      port: links.port?.path, addresses: links.network?.addresses ?? ListeningAddresses(),
      hasTLS: network?.server?.tls != nil, api: links.client?.path)
    reach.remote = links.remotePort?.addresses ?? []
    if network?.server?.pages.hasDashboard == true {
      let listening = reach.addresses.webSocket
      let names = CertificateNames.ofThisComputer(listeningOn: listening.map { $0.host })
      reach.dashboard = names.reachable(at: listening)
    }
    let view = hasView ? makeView(reach, canRewind: refusal == nil) : nil
    let sinks = LiveSinks(
      header, showsTrace: showsTrace && view == nil, view: view,
      recording: links.recording?.takePlain(), rotating: links.recording?.takeRotating(),
      judge: judge, rules: sessionRules, isKept: keepsTrace, dashboard: makeDashboard(header),
      isRaw: network?.arbiter.isRaw == true)
    if let client = links.client {
      var setup = setup
      setup.observes = kinds
      var setting = APISetting(header: header, setup: setup, device: source.name)
      setting.environment = reach.environment
      setting.deadTime = resetOnOpen ?? resetOnDTR ?? setting.deadTime
      setting.takesInputs = capabilities.takesInputs
      sinks.api = APIRunner(setting, on: client)
    }
    let bench = try LiveBench(
      plan(reach, refusal, source.inputs, links.port),
      rejoins ? BoardSearch(source: source, header: header, firmware: firmware) : nil,
      links.port?.takePty(), links.remotePort, arbiter,
      LiveSession(device, baud: baud, kinds: kinds), sinks, view)
    if let arbiter {
      sinks.watchers = arbiter.watchers
      arbiter.watchers.begin(header)
      arbiter.benchStatus.device = source.name
      arbiter.benchStatus.sketch = header.sketchName
      arbiter.traceKeeper = sinks
    }
    if verbosity != .quiet { greet(reach) }
    return bench
  }

  private func makeRules(_ setup: SessionSetup) throws(Failure) -> SessionRules? {
    guard let rules else { return nil }
    return try Failure.ofTrace { () throws(TraceError) in
      try SessionRules(rules.rules, setup) { (path) throws(TraceError) in try rules.open(path) }
    }
  }

  private func makeDevice<Source: DeviceSource>(
    _ source: Source, for header: Header
  ) throws(DeviceError) -> Source.Made {
    do throws(DeviceError) {
      return try source.makeDevice(
        for: header, firmware: firmware,
        showsPulses: showsPulses || rules?.needPulses == true)
    } catch {
      let isAwaited = startsWithoutBoard && error.code == .unavailable
      guard isAwaited, let absent = source.absent(firmware, baud: baud, for: error) else {
        throw error
      }
      return absent
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

  /// Returns why the session cannot be rewound: what was written or judged is final, and a real
  /// board cannot return to an earlier state.
  private func refusalToGoBack(
    on capabilities: DeviceCapabilities, isCompared: Bool
  ) -> String? {
    if !capabilities.canRewind {
      return "Rewinding is unavailable: the state of a board cannot be restored."
    }
    if recording != nil { return "Rewinding is unavailable with --record: a recording is final." }
    if keepsTrace { return "Rewinding is unavailable with --report: a report is final." }
    if api != nil {
      return "Rewinding is unavailable with --api: its client has seen the session."
    }
    if isCompared { return "Rewinding is unavailable with --expect: a verdict is final." }
    if rules != nil { return "Rewinding is unavailable with rules: a verdict is final." }
    return nil
  }

  private static let noInputs =
    "error: --inputs requires a program on the emulated chip: use --device avr:FILE"

  private func plan(
    _ reach: LiveReach, _ refusal: String?, _ inputs: [BoardInput], _ port: LivePort?
  ) -> LivePlan {
    var plan = LivePlan(
      environment: reach.environment, baud: baud, resetOnOpen: resetOnOpen, end: end,
      command: command)
    plan.resetOnDTR = resetOnDTR
    plan.inputs = inputs
    plan.inputPath = inputPath
    plan.isVerbose = verbosity == .verbose
    plan.refusalToGoBack = refusal
    plan.commandLimit = commandLimit
    plan.keepsErrors = reportsSender
    plan.handlesSignals = host == nil
    plan.skipsStartUp = skipsStartUp
    plan.port = port
    plan.notices = notices
    return plan
  }

  /// Creates what dashboards show; nil if none can connect.
  private func makeDashboard(_ header: Header) -> LiveDashboard? {
    guard network?.server != nil else { return nil }
    var status = LiveStatus(port: "", device: source.name, firmware: firmware, baud: baud)
    status.sketch = header.sketchName
    return LiveDashboard(tracker(status))
  }

  private func makeView(_ reach: LiveReach, canRewind: Bool) -> LiveView? {
    guard let screen = TerminalScreen() else { return nil }
    let port =
      reach.port ?? reach.remoteURLs.first ?? reach.addresses.webSocket.first?.description ?? ""
    var status = LiveStatus(port: port, device: source.name, firmware: firmware, baud: baud)
    status.recording = recording
    status.ending = screen.hasKeys ? "Ctrl-C or q ends" : "Ctrl-C ends"
    if canRewind, screen.hasKeys { status.keys = "b: 5 s back" }
    if screen.hasKeys, let keys = PinKeys.help(source.inputs) {
      status.keys = status.keys.map { "\($0), \(keys)" } ?? keys
    }
    status.hints = reach.dashboardURLs.map(PortHints.browser)
    status.hints += reach.port.map(PortHints.lines) ?? []
    return LiveView(screen, tracker(status))
  }

  /// The sketch's name: its profile's, or that of the firmware.
  private var sketchName: String { profile?.name ?? firmware.rawValue }

  private func tracker(_ status: LiveStatus) -> LiveTracker {
    LiveTracker(status, profile: profile, servo: servo, hasPulses: showsPulses)
  }

  private func greet(_ reach: LiveReach) {
    if let port = reach.port {
      guard command.isEmpty else {
        Console.report("\(port): \(sketchName) at \(baud) baud")
        return greetNetwork(reach)
      }
      Console.report(
        text: """
          \(port): \(sketchName) at \(baud) baud; Ctrl-C ends it. To move the turret:
            \(PortHints.lines(for: port).joined(separator: "\n  "))
          """)
    }
    greetNetwork(reach)
  }

  private func greetNetwork(_ reach: LiveReach) {
    for url in reach.webSocketURLs { notices.report("listening on \(url)") }
    for url in reach.tcpURLs { notices.report("listening on \(url)") }
    for url in reach.dashboardURLs { notices.report("dashboard at \(url)") }
    for url in reach.remoteURLs { notices.report("listening on \(url)") }
    if let server = network?.server, var invitation = server.invitation {
      if !server.pages.hasPhone { invitation.path = "/" }
      Self.show(invitation, reach)
    }
  }

  /// Shows a secret on the terminal, and never in a file.
  private static func show(_ invitation: PhoneInvitation, _ reach: LiveReach) {
    let pages = invitation.pages(at: reach.addresses.webSocket)
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
    let hasFailed = bench.api?.judge(at: bench.end) ?? false
    do throws(Failure) {
      var outcome = try conclude(ending, bench)
      if hasFailed, outcome.failure == nil { outcome.failure = Failure(.disagree) }
      bench.api?.close(status: outcome.failure?.status ?? .agree)
      return outcome
    } catch {
      bench.api?.close(status: error.status)
      throw error
    }
  }

  private func conclude(
    _ ending: SessionLife.Ending, _ bench: LiveBench<some DeviceSource>
  ) throws(Failure) -> LiveOutcome {
    var sender = bench.senderReport(ending)
    if let expected = rules?.expectedStatus, let ended = sender?.outcome {
      sender?.isExpected = !ended.wasStopped && ended.status == expected
    }
    if let line = try bench.outputs.settleRecording(ofCommandThat: hasFailed(ending, sender)) {
      notices.report(line)
    }
    var outcome = LiveOutcome(
      verdict: bench.outputs.verdict(at: bench.end),
      rules: bench.outputs.ruleReport(at: bench.end, sender: sender), sender: sender,
      trace: bench.outputs.trace(at: bench.end))
    outcome.wrongSpeed = bench.wrongSpeed
    outcome.failure =
      failure(ending, sender) ?? bench.outputs.recordingFailure.map { Failure($0.status) }
      ?? (outcome.disagrees ? Failure(.disagree) : nil)
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
    let isStopped = ending == .key && sender?.ending == .interrupted
    guard let sender, sender.hasFailed, !isStopped else { return nil }
    return Failure(sender.status, reportsSender ? "error: \(sender.sentence)" : "")
  }
}
