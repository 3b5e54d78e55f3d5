package import Devices
package import Gateway
package import Log
import Logging
import Networking
import Pictures
import Serial
import Traces
package import Turret
package import Verification

/// A live session from its first to its last line: sets up what the command wants, lets it run and
/// says how it went.
package struct LiveRun {
  package var source: any DeviceSource
  package var firmware: Firmware
  package var baud: Int
  package var verbosity: Verbosity
  /// Whether there is a pty, and where the link to it goes; nil: the default place.
  package var hasPty = true
  package var link: String?
  /// The network that the session is on; nil: none.
  package var network: NetworkPlan?
  package var log: BenchLog?
  /// Where the session ends by itself.
  package var end: Instant?
  /// The command that is run against the bench; empty: none.
  package var command: [String] = []
  /// The file that the session is written to; nil: none.
  package var recording: String?
  /// How a recording is kept in bounds; nil: it is one file, written anew.
  package var rotation: RotationPolicy?
  /// Whether the trace goes to standard output, where there is no view.
  package var showsTrace = true
  /// Whether there may be a view.
  package var mayShowView = true
  package var servo = ServoData.sg90
  package var showsPulses = false
  /// How long the bootloader owns the line when a sender opens the port; nil: opening resets
  /// nothing.
  package var resetOnOpen: Interval?
  /// Whether a board that was unplugged is waited for.
  package var rejoins = false
  /// Whether a board that is not there at the start is waited for too.
  package var startsWithoutBoard = false
  /// Makes the session's judge, once there is a device.
  package var makeJudge: (any Device) throws -> LiveJudge? = { _ in nil }

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

  /// Runs the session. `show` says what the judge found, and throws unless it agrees.
  package func run(show: @escaping (Verdict) throws(Failure) -> Void = { _ in }) throws {
    if !startsWithoutBoard { try check() }
    let port = hasPty ? try LivePort(link: link, baud: baud) : nil
    defer { Signals.link = nil }
    // Not before: what another bench records there, or has recorded, is not lost to a mistake.
    let recording = try recording.map { (path) throws(Failure) in try LiveRecording(path, rotation)
    }

    let live: Live
    let ending: LiveBench.Ending
    if let network {
      (live, ending) = try runOnNetwork(network, port, recording, show)
    } else {
      live = try setUp(port, recording, nil, ListeningAddresses(), show)
      ending = try LiveDriver.run(live.bench)
    }
    for notice in live.view?.notices ?? [] { Console.remark(notice) }
    if verbosity != .quiet { for line in LiveReport.lines(live.bench, live.sinks) { say(line) } }
    log?.writer.drain(within: Self.logPatience)
    try conclude(ending, live.bench, live.sinks, show)
  }

  /// A reader of the log that takes nothing is given so long at the end.
  private static let logPatience = Interval.milliseconds(500)

  /// What a session is once it has a device.
  private struct Live {
    var bench: LiveBench
    var sinks: LiveSinks
    var view: LiveView?
  }

  private func runOnNetwork(
    _ network: NetworkPlan, _ port: LivePort?, _ recording: LiveRecording?,
    _ show: @escaping (Verdict) throws(Failure) -> Void
  ) throws -> (Live, LiveBench.Ending) {
    var live: Live?
    var networked: NetworkedBench?
    do {
      try NetworkStage.run(network, wait: NetworkedBench.wait) { door, addresses in
        let made = try setUp(port, recording, door, addresses, show)
        live = made
        let bench = NetworkedBench(made.bench)
        networked = bench
        return bench
      }
    } catch let error as NetworkError {
      throw Failure(error)
    }
    guard let live, let ending = networked?.ending else {
      throw Failure(.unavailable, "error: the network ended before the session did")
    }
    return (live, ending)
  }

  /// All that needs the device.
  private func setUp(
    _ port: LivePort?, _ recording: LiveRecording?, _ door: ArbiterRunner?,
    _ addresses: ListeningAddresses, _ show: (Verdict) throws(Failure) -> Void
  ) throws -> Live {
    var header = Header(firmware: firmware, baud: baud, duration: nil, title: nil)
    let hasView = mayShowView && command.isEmpty && Console.isOutputWatched
    // Last, as the session of a real board begins here.
    let device = try makeDevice(for: header)
    header.set(clock: device.clock)
    header.set(start: device.start)
    header.set(source: "sentrybench, \(source.name)")
    header.set(recorded: Wall.now)
    var kinds = device.observes
    if !showsPulses { kinds.remove(.pulse) }
    let judge = try makeJudge(device)
    if let refusal = judge?.refusal { try show(refusal) }

    let refusal = refusalToGoBack(on: device, isJudged: judge != nil, hasNetwork: door != nil)
    let reach = LiveReach(
      port: port?.path, addresses: addresses, hasTLS: network?.server?.tls != nil)
    let view = hasView ? makeView(reach, hasKeys: refusal == nil) : nil
    let sinks = LiveSinks(
      header, showsTrace: showsTrace && view == nil, view: view,
      recording: recording?.takePlain(), rotating: recording?.takeRotating(), judge: judge)
    let bench = try LiveBench(
      plan(reach, header, refusal), port?.takeDoor(), door,
      LiveSession(device, baud: baud, kinds: kinds), sinks, view)
    if let door {
      sinks.watchers = door.watchers
      door.watchers.begin(header)
      door.benchStatus = { [log, source] in
        var status = BenchStatus()
        status.device = source.name
        status.boardFailure = bench.boardFailure
        status.degrees = sinks.counts.degrees
        status.recording = sinks.recordingHealth
        status.logLinesDropped = log?.writer.dropped ?? 0
        return status
      }
    }
    if verbosity != .quiet { greet(reach) }
    return Live(bench: bench, sinks: sinks, view: view)
  }

  private func makeDevice(for header: Header) throws(DeviceError) -> any Device {
    do throws(DeviceError) {
      return try source.makeDevice(for: header, firmware: firmware, showsPulses: showsPulses)
    } catch {
      let isAwaited = startsWithoutBoard && error.code == .unavailable
      guard isAwaited, let absent = source.absent(firmware, for: error) else { throw error }
      return absent
    }
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
  private func refusalToGoBack(
    on device: any Device, isJudged: Bool, hasNetwork: Bool
  ) -> String? {
    if hasNetwork {
      return "Rewinding is unavailable with a network: its clients have seen the session."
    }
    if device.isRealTime {
      return "Rewinding is unavailable: the state of a board cannot be restored."
    }
    if recording != nil { return "Rewinding is unavailable with --record: what was written stays." }
    if isJudged { return "Rewinding is unavailable with --expect: what was judged stays." }
    return nil
  }

  private func plan(_ reach: LiveReach, _ header: Header, _ refusal: String?) -> LivePlan {
    var plan = LivePlan(
      environment: reach.environment, baud: baud, resetOnOpen: resetOnOpen, end: end,
      command: command)
    plan.isVerbose = verbosity == .verbose
    plan.refusalToGoBack = refusal
    plan.hasNetwork = network != nil
    plan.say = { say($0) }
    if rejoins {
      plan.rejoin = { [source, firmware] origin in
        try? source.rejoin(for: header, firmware: firmware, since: origin)
      }
    }
    return plan
  }

  /// Says something to people, in the log where there is one.
  private func say(_ line: String) {
    if let log { log.logger.notice("\(line)") } else { Console.remark(line) }
  }

  private func makeView(_ reach: LiveReach, hasKeys: Bool) -> LiveView? {
    guard let screen = TerminalScreen() else { return nil }
    let port = reach.port ?? reach.addresses.webSocket.first?.description ?? ""
    var status = LiveStatus(port: port, device: source.name, firmware: firmware, baud: baud)
    status.recording = recording
    if hasKeys { status.keys = "b: 5 s back" }
    status.hints = reach.port.map(PortHints.lines) ?? []
    return LiveView(screen, status, servo: servo, hasPulses: showsPulses)
  }

  private func greet(_ reach: LiveReach) {
    if let port = reach.port {
      guard command.isEmpty else {
        Console.report("\(port): \(firmware) at \(baud) baud")
        return greetNetwork(reach)
      }
      Console.report(
        text: """
          \(port): \(firmware) at \(baud) baud; Ctrl-C ends it. To move the turret:
            \(PortHints.lines(for: port).joined(separator: "\n  "))
          """)
    }
    greetNetwork(reach)
  }

  private func greetNetwork(_ reach: LiveReach) {
    for url in reach.webSocketURLs { say("listening on \(url)") }
    for url in reach.tcpURLs { say("listening on \(url)") }
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
