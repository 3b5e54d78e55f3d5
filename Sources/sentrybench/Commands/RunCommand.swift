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

struct RunCommand: ParsableCommand, SelectsDevice, ServesSenders {
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
      these are given; m begins a line for the board. The exit status is that of the command if it \
      is not 0, or 1 if --expect disagrees or a rule fails, or 69 if this computer is too slow to \
      judge the scene of --rig.
      """)

  @OptionGroup var sender: SenderArgument
  @OptionGroup(title: HelpGroup.session) var duration: DurationOptions
  @OptionGroup(title: HelpGroup.port) var speed: SpeedOptions
  @OptionGroup(title: HelpGroup.port) var link: LinkOptions
  @OptionGroup(title: HelpGroup.session) var control: ControlOptions
  @OptionGroup(title: HelpGroup.session) var pins: PinInputOption
  @OptionGroup(title: HelpGroup.session) var faults: FaultOptions
  @OptionGroup(title: HelpGroup.network) var scene: SceneOptions
  @OptionGroup(title: HelpGroup.port) var opening: OpeningOptions
  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions
  @OptionGroup(title: HelpGroup.network) var serving: ServingOptions
  @OptionGroup(title: HelpGroup.network) var remote: RemoteOptions
  @OptionGroup(title: HelpGroup.network) var api: APIOptions
  @OptionGroup(title: HelpGroup.network) var senders: SenderOptions
  @OptionGroup(title: HelpGroup.access) var access: AccessOptions
  @OptionGroup(title: HelpGroup.judging) var judging: JudgingOptions
  @OptionGroup(title: HelpGroup.judging) var ruleOptions: RuleOptions
  @OptionGroup(title: HelpGroup.output) var recording: LiveRecordOption
  @OptionGroup(title: HelpGroup.output) var output: LiveOutputOptions
  @OptionGroup(title: HelpGroup.output) var page: ReportOptions
  @OptionGroup(title: HelpGroup.output) var keeping: KeepOptions
  @OptionGroup(title: HelpGroup.output) var logOptions: LogOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try deviceOptions.check(restartsBoard: restartsBoard)
    let isForRemote = remote.rfc2217 != nil && !senders.areGiven && access.areOnlyAnonymous
    let hasCommand = !sender.command.isEmpty
    try UsageRule.check(
      UsageRule(
        "--json", output.json, requires: "--expect, --rules or --strict", judging.expect,
        ruleOptions.areGiven),
      UsageRule(
        "--junit", output.junit, requires: "--expect, --rules, --strict or a command after --",
        judging.expect, ruleOptions.areGiven, hasCommand),
      UsageRule("--timeout", control.timeout, requires: "a command after --", hasCommand),
      UsageRule(
        "Network options", senders.areGiven || access.areGiven,
        requires: "--websocket, --tcp or --http", servesNetwork, isForRemote),
      remoteDetectorRule,
      UsageRule(
        brokenIf: api.virtual && scene.rig != nil,
        "--rig runs in real time: rig runs a scene in virtual time."),
      UsageRule(
        "--detector", senders.detector, requires: "--websocket or --http",
        serving.websocket, serving.http),
      UsageRule(
        "--keep", output.keep, requires: "--record and a command after --",
        recording.record != nil && hasCommand))
    try UsageRule.check(api.rules(self))
    try page.check()
    // Scenarios can state faults, which only their files show.
    if !ruleOptions.areGiven { try faults.check() }
  }

  private var servesNetwork: Bool {
    !serving.websocket.isEmpty || !senders.tcp.isEmpty || serving.http != nil
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
    return isJudged && duration.length == nil ? Self.usualTimeout : nil
  }

  func run() throws {
    let begun = HostTime.now
    let log = logOptions.makeLog(talk)
    var trace = try judging.open(talk.verbosity)
    let plan = try settings(judgedBy: trace?.header, log)
    if api.virtual {
      return try VirtualRun.run(
        plan.session, on: plan.source, api: plan.api ?? "-", recording: plan.recording)
    }
    let names = ReportNames(
      trace: judging.expect.first, title: trace?.header.title, command: sender.command)
    let pageFile = try page.open()
    let junitFile = try output.junit.map { (path) throws(Failure) in try OutputSlot(path) }
    var judge: ExpectedTrace?
    if let trace = trace.take() {
      judge = ExpectedTrace(trace, tolerance: judging.tolerance, gapMax: judging.gaps)
    }
    try ReportedRun.start(
      plan, named: names, judgedBy: judge.take(), in: judging.expect.first,
      rules: ruleOptions.rules, junit: junitFile, page: pageFile, printsJSON: output.json,
      since: begun)
  }

  /// Returns the settings of the session, and reads the files that state them. Opens no output.
  ///
  /// - Parameter header: that of the trace by which the session is judged; nil for none.
  func settings(judgedBy header: Header?, _ log: BenchLog) throws -> LivePlan {
    var rigFile = try scene.rig.map { (path) throws(Failure) in try LiveRigPlan.read(path) }
    if let servo = control.servo.flatMap({ ServoPlantData($0.name) }) {
      rigFile?.plan.servos.own = servo
    }
    var deviceOptions = deviceOptions
    deviceOptions.selection.device = deviceOptions.selection.device ?? rigFile?.device
    let source = try deviceOptions.source()
    var rules = try ruleOptions.read()
    if let rigFile, let path = scene.rig, !rigFile.rules.isEmpty {
      rules = rules ?? RuleFile(path: path, rules: [])
      rules?.rules += rigFile.rules
    }
    try rules?.spareTraces()
    let stated = try stated(rigFile, rules, header)
    let session = SessionPlan(stated, on: source)
    try rigFile?.check(on: source)
    if output.pulses || scene.rig != nil, !source.observes(session.sketch.firmware).contains(.pulse)
    {
      let option = output.pulses ? "--pulses" : "--rig"
      throw ValidationError("\(option) requires a device that shows pulses; a board does not.")
    }

    var plan = LivePlan(source: source, session: session)
    plan.link = link.pty
    plan.end = duration.end
    plan.command = sender.command
    plan.verbosity = talk.verbosity
    plan.recording = recording.record
    if output.json || api.usesStandardOutput { plan.shows = [] }
    plan.api = api.api
    plan.inputPath = pins.inputs
    plan.keepsFailedRecording = output.keep
    plan.rig = scene.plan(rigFile, showsPulses: output.pulses)
    plan.commandLimit = commandLimit(plan.rig)
    plan.rules = rules
    plan.reportsSender = isJudged
    plan.keepsTrace = page.report != nil
    plan.cache = keeping.cache
    plan.resetOnOpen = opening.resetOnOpen ? bootTime : nil
    try Outputs.spare([plan.inputPath, plan.rig?.face, plan.rig?.background].compactMap { $0 })
    if servesNetwork { plan.network = try network(stated.profile, for: session, on: source, log) }
    if let endpoint = try remote.endpoint(allowsAnonymous: access.allowsAnonymous) {
      plan.openLink = { (baud) throws(Failure) in
        do throws(NetworkError) {
          return try RemotePort(listening: endpoint, speed: baud, speeds: SerialLine.bauds)
        } catch {
          throw Failure(error)
        }
      }
      plan.resetOnDTR = deviceOptions.board.noReset ? nil : bootTime
      let level: Logger.Level = endpoint.isLoopback ? .notice : .warning
      log.logger.log(level: level, "\(RemoteOptions.notice(listening: endpoint))")
    }
    return plan
  }

  /// Whether a sender restarts the board, whatever the device is.
  private var restartsBoard: Bool {
    remote.rfc2217 != nil || (opening.resetOnOpen && !deviceOptions.board.noReset)
  }

  /// How long the bootloader uses the line after such a restart.
  private var bootTime: Interval { deviceOptions.board.bootTime ?? .seconds(1) }

  private func stated(
    _ rigFile: RigFile?, _ rules: RuleFile?, _ header: Header?
  ) throws -> StatedSession {
    var stated = rigFile?.stated ?? StatedSession()
    stated.firmware = deviceOptions.firmware ?? stated.firmware
    stated.profile = try profileOptions.read()
    stated.baud = speed.baud ?? stated.baud
    stated.servo = control.servo
    stated.showsPulses = output.pulses || rigFile != nil
    stated.faults += faults.specs
    stated.seed = faults.seed ?? stated.seed
    faults.printSeed(talk)
    rules?.add(to: &stated)
    try faults.check(besides: rigFile == nil ? stated.faults : [])
    if let header { try stated.add(header, in: judging.expect.first ?? "") }
    return stated
  }

  private func network(
    _ profile: ProfileChoice?, for session: SessionPlan, on source: any DeviceSource,
    _ log: BenchLog
  ) throws(Failure) -> NetworkPlan {
    var settings = arbiterSettings(
      firmware: session.sketch.firmware, baud: session.baud)
    try profileOptions.apply(profile, of: session.sketch, to: &settings, source, log: log.logger)
    var network = NetworkPlan(arbiter: settings, log: log)
    network.server = try server(webSocket: addresses, log: log.logger)
    if serving.http != nil { network.server?.pages = try .dashboard() }
    return network
  }
}
