package import Devices
package import Sketches
package import Traces

/// A trace's session that is to be shrunk, and the devices on which it is run.
package struct ShrinkSubject<Source: DeviceSource>: Sendable {
  package let session: SessionInputs
  private let header: Header
  private let path: String
  private let source: Source
  private let firmware: Firmware
  private let profile: Profile?

  /// Reads a trace. Its own outputs do not matter: the devices of `source` have theirs.
  ///
  /// - Parameters:
  ///   - requested: the sketch; nil for that of the trace.
  ///   - stated: the sketch's commands; nil for those that the trace states.
  package init(
    _ reader: inout TraceReader, firmware requested: Firmware?, profile stated: Profile? = nil,
    on source: Source
  ) throws(TraceError) {
    header = reader.header
    path = reader.path
    self.source = source
    firmware = try source.firmware(of: header, in: path, unless: requested)
    var profile = stated
    if profile == nil { profile = try header.ownProfile(in: path) }
    if profile == nil, requested == nil, let sketch = header.otherFirmware {
      profile = Profile(undescribed: sketch)
    }
    self.profile = profile
    session = try SessionInputs(&reader, as: firmware, keepsNotes: true, for: "shrink")
  }

  /// Creates a subject without a session, for those that are made up.
  package init(firmware: Firmware, profile: Profile?, baud: Int, on source: Source) {
    var header = Header(firmware: firmware, baud: baud, duration: nil, title: nil)
    if let profile { header.set(profile, on: source) }
    self.header = header
    path = "the session"
    self.source = source
    self.firmware = firmware
    self.profile = profile
    session = SessionInputs(firmware: firmware, baud: baud, events: [], end: .zero)
  }

  // MARK: Running

  /// Returns runs that are judged by rules. `open` opens the traces that they name.
  ///
  /// - Parameters:
  ///   - isMadeUp: whether a search made up the sessions, so that what it sends besides whole
  ///     commands is not held against the sketch.
  ///   - brokenOff: the only commands that a session that fails can break off; nil for any.
  package func runs(
    judgedBy rules: [Rule], madeUp isMadeUp: Bool = false,
    breakingOff brokenOff: Set<[UInt8]>? = nil,
    open: (String) throws(TraceError) -> TraceReader
  ) throws(TraceError) -> SnapshotRuns<RuleTrial<Source.Made>> {
    let listensAfter = isMadeUp ? startUp(of: try device(.reset, of: source, firmware)) : nil
    func trial(_ start: Header.Start) throws(TraceError) -> RuleTrial<Source.Made> {
      var (device, setup) = try prepared(start, for: rules)
      setup.listensAfter = listensAfter
      setup.brokenOff = brokenOff
      return RuleTrial(device, try SessionRules(rules, setup, open: open), setup)
    }
    return SnapshotRuns(
      try trial(.reset), running: session.isRunning ? try trial(.unknown) : nil)
  }

  /// Returns runs for the search for a smaller session, in which what the session fails by first
  /// keeps its meaning: a command that lost its end is still that command.
  package func shortenedRuns(
    judgedBy rules: [Rule], open: (String) throws(TraceError) -> TraceReader,
    isOver: @escaping @Sendable () -> Bool
  ) throws(TraceError) -> SnapshotRuns<RuleTrial<Source.Made>> {
    let brokenOff = brokenOff
    var (sent, made) = (
      try runs(judgedBy: rules, breakingOff: brokenOff, open: open),
      try runs(judgedBy: rules, madeUp: true, breakingOff: brokenOff, open: open)
    )
    (sent.isOver, made.isOver) = (isOver, isOver)
    // By whole commands alone, if it fails by those.
    guard let cause = sent.run(session)?.causes.first,
      made.run(session)?.causes.contains(cause) == true
    else { return sent }
    return made
  }

  /// The commands that the sender broke off.
  private var brokenOff: Set<[UInt8]> {
    var log = SentCommandLog(firmware, profile, baud: session.baud, keeping: .max)
    for event in session.events { log.take(event) }
    log.finish()
    return Set(log.commands.filter { $0.form == .brokenOff }.map { $0.text })
  }

  /// Returns runs in which a device of another source, with another firmware, must do the same.
  /// `tolerance` is how much earlier or later its outputs can be; nil for what the trace states.
  package func runs<Other: DeviceSource>(
    comparedWith other: Other, _ otherFirmware: Firmware?, tolerance: Interval?
  ) throws(TraceError) -> SnapshotRuns<DifferenceTrial<Source.Made, Other.Made>> {
    let otherFirmware = try other.firmware(of: header, in: path, unless: otherFirmware)
    func trial(
      _ start: Header.Start
    ) throws(TraceError) -> DifferenceTrial<Source.Made, Other.Made> {
      let device = try device(start, of: source, firmware, showsPulses: false)
      let second = try self.device(start, of: other, otherFirmware, showsPulses: false)
      let kinds = device.capabilities.observes.intersection(second.capabilities.observes)
      return DifferenceTrial(
        device, second, kinds: kinds.filter { !$0.isOnRequest },
        tolerance: tolerance ?? header.tolerance)
    }
    return SnapshotRuns(
      try trial(.reset), running: session.isRunning ? try trial(.unknown) : nil)
  }

  /// Returns how long after a start the sketch listens: when it has taken a line feed that was
  /// sent. The model's activity shows that by itself.
  private func startUp(of device: Source.Made) -> Interval {
    guard device.activity == nil else { return .zero }
    // A program that never rests takes longer to run than the search can.
    if source.isRestless { return Shrinker.start - .zero }
    var simulation = Simulation(device)
    let step = Interval.milliseconds(50)
    var time = Instant.zero + step
    while time - .zero < Self.startUpMax {
      while simulation.step(to: time) {}
      simulation.feed(Event(time, .receive([0x0A])))
      var isLost = false
      while simulation.step(to: time + step) {
        if simulation.outputs.contains(where: { $0.output.kind == .lost }) { isLost = true }
      }
      time += step
      if !isLost, simulation.device.unreadCount == 0 { return time - .zero }
    }
    // It reads nothing, or never says so.
    return Shrinker.start - .zero
  }

  private static var startUpMax: Interval { .seconds(3) }

  private func device<Some: DeviceSource>(
    _ start: Header.Start, of source: Some, _ firmware: Firmware, showsPulses: Bool = false
  ) throws(TraceError) -> Some.Made {
    var header = header
    header.set(start: start)
    return try source.makeDevice(for: header, firmware, showsPulses: showsPulses, in: path)
  }

  /// Returns a device that shows what rules are about, and what they must know of it.
  private func prepared(
    _ start: Header.Start, for rules: [Rule]
  ) throws(TraceError) -> (device: Source.Made, setup: SessionSetup) {
    let showsPulses = rules.contains { $0.needsPulses }
    var device = try device(start, of: source, firmware, showsPulses: showsPulses)
    let capabilities = device.capabilities
    var setup = SessionSetup(
      firmware: firmware, profile: profile, timing: source.timing, baud: session.baud,
      on: capabilities,
      showing: capabilities.observes.filter { showsPulses || !$0.isOnRequest })
    setup.start = start
    setup.servoRange = source.servoRange
    setup.watch(
      Set(rules.flatMap { $0.pinNames }), profile: false, besides: source.pins, on: &device)
    if rules.contains(where: { $0.requirement.needsRecord }) { setup.record(on: &device) }
    return (device, setup)
  }

  // MARK: Writing

  /// Returns a session as a trace: its inputs, and what a device of the source does with them, or
  /// nothing of that if the run ends early.
  ///
  /// - Parameters:
  ///   - title: why the session is kept.
  ///   - program: the program's name in the trace's `source`.
  ///   - rules: the rules that judged the session, whose pins the trace shows.
  ///   - isOver: see `Simulation`.
  package func text(
    of session: SessionInputs, title: String, by program: String, rules: [Rule] = [],
    tolerance: Interval? = nil, isOver: (@Sendable () -> Bool)? = nil
  ) throws(TraceError) -> (trace: [UInt8], isWhole: Bool) {
    let start: Header.Start = session.isRunning ? .unknown : .reset
    let (device, setup) = try prepared(start, for: rules)
    var own = Header(
      firmware: firmware, baud: session.baud, duration: session.end - .zero, title: title)
    if let sketch = header.otherFirmware { own.set(sketch: sketch) }
    own.set(start: start)
    if let profile = header.profile { own.set(profile: profile) }
    if let tolerance = tolerance ?? header.statedTolerance { own.set(tolerance: tolerance) }
    if setup.observes.contains(.pin) { own.set(pins: setup.shownPins) }
    own.set(source: "\(program), \(source.name)")
    var text: [UInt8] = []
    text.appendLine(own)
    let header = text
    var replay = Replay(device, until: session.end, kinds: setup.observes)
    replay.simulation.isOver = isOver
    for event in session.events { replay.take(event) { text.appendLine($0) } }
    replay.finish(after: session.end) { text.appendLine($0) }
    guard replay.simulation.cut != nil else { return (text, true) }
    text = header
    for event in session.events { text.appendLine(event) }
    return (text, false)
  }
}

extension DeviceSource {
  /// Creates a device for a trace. `path` is the trace's, for the error.
  func makeDevice(
    for header: Header, _ firmware: Firmware, showsPulses: Bool, in path: String
  ) throws(TraceError) -> Made {
    do throws(DeviceError) {
      return try makeDevice(for: header, firmware: firmware, showsPulses: showsPulses)
    } catch {
      throw TraceError(.noInput, path: path, error.description)
    }
  }
}

extension Shrinker {
  /// Runs sessions until the smallest is found, or `isEnding` returns true. Returns how the
  /// smallest one fails; nil if the session itself does not, or was not run to its end.
  ///
  /// A smaller session must fail for `wanted`; nil for the first of the causes for which the
  /// session itself fails.
  package mutating func run<Trial>(
    _ runs: inout SnapshotRuns<Trial>, for wanted: SessionFailure.Cause? = nil,
    isEnding: (Shrinker) -> Bool = { _ in false }
  ) -> SessionFailure? {
    guard let whole = next(), let failure = runs.run(whole),
      let cause = wanted ?? failure.causes.first, failure.causes.contains(cause), runs.fault == nil
    else { return nil }
    take(fails: true, by: failure.time)
    var smallest = failure
    while !isEnding(self), let candidate = next() {
      let failure = runs.run(candidate)
      guard !runs.wasCut else { break }
      let isSame = failure?.causes.contains(cause) ?? false && runs.fault == nil
      take(fails: isSame, by: failure?.time)
      if isSame, let failure { smallest = failure }
    }
    return smallest
  }
}
