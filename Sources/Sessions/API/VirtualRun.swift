package import Devices
package import Engine
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
