import ArgumentParser
import Bench
import Serial
import Traces
import Turret

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "The bench, live: a device in real time behind a pty.",
    discussion: """
      Any program that can write to a serial port can drive the turret. On a terminal the bench shows \
      what happens, elsewhere it prints the trace. It runs until Ctrl-C, for --for, or until the \
      command after -- ends; that command finds the port in SENTRY_PORT, and its standard output is \
      the bench's standard error. When the bench ends first, it ends the command with SIGTERM, after \
      two seconds with SIGKILL. The status is the command's if that is not 0, else 1 where --expect \
      disagrees.
      """)

  @OptionGroup var deviceOptions: DeviceOptions

  @Option(help: "The board's speed in bits a second. Default: what --expect says, else 9600.")
  var baud: Int?

  @Option(
    help: """
      The symbolic link to the pty. Default: ttySentry in $XDG_RUNTIME_DIR, else in the temporary \
      folder. Only a link that a bench has left behind is replaced.
      """)
  var pty: String?

  @Option(help: "Write the session to this file, line by line.")
  var record: String?

  @Option(name: .customLong("for"), help: "End by itself after this time, for example 10s.")
  var length: TimeArgument?

  @Option(help: "Judge the session by this trace.")
  var expect: String?

  @Option(help: "How early or late after its cause an output may be; overrides 20ms.")
  var tolerance: TimeArgument?

  @Option(help: "Write a JUnit report of the judgement to this file.")
  var junit: String?

  @Flag(help: "Print the judgement as a JSON object instead of the trace.")
  var json = false

  @Flag(help: "Restart the board when a sender opens the port, as an Uno does.")
  var resetOnOpen = false

  @Option(help: "How long the bootloader owns the line then. Default: 1s.")
  var deadTime: TimeArgument?

  @Option(help: "The virtual servo whose shaft the view shows: sg90 or mg996r. Default: sg90.")
  var servo: ServoArgument?

  @Flag(help: "Write the 50 pulse events a second too.")
  var pulses = false

  @OptionGroup var talk: TalkOptions

  @Argument(
    parsing: .postTerminator,
    help: "After --: a sender to run against the bench, with the port in SENTRY_PORT.")
  var command: [String] = []

  func validate() throws {
    if let baud, !SerialLine.bauds.contains(baud) {
      throw ValidationError("--baud takes a speed from 1 to \(SerialLine.bauds.upperBound).")
    }
    if deadTime != nil && !resetOnOpen {
      throw ValidationError("--dead-time goes with --reset-on-open.")
    }
    if let length, length.interval < .milliseconds(1) {
      throw ValidationError("--for takes a time from 1ms.")
    }
    if record == "-" {
      throw ValidationError("--record takes a file; the trace goes to standard output anyway.")
    }
    if expect == nil && (tolerance != nil || junit != nil || json) {
      throw ValidationError("--tolerance, --junit and --json go with --expect.")
    }
    if junit == "-" { throw ValidationError("--junit takes a file.") }
  }

  func run() throws {
    let source = try deviceOptions.source()
    let begun = HostTime.now
    var reader = try expect.map { (path) throws(TraceError) in try TraceReader(path: path) }
    let firmware = deviceOptions.firmware ?? reader?.header.firmware ?? .guarded
    let baud = baud ?? reader?.header.baud ?? 9_600
    var header = Header(firmware: firmware, baud: baud, duration: nil, title: nil)
    let junitFile = try junit.map { (path) throws(Failure) in try OutputSlot(path) }
    let recording = try record.map { (path) throws(Failure) in try Recording(path) }
    let door = try Failure.from { () throws(SerialError) in try PtyDoor.make(baud: baud) }
    let target = door.path
    let link = try Failure.from { () throws(SerialError) in
      try PortLink.make(at: pty ?? PortLink.defaultPath, to: target)
    }
    let slot = Signals.register(link.path)
    defer { Signals.unregister(slot) }

    let screen = isWatched ? TerminalScreen() : nil
    let isWatched = screen != nil
    // Last, as the session of a real board begins here.
    let device = try source.makeDevice(
      for: header, firmware: firmware, showsPulses: pulses || isWatched)
    header.set(clock: device.clock)
    header.set(start: device.start)
    header.set(source: "sentrybench, \(source.name)")
    header.set(recorded: Wall.now)
    var kinds = device.observes
    if !pulses { kinds.remove(.pulse) }
    let judge = try judge(&reader, firmware, device)
    if let refusal = judge?.refusal { try show(refusal, since: begun, in: junitFile) }

    let plan = LivePlan(
      port: link.path, baud: baud,
      resetOnOpen: resetOnOpen ? deadTime?.interval ?? .seconds(1) : nil,
      end: length.map { .zero + .microseconds($0.interval.nanoseconds / 1_000) },
      command: command)
    var status = LiveStatus(port: link.path, device: source.name, firmware: firmware, baud: baud)
    status.recording = record
    status.hints = PortHints.lines(for: link.path)
    var view: LiveView?
    if let screen {
      view = LiveView(
        screen, status, servo: servo?.data ?? .sg90, hasPulses: device.observes.contains(.pulse))
    }
    let outputs = LiveSinks(
      header, kinds: kinds, showsTrace: !json && !isWatched, view: view, recording: recording,
      judge: judge)
    let session = LiveSession(device, kinds: isWatched ? device.observes : kinds)
    let bench = try LiveBench(plan, door, session, outputs, view)
    if !talk.quiet { Console.report(greeting(link.path, firmware, baud)) }
    let ending = try bench.run()
    for notice in view?.notices ?? [] { Console.report("sentrybench: \(notice)") }
    if !talk.quiet { Console.report(LiveReport.text(bench, outputs)) }
    try finish(ending, bench, outputs) { (verdict) throws(Failure) in
      try show(verdict, since: begun, in: junitFile)
    }
  }

  /// Whether a person looks on: the command after -- has the terminal for itself.
  private var isWatched: Bool {
    command.isEmpty && !json && Console.isOutputWatched
  }

  private func judge(
    _ reader: inout TraceReader?, _ firmware: Firmware, _ device: any Device
  ) throws -> LiveJudge? {
    guard var trace = reader.take() else { return nil }
    return try LiveJudge(
      expected: &trace, firmware: firmware, observes: device.observes,
      tolerance: tolerance?.interval, start: device.start)
  }

  /// Reports a verdict; one that is not agreement ends the command.
  private func show(
    _ verdict: Verdict, since begun: HostTime, in junit: OutputSlot?
  ) throws(Failure) {
    var report = TraceReport(path: expect ?? "")
    report.verdict = verdict
    report.elapsed = .nanoseconds((HostTime.now - begun).nanoseconds)
    if json { try Console.write(report.json) }
    if let text = report.text(isVerbose: !talk.quiet) { Console.report(text) }
    try junit?.write(JUnit.report([report], of: "run", in: report.elapsed))
    if report.status != .agree { throw Failure(report.status) }
  }

  private func finish(
    _ ending: LiveBench.Ending, _ bench: LiveBench, _ outputs: LiveSinks,
    _ show: (Verdict) throws(Failure) -> Void
  ) throws(Failure) {
    var disagreement: Failure?
    do throws(Failure) {
      if let verdict = outputs.verdict(at: bench.end) { try show(verdict) }
    } catch {
      disagreement = error
    }
    if case .signal(let number) = ending { throw Failure(.signal(number)) }
    if let status = bench.commandStatus, status != .agree { throw Failure(status) }
    if let failure = outputs.recordingFailure { throw Failure(failure.status) }
    if let disagreement { throw disagreement }
  }

  private func greeting(_ port: String, _ firmware: Firmware, _ baud: Int) -> String {
    guard command.isEmpty else { return "\(port): \(firmware) at \(baud) baud" }
    return """
      \(port): \(firmware) at \(baud) baud; Ctrl-C ends it. To move the turret:
        \(PortHints.lines(for: port).joined(separator: "\n  "))
      """
  }
}
