import ArgumentParser
import Devices
import Engine
import Judging
import Logging
import Network
import Platform
import Serial
import Sessions
import Sketches
import Traces

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "The bench, live: a device in real time behind a pty.",
    discussion: """
      Any program that can write to a serial port can drive the turret. On a terminal the bench \
      shows the session; otherwise it prints the trace. It runs until Ctrl-C, for the time of \
      --for, or until the command after -- ends. That command reads the port from SENTRY_PORT. Its \
      standard output is the bench's standard error, and it inherits no descriptors other than \
      these and standard input. If the bench ends first, it ends the command with SIGTERM, and \
      after two seconds with SIGKILL. In the view the key q ends the session with status 0, and \
      the key b rewinds 5 s: the board, the bytes on their way and the clock return to their state \
      at that time. Press it again to go further, up to two minutes. This is unavailable with \
      --record, --expect or rules, and while a network client is connected, except dashboards that \
      only watch. The keys 1 to 9 change the levels of the pins of --set, in the order in which \
      these are given. The exit status is that of the command if it is not 0, or 1 if --expect \
      disagrees or a rule fails.
      """)

  @OptionGroup var live: LiveOptions
  @OptionGroup(title: HelpGroup.session) var control: ControlOptions
  @OptionGroup(title: HelpGroup.session) var faults: FaultOptions
  @OptionGroup(title: HelpGroup.network) var scene: SceneOptions
  @OptionGroup(title: HelpGroup.port) var opening: OpeningOptions
  @OptionGroup var deviceOptions: DeviceOptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions
  @OptionGroup(title: HelpGroup.network) var serving: ServingOptions
  @OptionGroup(title: HelpGroup.network) var remote: RemoteOptions
  @OptionGroup(title: HelpGroup.network) var api: APIOptions
  @OptionGroup var networkOptions: NetworkOptions
  @OptionGroup(title: HelpGroup.judging) var judging: JudgingOptions
  @OptionGroup(title: HelpGroup.judging) var ruleOptions: RuleOptions
  @OptionGroup(title: HelpGroup.output) var output: LiveOutputOptions
  @OptionGroup(title: HelpGroup.output) var page: ReportOptions
  @OptionGroup(title: HelpGroup.output) var logOptions: LogOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    let isForRemote = remote.rfc2217 != nil && networkOptions.isGivenOnlyAnonymous
    let hasCommand = !live.command.isEmpty
    try UsageRule.check(
      UsageRule(
        "--json", output.json, requires: "--expect, --rules or --strict", judging.expect,
        ruleOptions.areGiven),
      UsageRule(
        "--junit", output.junit, requires: "--expect, --rules, --strict or a command after --",
        judging.expect, ruleOptions.areGiven, hasCommand),
      UsageRule("--timeout", control.timeout, requires: "a command after --", hasCommand),
      UsageRule(
        "Network options", networkOptions.isGiven, requires: "--websocket, --tcp or --http",
        servesNetwork, isForRemote),
      UsageRule(
        brokenIf: api.virtual && scene.rig != nil,
        "--rig runs in real time: rig runs a scene in virtual time."),
      UsageRule(
        "--detector", networkOptions.senders.detector, requires: "--websocket or --http",
        serving.websocket, serving.http),
      UsageRule(
        "--keep", output.keep, requires: "--record and a command after --",
        output.record != nil && hasCommand))
    try UsageRule.check(api.rules(self))
    try page.check()
    // Scenarios can state faults, which only their files show.
    if !ruleOptions.areGiven { try faults.check() }
  }

  private var servesNetwork: Bool {
    !serving.websocket.isEmpty || !networkOptions.senders.tcp.isEmpty || serving.http != nil
      || scene.rig != nil
  }

  /// The addresses for WebSocket and HTTP. A camera is served to this computer unless another
  /// address is given.
  private var addresses: [String] {
    let given = serving.websocket + (serving.http.map { [$0] } ?? [])
    return given.isEmpty && scene.rig != nil ? ["127.0.0.1:0"] : given
  }

  /// Whether the session is judged or reported. Its command then has a time limit, and its ending
  /// is reported.
  private var isJudged: Bool {
    !judging.expect.isEmpty || ruleOptions.areGiven || output.junit != nil
  }

  /// How long the command can take unless an option states it.
  private static let usualTimeout = Interval.seconds(60)

  private func commandLimit(_ rig: LiveRigPlan?) -> Interval? {
    if let timeout = control.timeout { return timeout.limit }
    // A scene begins only when a program reads its camera.
    if let rig { return Self.usualTimeout + rig.rig.length }
    return isJudged && live.duration.length == nil ? Self.usualTimeout : nil
  }

  func run() throws {
    let begun = HostTime.now
    let log = logOptions.makeLog(talk)
    let rigFile = try scene.rig.map { (path) throws(Failure) in try LiveRigPlan.read(path) }
    var deviceOptions = deviceOptions
    if let named = rigFile?.device, deviceOptions.selection.device == nil {
      deviceOptions.selection.device = named
    }
    let source = try deviceOptions.source(restartsBoard: remote.rfc2217 != nil)
    var reader = try judging.expect.first.map { (path) throws(TraceError) in
      var reader = try TraceReader(path: path)
      talk.verbosity.report(reader.notes, about: path)
      // The whole trace is kept in memory.
      try reader.limit(
        to: SessionLimit(remedy: "a live session cannot be judged by a longer one"))
      return reader
    }
    var rules = try ruleOptions.read()
    if let rigFile, let path = scene.rig, !rigFile.rules.isEmpty {
      rules = rules ?? RuleFile(path: path, rules: [])
      rules?.rules += rigFile.rules
    }
    try rules?.spareTraces()
    var stated = rigFile?.stated ?? StatedSession()
    stated.firmware = deviceOptions.firmware ?? stated.firmware
    stated.profile = try profileOptions.read()
    stated.baud = live.speed.baud ?? stated.baud
    stated.servo = control.servo
    stated.showsPulses = output.pulses || rigFile != nil
    stated.faults += faults.specs
    stated.seed = faults.seed ?? stated.seed
    faults.printSeed(talk)
    rules?.add(to: &stated)
    try faults.check(besides: rigFile == nil ? stated.faults : [])
    if let header = reader?.header { try stated.add(header, in: judging.expect.first ?? "") }
    let session = SessionPlan(stated, on: source)
    let firmware = session.sketch.firmware
    try rigFile?.check(on: source)
    if output.pulses || scene.rig != nil, !source.observes(firmware).contains(.pulse) {
      let option = output.pulses ? "--pulses" : "--rig"
      throw ValidationError("\(option) requires a device that shows pulses; a board does not.")
    }
    if api.virtual {
      return try VirtualRun.run(
        session, on: source, api: api.api ?? "-", recording: output.record)
    }
    let names = ReportNames(
      trace: judging.expect.first, title: reader?.header.title, command: live.command)
    try Outputs.spare(
      [control.inputs, scene.cameraFace, scene.cameraBackground].compactMap { $0 })
    let pageFile = try page.open()
    let junitFile = try output.junit.map { (path) throws(Failure) in try OutputSlot(path) }
    var plan = LivePlan(source: source, session: session)
    live.apply(to: &plan)
    plan.verbosity = talk.verbosity
    plan.recording = output.record
    if servesNetwork {
      var settings = networkOptions.arbiterSettings(firmware: firmware, baud: session.baud)
      try profileOptions.apply(
        stated.profile, of: session.sketch, to: &settings, source, log: log.logger)
      var network = NetworkPlan(arbiter: settings, log: log)
      var server = try networkOptions.server(
        webSocket: addresses, log: log.logger)
      if serving.http != nil { server.pages = try .dashboard() }
      network.server = server
      plan.network = network
    }
    try serve(remote, in: &plan, log)
    if output.json || api.usesStandardOutput { plan.shows = [] }
    plan.api = api.api
    plan.inputPath = control.inputs
    plan.keepsFailedRecording = output.keep
    plan.rig = scene.plan(rigFile, showsPulses: output.pulses)
    plan.commandLimit = commandLimit(plan.rig)
    plan.rules = rules
    plan.reportsSender = isJudged
    plan.keepsTrace = pageFile != nil
    plan.resetOnOpen = opening.time
    var judge: ExpectedTrace?
    if let trace = reader.take() {
      judge = ExpectedTrace(
        trace, tolerance: judging.tolerance, gapMax: judging.gaps)
    }
    try ReportedRun.start(
      plan, named: names, judgedBy: judge.take(), in: judging.expect.first,
      rules: ruleOptions.rules, junit: junitFile, page: pageFile, printsJSON: output.json,
      since: begun)
  }

  private func serve(
    _ remote: RemoteOptions, in plan: inout LivePlan, _ log: BenchLog
  ) throws(Failure) {
    guard
      let endpoint = try remote.endpoint(allowsAnonymous: networkOptions.access.allowAnonymous)
    else { return }
    plan.openLink = { (baud) throws(Failure) in
      do throws(NetworkError) {
        return try RemotePort(listening: endpoint, speed: baud, speeds: SerialLine.bauds)
      } catch {
        throw Failure(error)
      }
    }
    let board = deviceOptions.board
    plan.resetOnDTR = board.noReset ? nil : board.bootTime ?? .seconds(1)
    let level: Logger.Level = endpoint.isLoopback ? .notice : .warning
    log.logger.log(level: level, "\(RemoteOptions.notice(listening: endpoint))")
  }
}
