import ArgumentParser
import Devices
import Files
import Gateway
import Log
import Logging
import Networking
import Platform
import Sessions
import Traces
import Turret
import Verification

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

  @OptionGroup var deviceOptions: DeviceOptions
  @OptionGroup var profileOptions: ProfileOptions
  @OptionGroup var live: LiveOptions

  @Option(
    help: """
      Write the session to this file, line by line. With a command after --, the file is named \
      NAME.failed.jsonl instead of NAME.jsonl until the command has succeeded.
      """)
  var record: String?

  @Option(
    help: ArgumentHelp(
      """
      Apply the levels and voltages that are written to this FIFO, one per line, to the pins of \
      the emulated board: ["set", "D2", 1] or ["analog", "A0", 2.5].
      """, valueName: "fifo"))
  var inputs: String?

  @Flag(help: "Let the recording replace NAME.jsonl even if the command after -- fails.")
  var keep = false

  @Option(help: ArgumentHelp("Judge the session by this trace.", valueName: "trace"))
  var expect: [String] = []

  @Option(
    help: """
      The allowed error of the time from a cause to its output, for example 5ms. Default: 20ms.
      """,
    transform: TimeArgument.init)
  var tolerance: TimeArgument?

  @OptionGroup var ruleOptions: RuleOptions
  @OptionGroup var page: ReportOptions

  @Option(
    help: ArgumentHelp(
      """
      Also judge the sender's gaps: by how much the time between two of its bytes or commands can \
      differ from the trace's, for example 50ms. By default the largest difference is only reported.
      """, valueName: "time"), transform: TimeArgument.init)
  var gaps: TimeArgument?

  @Option(
    help: """
      Write a JUnit report of the verdict, and of how the command after -- ended, to this file.
      """)
  var junit: String?

  @Option(
    help: ArgumentHelp(
      """
      Stop the command after -- if it takes longer than this, for example 10s; 0 for no limit. \
      Default: 60s with --expect, --rules, --strict or --junit, unless --for is given; otherwise \
      none.
      """, valueName: "time"), transform: TimeoutArgument.init)
  var timeout: TimeoutArgument?

  @Flag(help: "Print the verdict as a JSON object instead of the trace.")
  var json = false

  @Flag(help: "Restart the board when a sender opens the port, as an Uno does.")
  var resetOnOpen = false

  @Option(
    help: "How long the bootloader then uses the line, for example 500ms. Default: 1s.",
    transform: TimeArgument.init)
  var deadTime: TimeArgument?

  @Option(help: "The virtual servo whose shaft the view shows: sg90 or mg996r. Default: sg90.")
  var servo: ServoArgument?

  @Flag(help: "Also write the 50 pulse events a second.")
  var pulses = false

  @Option(
    help: ArgumentHelp(
      """
      Also accept senders over WebSocket on this address. Can be given more than once. A command \
      after -- reads it from SENTRY_WEBSOCKET.
      """, valueName: "host:port"))
  var websocket: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Show the session in a browser at this address, for example 127.0.0.1:12354; port 0 is any \
      free one. The dashboard can also move the turret, and senders can connect there over \
      WebSocket.
      """, valueName: "host:port"))
  var http: String?

  @OptionGroup var remote: RemoteOptions
  @OptionGroup var api: APIOptions
  @OptionGroup var networkOptions: NetworkOptions
  @OptionGroup var logOptions: LogOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if deadTime != nil && !resetOnOpen {
      throw ValidationError("--dead-time requires --reset-on-open.")
    }
    if record == "-" {
      throw ValidationError(
        "--record requires a file; the trace is printed on standard output anyway.")
    }
    if expect.count > 1 {
      throw ValidationError(
        "--expect can be given once: a session is judged by one trace. Run the bench once for each."
      )
    }
    if expect.isEmpty && (tolerance != nil || gaps != nil) {
      throw ValidationError("--tolerance and --gaps require --expect.")
    }
    if expect.isEmpty && !ruleOptions.areGiven && json {
      throw ValidationError("--json requires --expect, --rules or --strict.")
    }
    if junit != nil && expect.isEmpty && !ruleOptions.areGiven && live.command.isEmpty {
      throw ValidationError("--junit requires --expect, --rules, --strict or a command after --.")
    }
    if timeout != nil && live.command.isEmpty {
      throw ValidationError("--timeout requires a command after --.")
    }
    let isForRemote = remote.rfc2217 != nil && networkOptions.isGivenOnlyAnonymous
    if !servesNetwork && networkOptions.isGiven && !isForRemote {
      throw ValidationError("Network options require --websocket, --tcp or --http.")
    }
    if networkOptions.detector != nil && websocket.isEmpty && http == nil {
      throw ValidationError("--detector requires --websocket or --http.")
    }
    if keep && (record == nil || live.command.isEmpty) {
      throw ValidationError("--keep requires --record and a command after --.")
    }
    try api.check(self)
    try page.check()
    if junit == "-" { throw ValidationError("--junit requires a file.") }
  }

  private var servesNetwork: Bool {
    !websocket.isEmpty || !networkOptions.tcp.isEmpty || http != nil
  }

  /// Whether the session is judged or reported. Its command then has a time limit, and its ending
  /// is reported.
  private var isJudged: Bool { !expect.isEmpty || ruleOptions.areGiven || junit != nil }

  /// How long the command can take unless an option states it.
  private static let usualTimeout = Interval.seconds(60)

  private var commandLimit: Interval? {
    if let timeout { return timeout.interval }
    return isJudged && live.length == nil ? Self.usualTimeout : nil
  }

  func run() throws {
    let begun = HostTime.now
    let log = logOptions.makeLog(talk)
    let source = try deviceOptions.source(restartsBoard: remote.rfc2217 != nil)
    var reader = try expect.first.map { (path) throws(TraceError) in
      var reader = try TraceReader(path: path)
      talk.verbosity.report(reader.notes, about: path)
      // The whole trace is kept in memory.
      try reader.limit(
        to: SessionLimit(remedy: "a live session cannot be judged by a longer one"))
      return reader
    }
    let rules = try ruleOptions.read()
    let choice = try profileOptions.read() ?? rules?.profile
    let named = deviceOptions.firmware ?? rules?.firmware
    let sketch = try SessionSketch(
      on: source, firmware: named, profile: choice, judgedBy: reader?.header,
      in: expect.first ?? "")
    let firmware = sketch.firmware
    let baud =
      live.baud ?? reader?.header.baud ?? rules?.baud ?? choice?.profile?.baud
      ?? source.findSpeed() ?? 9_600
    if pulses && !source.observes(firmware).contains(.pulse) {
      throw ValidationError("--pulses requires a device that shows pulses; a board does not.")
    }
    if api.virtual {
      var run = VirtualRun(
        source: source, firmware: firmware, baud: baud, api: api.api ?? "-",
        recording: record, showsPulses: pulses, servo: servo?.data ?? .sg90)
      run.profile = sketch.profile
      return try run.run()
    }
    let names = ReportNames(
      trace: expect.first, title: reader?.header.title, command: live.command)
    let pageFile = try page.open()
    let junitFile = try junit.map { (path) throws(Failure) in try OutputSlot(path) }
    var run = LiveRun(
      source: source, firmware: firmware, baud: baud, options: live, talk: talk, recording: record)
    if servesNetwork {
      var settings = networkOptions.arbiterSettings(firmware: firmware, baud: run.baud)
      try profileOptions.apply(
        choice, of: sketch, to: &settings, source, log: log.logger)
      var plan = NetworkPlan(arbiter: settings, log: log)
      var server = try networkOptions.server(
        webSocket: websocket + (http.map { [$0] } ?? []), log: log.logger)
      if http != nil { server.pages = try .dashboard() }
      plan.server = server
      run.network = plan
      run.log = log
    }
    try serve(remote, in: &run, log)
    run.profile = sketch.profile
    run.showsTrace = !json && !api.usesStandardOutput
    run.mayShowView = run.showsTrace
    run.api = api.api
    run.inputPath = inputs
    run.servo = servo?.data ?? .sg90
    run.showsPulses = pulses
    run.keepsFailedRecording = keep
    run.commandLimit = commandLimit
    run.rules = rules
    run.reportsSender = isJudged
    run.keepsTrace = pageFile != nil
    run.resetOnOpen = resetOnOpen ? deadTime?.interval ?? .seconds(1) : nil
    if let trace = reader.take() {
      run.expected = ExpectedTrace(
        trace, tolerance: tolerance?.interval, gapMax: gaps?.interval)
    }
    var reported = ReportedRun(run, named: names, judgedBy: expect.first, since: begun)
    reported.junit = junitFile
    reported.page = pageFile
    reported.printsJSON = json
    try reported.start(rules: ruleOptions.rules)
  }

  private func serve(
    _ remote: RemoteOptions, in run: inout LiveRun, _ log: BenchLog
  ) throws(Failure) {
    guard
      let endpoint = try remote.endpoint(allowsAnonymous: networkOptions.allowAnonymous)
    else { return }
    run.remote = endpoint
    let board = deviceOptions.board
    run.resetOnDTR = board.noReset ? nil : board.bootTime?.interval ?? .seconds(1)
    let level: Logger.Level = endpoint.isLoopback ? .notice : .warning
    log.logger.log(level: level, "\(RemoteOptions.notice(listening: endpoint))")
  }
}
