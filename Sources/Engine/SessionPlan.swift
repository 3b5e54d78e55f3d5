package import Devices
package import Judging
package import Sketches
package import Traces

/// What options, a scenario, a trace or a request state about a session. What they do not state is
/// nil, and `SessionPlan` fills it in.
package struct StatedSession: Sendable {
  package var title: String?
  package var firmware: Firmware?
  package var profile: ProfileChoice?
  /// The board's speed in bits a second.
  package var baud: Int?
  package var servo: ServoData?
  package var showsPulses = false
  /// Whether it is recorded how the program runs, if the device can.
  package var isRecorded = false
  /// What a camera on the turret sees.
  package var view: CameraView?
  /// The faults on the sender's line, and their seed.
  package var faults: [FaultSpec] = []
  package var seed: UInt64?
  /// The names of the pins that rules are about.
  private(set) var pinNames: Set<String> = []
  /// The header of the trace that judges the session, and the profile in it. That counts unless
  /// another is stated.
  private(set) var judge: Header?
  private(set) var tracedProfile: Profile?
  /// The speed that the scenario states. That of the trace comes first.
  private(set) var scenarioBaud: Int?

  package init() {}

  /// Adds what the trace states that judges the session. `path` is the trace's, for messages.
  package mutating func add(_ header: Header, in path: String) throws(TraceError) {
    judge = header
    if profile == nil { tracedProfile = try header.ownProfile(in: path) }
  }

  /// Adds what a scenario states. `profile` is the one that it names.
  package mutating func add(_ scenario: Scenario, _ profile: ProfileChoice?) {
    title = title ?? scenario.name
    firmware = firmware ?? scenario.firmware
    self.profile = self.profile ?? profile
    scenarioBaud = scenario.baud
    faults = scenario.faults + faults
    seed = seed ?? scenario.seed
  }

  /// Adds what rules need to see.
  package mutating func add(_ rules: [Rule]) {
    pinNames.formUnion(rules.flatMap { $0.pinNames })
    if rules.contains(where: { $0.needsPulses }) { showsPulses = true }
    if rules.contains(where: { $0.requirement.needsRecord }) { isRecorded = true }
  }
}

/// The settings of a session, whoever runs it. What was not stated is filled in here, and only
/// here.
package struct SessionPlan: Sendable {
  package var title: String?
  package var sketch: SessionSketch
  /// The board's speed in bits a second.
  package var baud: Int
  package var servo: ServoData
  package var showsPulses: Bool
  /// Whether it is recorded how the program runs.
  package var isRecorded: Bool
  package var view: CameraView?
  /// The faults on the sender's line; nil for none.
  package var faults: FaultPlan?
  /// Whether the levels of pins are shown.
  package var showsLevels = true
  private let pinNames: Set<String>

  package init(_ stated: StatedSession, on source: some DeviceSource) {
    self.init(stated, of: SessionSketch(stated, on: source), on: source)
  }

  /// Creates the settings of a session whose sketch is known.
  package init(_ stated: StatedSession, of sketch: SessionSketch, on source: some DeviceSource) {
    title = stated.title
    self.sketch = sketch
    baud =
      stated.baud ?? stated.judge?.baud ?? stated.scenarioBaud ?? stated.profile?.profile?.baud
      ?? source.findSpeed() ?? SerialLine.usualBaud
    servo = stated.servo ?? .sg90
    showsPulses = stated.showsPulses
    isRecorded = stated.isRecorded
    view = stated.view
    if !stated.faults.isEmpty {
      faults = FaultPlan(stated.faults, seed: stated.seed ?? FaultPlan.usualSeed)
    }
    pinNames = stated.pinNames
  }

  /// Creates the device, and what depends on it.
  ///
  /// - Parameters:
  ///   - program: the name of the program in the trace's `source`.
  ///   - awaitsBoard: whether the session also begins without its board, which is then absent.
  package func begin<Source: DeviceSource>(
    on source: Source, by program: String = "sentrybench", awaitsBoard: Bool = false
  ) throws(DeviceError) -> SessionStart<Source.Made> {
    var header = Header(firmware: sketch.firmware, baud: baud, duration: nil, title: title)
    var device = try device(on: source, for: header, awaitsBoard: awaitsBoard)
    let capabilities = device.capabilities
    header.set(clock: capabilities.clock)
    header.set(start: capabilities.start)
    if let profile = sketch.profile { header.set(profile, on: source) }
    header.set(source: "\(program), \(source.name)")
    let kinds = capabilities.observes.filter { kind in
      (showsPulses || !kind.isOnRequest) && (showsLevels || kind != .pin)
    }
    var setup = SessionSetup(
      firmware: sketch.firmware, profile: sketch.profile, timing: source.timing, baud: baud,
      on: capabilities, showing: kinds, servo: servo)
    setup.servoRange = source.servoRange
    setup.view = view
    if let view { header.set(view: view) }
    setup.watch(pinNames, profile: true, besides: source.pins, on: &device)
    if isRecorded { setup.record(on: &device) }
    if kinds.contains(.pin) { header.set(pins: setup.shownPins) }
    return SessionStart(device: device, header: header, setup: setup, faults: faults)
  }

  private func device<Source: DeviceSource>(
    on source: Source, for header: Header, awaitsBoard: Bool
  ) throws(DeviceError) -> Source.Made {
    do throws(DeviceError) {
      return try source.makeDevice(for: header, firmware: sketch.firmware, showsPulses: showsPulses)
    } catch {
      guard awaitsBoard, error.code == .unavailable,
        let absent = source.absent(sketch.firmware, baud: baud, for: error)
      else { throw error }
      return absent
    }
  }
}

/// What a session begins with.
package struct SessionStart<D: Device>: Sendable {
  package var device: D
  /// The header of its trace, which does not state yet how long it lasts.
  package var header: Header
  /// What its rules must know. It names the kinds of output that the session shows.
  package let setup: SessionSetup
  /// The faults on the sender's line; nil for none.
  package var faults: FaultPlan?
}
