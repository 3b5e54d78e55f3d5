import ArgumentParser
import Devices
import Files
import Gateway
import Serial
import Sessions
import Traces
import Turret
import Verification

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "The bench, live: a device in real time behind a pty.",
    discussion: """
      Any program that can write to a serial port can drive the turret. On a terminal the bench shows \
      what happens, elsewhere it prints the trace. It runs until Ctrl-C, for --for, or until the \
      command after -- ends; that command finds the port in SENTRY_PORT, and its standard output is \
      the bench's standard error; it inherits no other descriptor than these and standard input. When the bench ends first, it ends the command with SIGTERM, after \
      two seconds with SIGKILL. In the view the key b takes the session back by 5 s, again further, up to two \
      minutes: the board, the bytes under way and the clock are as they were then; not with --record or \
      --expect, as what is written or judged cannot be taken back. The status is the command's if that is not 0, else 1 where --expect \
      disagrees.
      """)

  @OptionGroup var deviceOptions: DeviceOptions
  @OptionGroup var live: LiveOptions

  @Option(help: "Write the session to this file, line by line.")
  var record: String?

  @Option(help: "Judge the session by this trace.")
  var expect: String?

  @Option(
    help: """
      How early or late after its cause an output may be, for example 5ms. Default: 20ms.
      """)
  var tolerance: TimeArgument?

  @Option(help: "Write a JUnit report of the judgement to this file.")
  var junit: String?

  @Flag(help: "Print the judgement as a JSON object instead of the trace.")
  var json = false

  @Flag(help: "Restart the board when a sender opens the port, as an Uno does.")
  var resetOnOpen = false

  @Option(help: "How long the bootloader owns the line then, for example 500ms. Default: 1s.")
  var deadTime: TimeArgument?

  @Option(help: "The virtual servo whose shaft the view shows: sg90 or mg996r. Default: sg90.")
  var servo: ServoArgument?

  @Flag(help: "Write the 50 pulse events a second too.")
  var pulses = false

  @Option(
    help: ArgumentHelp(
      """
      Let senders in over WebSocket too, on this address; may be given again. A command after -- finds \
      it in SENTRY_WEBSOCKET.
      """, valueName: "host:port"))
  var websocket: [String] = []

  @OptionGroup var networkOptions: NetworkOptions
  @OptionGroup var logOptions: LogOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if deadTime != nil && !resetOnOpen {
      throw ValidationError("--dead-time goes with --reset-on-open.")
    }
    if record == "-" {
      throw ValidationError("--record takes a file; the trace goes to standard output anyway.")
    }
    if expect == nil && (tolerance != nil || junit != nil || json) {
      throw ValidationError("--tolerance, --junit and --json go with --expect.")
    }
    if websocket.isEmpty && networkOptions.tcp.isEmpty && networkOptions.isGiven {
      throw ValidationError("The network's options go with --websocket or --tcp.")
    }
    if junit == "-" { throw ValidationError("--junit takes a file.") }
  }

  func run() throws {
    let begun = HostTime.now
    let log = logOptions.makeLog(talk)
    let source = try deviceOptions.source()
    var reader = try expect.map { (path) throws(TraceError) in
      var reader = try TraceReader(path: path)
      // All of it is kept in memory.
      try reader.limit(to: SessionLimit(remedy: "no live session is judged by a longer one"))
      return reader
    }
    let firmware = deviceOptions.firmware ?? reader?.header.firmware ?? .guarded
    if pulses && !source.observes(firmware).contains(.pulse) {
      throw ValidationError("--pulses wants a device that shows pulses, no board.")
    }
    let junitFile = try junit.map { (path) throws(Failure) in try OutputSlot(path) }
    var run = LiveRun(
      source: source, firmware: firmware, baud: live.baud ?? reader?.header.baud ?? 9_600,
      options: live, talk: talk, recording: record)
    if !websocket.isEmpty || !networkOptions.tcp.isEmpty {
      var plan = NetworkPlan(
        door: networkOptions.doorPlan(firmware: firmware, baud: run.baud), log: log)
      plan.server = try networkOptions.server(webSocket: websocket, log: log.logger)
      run.network = plan
      run.log = log
    }
    run.showsTrace = !json
    run.mayShowView = !json
    run.servo = servo?.data ?? .sg90
    run.showsPulses = pulses
    run.resetOnOpen = resetOnOpen ? deadTime?.interval ?? .seconds(1) : nil
    run.makeJudge = { device in
      guard var trace = reader.take() else { return nil }
      return try LiveJudge(
        expected: &trace, firmware: firmware, observes: device.observes,
        tolerance: tolerance?.interval, start: device.start, baud: run.baud,
        timing: source.timing)
    }
    var report = TraceReport(path: expect ?? "")
    do {
      try run.run { (verdict) throws(Failure) in
        report.verdict = verdict
        if json { try Console.write(report.json) }
        if let text = report.text(isVerbose: !talk.quiet) { Console.report(text: text) }
        if report.status != .agree { throw Failure(report.status) }
      }
    } catch {
      // What else went wrong is an error of the session, whatever the turret did.
      let failure = Self.failure(error)
      if failure.status != .disagree { report.failure = failure }
      report.elapsed = .nanoseconds((HostTime.now - begun).nanoseconds)
      try junitFile?.write(JUnit.report([report], of: "run", in: report.elapsed))
      throw error
    }
    report.elapsed = .nanoseconds((HostTime.now - begun).nanoseconds)
    try junitFile?.write(JUnit.report([report], of: "run", in: report.elapsed))
  }

  private static func failure(_ error: any Error) -> Failure {
    var failure =
      switch error {
      case let failure as Failure: failure
      case let error as TraceError: Failure(error)
      case let error as DeviceError: Failure(error)
      default: Failure(.unavailable, "error: \(error)")
      }
    if failure.message.isEmpty {
      failure.message = "the session ended with status \(failure.status.rawValue)"
    }
    return failure
  }
}
