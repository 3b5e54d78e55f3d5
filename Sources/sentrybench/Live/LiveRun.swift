import Bench
import Serial
import Traces
import Turret

/// A live session from its first to its last line: sets up what `run` and `record` want, lets it run and
/// says how it went.
struct LiveRun {
  var source: any DeviceSource
  var firmware: Firmware
  var baud: Int
  var options: LiveOptions
  var talk: TalkOptions
  /// The file that the session is written to; nil: none.
  var recording: String?
  /// Whether the trace goes to standard output, where there is no view.
  var showsTrace = true
  /// Whether there may be a view.
  var mayShowView = true
  var servo = ServoData.sg90
  var showsPulses = false
  /// How long the bootloader owns the line when a sender opens the port; nil: opening resets nothing.
  var resetOnOpen: Interval?
  /// Whether a board that was unplugged is waited for.
  var rejoins = false
  /// Makes the session's judge, once there is a device.
  var makeJudge: (any Device) throws -> LiveJudge? = { _ in nil }

  /// Runs the session. `show` says what the judge found, and throws unless it agrees.
  func run(show: (Verdict) throws(Failure) -> Void = { _ in }) throws {
    var header = Header(firmware: firmware, baud: baud, duration: nil, title: nil)
    try check()
    let door = try Failure.from { () throws(SerialError) in try PtyDoor.make(baud: baud) }
    let target = door.path
    let link = try Failure.from { () throws(SerialError) in
      try PortLink.make(at: options.pty ?? PortLink.defaultPath, to: target)
    }
    Signals.link = link.removal
    defer { Signals.link = nil }
    // Not before: what another bench records there, or has recorded, is not lost to a mistake.
    let recording = try recording.map { (path) throws(Failure) in try Recording(path) }

    let hasView = mayShowView && options.command.isEmpty && Console.isOutputWatched
    // Last, as the session of a real board begins here.
    let device = try source.makeDevice(for: header, firmware: firmware, showsPulses: showsPulses)
    header.set(clock: device.clock)
    header.set(start: device.start)
    header.set(source: "sentrybench, \(source.name)")
    header.set(recorded: Wall.now)
    var kinds = device.observes
    if !showsPulses { kinds.remove(.pulse) }
    let judge = try makeJudge(device)
    if let refusal = judge?.refusal { try show(refusal) }

    let refusal = refusalToGoBack(on: device, isJudged: judge != nil)
    let view = hasView ? makeView(link.absolutePath, hasKeys: refusal == nil) : nil
    let sinks = LiveSinks(
      header, showsTrace: showsTrace && view == nil, view: view,
      recording: recording, judge: judge)
    let bench = try LiveBench(
      plan(link.absolutePath, header, refusal), door, LiveSession(device, baud: baud, kinds: kinds),
      sinks,
      view)
    if !talk.quiet { Console.report(greeting(link.absolutePath)) }
    let ending = try bench.run()
    for notice in view?.notices ?? [] { Console.report("sentrybench: \(notice)") }
    if !talk.quiet { Console.report(LiveReport.text(bench, sinks)) }
    try conclude(ending, bench, sinks, show)
  }

  /// Before there is a link, so that the bench does not take its own for the board's port.
  private func check() throws(Failure) {
    do throws(DeviceError) {
      try source.check()
    } catch {
      throw Failure(error)
    }
  }

  /// What was written or judged cannot be taken back, and no board can be put back.
  private func refusalToGoBack(on device: any Device, isJudged: Bool) -> String? {
    if device.isRealTime { return "There is no going back: a board cannot be put back." }
    if recording != nil { return "There is no going back with --record: what is written stays." }
    if isJudged { return "There is no going back with --expect: what is judged stays." }
    return nil
  }

  private func plan(_ port: String, _ header: Header, _ refusal: String?) -> LivePlan {
    var plan = LivePlan(
      port: port, baud: baud, resetOnOpen: resetOnOpen, end: options.end, command: options.command)
    plan.isVerbose = talk.verbose
    plan.refusalToGoBack = refusal
    if rejoins {
      plan.rejoin = { [source, firmware] origin in
        try? source.rejoin(for: header, firmware: firmware, since: origin)
      }
    }
    return plan
  }

  private func makeView(_ port: String, hasKeys: Bool) -> LiveView? {
    guard let screen = TerminalScreen() else { return nil }
    var status = LiveStatus(port: port, device: source.name, firmware: firmware, baud: baud)
    status.recording = recording
    if hasKeys { status.keys = "b: 5 s back" }
    status.hints = PortHints.lines(for: port)
    return LiveView(screen, status, servo: servo, hasPulses: showsPulses)
  }

  private func greeting(_ port: String) -> String {
    guard options.command.isEmpty else { return "\(port): \(firmware) at \(baud) baud" }
    return """
      \(port): \(firmware) at \(baud) baud; Ctrl-C ends it. To move the turret:
        \(PortHints.lines(for: port).joined(separator: "\n  "))
      """
  }

  /// The session's one status.
  private func conclude(
    _ ending: LiveBench.Ending, _ bench: LiveBench, _ sinks: LiveSinks,
    _ show: (Verdict) throws(Failure) -> Void
  ) throws(Failure) {
    var disagreement: Failure?
    do throws(Failure) {
      if let verdict = sinks.verdict(at: bench.end) { try show(verdict) }
    } catch {
      disagreement = error
    }
    switch ending {
    case .signal(let number): throw Failure(.signal(number))
    case .fault(let error): throw Failure(error)
    case .time, .command: break
    }
    if let status = bench.commandStatus, status != .agree { throw Failure(status) }
    if let failure = sinks.recordingFailure { throw Failure(failure.status) }
    if let disagreement { throw disagreement }
  }
}
