package import Devices
package import Engine
import Serial
import Traces
import Turret
import Verification

/// A session in virtual time from its first to its last request.
package struct VirtualRun {
  private let source: any DeviceSource
  private let plan: SessionPlan
  /// The path of the socket for a client's requests; `-` is standard input and output.
  private let api: String
  /// The file that the session is recorded to; nil for none.
  private let recording: String?

  package init(
    _ plan: SessionPlan, on source: any DeviceSource, api: String, recording: String?
  ) {
    self.source = source
    self.plan = plan
    self.api = api
    self.recording = recording
  }

  /// Runs the session. Throws `Failure(.disagree)` if a rule of the client has failed.
  package func run() throws { try run(on: source) }

  private func run(on source: some DeviceSource) throws {
    let port = try APIPort(api)
    let recording = try recording.map { (path) throws(Failure) in try Recording(path) }
    let (bench, runner) = try Self.begin(
      plan, on: source, for: port, showsTrace: port.path != nil, recording: recording)
    try bench.run(runner)
    try Self.conclude(bench, runner)
  }

  /// Creates the session.
  static func begin<Source: DeviceSource>(
    _ plan: SessionPlan, on source: Source, for client: any APIConnection, showsTrace: Bool,
    recording: consuming Recording?
  ) throws -> (VirtualBench<Source.Made>, APIRunner) {
    var plan = plan
    plan.showsNamedPins = true
    let start = try plan.begin(on: source)
    var setting = APISetting(header: start.header, setup: start.setup, device: source.name)
    setting.isVirtual = true
    setting.takesInputs = start.device.capabilities.takesInputs
    let runner = APIRunner(setting, on: client)
    let sinks = LiveSinks(
      start.header, showsTrace: showsTrace, view: nil, recording: recording, judge: nil)
    sinks.api = runner
    let bench = VirtualBench(
      Session(start.device, baud: plan.baud, kinds: start.setup.observes), sinks,
      format: source.findFormat(), inputs: source.inputs)
    return (bench, runner)
  }

  /// Judges the session, and reports to the client how it ended.
  static func conclude(_ bench: VirtualBench<some RealTimeDevice>, _ runner: APIRunner)
    throws(Failure)
  {
    let hasFailed = runner.judge(at: bench.end)
    let failure =
      bench.fault.map { Failure($0) } ?? bench.recordingFailure
      ?? (hasFailed ? Failure(.disagree) : nil)
    runner.close(status: failure?.status ?? .agree)
    if let failure { throw failure }
  }
}

/// A session in virtual time, without a port: time passes only when a client requests it.
final class VirtualBench<D: RealTimeDevice>: APIBench {
  /// The time after which writing to a slow client is tried again.
  private static var retry: Interval { .milliseconds(20) }

  private var session: Session<D>
  private let outputs: LiveSinks
  private var isEnding = false

  /// `inputs` are applied to the pins at time 0.
  init(
    _ session: Session<D>, _ outputs: LiveSinks, format: LineFormat, inputs: [BoardInput]
  ) {
    self.session = session
    self.outputs = outputs
    self.session.begin(inputs) { outputs.put($0) }
    if format != .standard {
      self.session.take(.format(format), at: .zero) { outputs.put($0) }
    }
  }

  /// When the session ended, in its own time.
  var end: Instant { session.now }
  /// The recording's error; nil if there is none.
  var recordingFailure: Failure? { outputs.recordingFailure }
  /// When the device next does something; nil if never.
  var nextDeadline: Instant? { session.nextDeadline }
  /// Why the device no longer works; nil while it does.
  var fault: DeviceError? { session.device.fault }

  /// Handles requests until the client or a fault ends the session.
  func run(_ api: APIRunner) throws(Failure) {
    while try turn(api) {
      let isBehind = api.isBehind || outputs.isBehind
      _ = Poller.wait(api.descriptors, timeout: isBehind ? Self.retry : nil)
    }
    try finish()
  }

  /// Handles the requests that have arrived. Returns whether the session continues.
  func turn(_ api: APIRunner) throws(Failure) -> Bool {
    api.begin(on: self)
    api.advance(on: self)
    _ = try outputs.flush()
    return !isEnding && fault == nil
  }

  /// Ends the session.
  func finish() throws(Failure) {
    session.finish(at: session.now) { outputs.put($0) }
    try outputs.finish()
  }

  // MARK: Requests

  var apiMoment: APIMoment {
    var moment = APIMoment(now: session.now, settled: session.settled, baud: session.port.baud)
    let device = session.device
    moment.activity = device.activity
    moment.counts = outputs.counts
    moment.commands = device.capabilities.reportsFates ? session.ledger.commands : nil
    moment.onTheWay = session.onTheWayCount
    moment.waiting = device.waitingCount
    return moment
  }

  func take(_ kind: Event.Kind, at instant: Instant?) -> Instant {
    let instant = instant ?? session.now
    if case .baud(let baud) = kind {
      session.setSpeed(to: baud, at: instant) { outputs.put($0) }
    } else {
      session.take(kind, at: instant) { outputs.put($0) }
    }
    // Rules judge the speed by the event; the client needs no remark.
    _ = session.takeEffects()
    return session.now
  }

  func watch(_ pins: Set<BoardPin>) { session.watch(pins) }

  func run(until end: Instant) { session.pass(to: end) { outputs.put($0) } }

  func requestEnd() { isEnding = true }
}
