package import Devices
import Traces
package import Turret
import Verification

/// A session in virtual time from its first to its last request.
package struct VirtualRun {
  package var source: any DeviceSource
  package var firmware: Firmware
  /// The title of the session's trace; nil for none.
  package var title: String?
  /// The sketch's commands and pins, if they are not those of the firmware.
  package var profile: Profile?
  package var baud: Int
  /// The path of the socket for a client's requests; `-` is standard input and output.
  package var api: String
  /// The file that the session is recorded to; nil for none.
  package var recording: String?
  package var showsPulses: Bool
  package var servo: ServoData

  package init(
    source: any DeviceSource, firmware: Firmware, baud: Int, api: String, recording: String?,
    showsPulses: Bool, servo: ServoData
  ) {
    self.source = source
    self.firmware = firmware
    self.baud = baud
    self.api = api
    self.recording = recording
    self.showsPulses = showsPulses
    self.servo = servo
  }

  /// Runs the session. Throws `Failure(.disagree)` if a rule of the client has failed.
  package func run() throws { try run(on: source) }

  private func run(on source: some DeviceSource) throws {
    let port = try APIPort(api)
    let recording = try recording.map { (path) throws(Failure) in try Recording(path) }
    let (bench, runner) = try begin(
      on: source, for: port, showsTrace: port.path != nil, recording: recording)
    try bench.run(runner)
    try conclude(bench, runner)
  }

  /// Creates the session.
  func begin<Source: DeviceSource>(
    on source: Source, for client: any APIConnection, showsTrace: Bool,
    recording: consuming Recording?
  ) throws -> (VirtualBench<Source.Made>, APIRunner) {
    var header = Header(firmware: firmware, baud: baud, duration: nil, title: title)
    var device = try source.makeDevice(for: header, firmware: firmware, showsPulses: showsPulses)
    let capabilities = device.capabilities
    header.set(clock: capabilities.clock)
    header.set(start: capabilities.start)
    if let profile { header.set(profile, on: source) }
    header.set(source: "sentrybench, \(source.name)")
    var kinds = capabilities.observes
    if !showsPulses { kinds = kinds.filter { !$0.isOnRequest } }
    var setup = SessionSetup(
      firmware: firmware, profile: profile, timing: source.timing, baud: baud,
      on: capabilities, showing: kinds, servo: servo)
    setup.watch([], profile: true, besides: source.pins, on: &device)
    if kinds.contains(.pin) { header.set(pins: setup.shownPins) }
    var setting = APISetting(header: header, setup: setup, device: source.name)
    setting.isVirtual = true
    setting.takesInputs = capabilities.takesInputs
    let runner = APIRunner(setting, on: client)
    let sinks = LiveSinks(
      header, showsTrace: showsTrace, view: nil, recording: recording, judge: nil)
    sinks.api = runner
    let bench = VirtualBench(
      LiveSession(device, baud: baud, kinds: kinds), sinks, baud: baud, format: source.findFormat(),
      inputs: source.inputs)
    return (bench, runner)
  }

  /// Judges the session, and reports to the client how it ended.
  func conclude(_ bench: VirtualBench<some RealTimeDevice>, _ runner: APIRunner) throws(Failure) {
    let hasFailed = runner.judge(at: bench.end)
    let failure =
      bench.fault.map { Failure($0) } ?? bench.recordingFailure
      ?? (hasFailed ? Failure(.disagree) : nil)
    runner.close(status: failure?.status ?? .agree)
    if let failure { throw failure }
  }
}
