package import Devices
package import Sketches
package import Traces

/// The result of judging a scenario's rules after the session.
package struct RuleReport: Hashable, Sendable {
  package var rules: [Rule]
  /// In the order of their rules.
  package var failures: [RuleFailure] = []
  /// The wrong speed of the sender, which explains most of what failed; nil if there was none.
  package private(set) var wrongSpeed: WrongSpeed?
  /// If rules failed: what the sender probably meant and did not get, in lines. At a wrong speed
  /// that cannot be known.
  package private(set) var meant: [String] = []

  /// The record must be finished. `sender` is how its process ended; nil if there was none.
  package init(_ rules: [Rule], _ record: SessionRecord, sender: SenderOutcome? = nil) {
    self.init(rules.map { RuleJudge($0) }, record, sender: sender)
  }

  init(
    _ judges: [RuleJudge], _ record: SessionRecord, sender: SenderOutcome?,
    goldens: [Int: RuleFailure] = [:]
  ) {
    rules = judges.map { $0.rule }
    let decisions = judges.decide(record)
    for (index, rule) in rules.enumerated() {
      if let failure = goldens[index] {
        failures.append(failure)
      } else if case .sender(let requirement) = rule.requirement {
        let objection =
          sender.map { $0.objection(to: requirement) }
          ?? "the session has no process, so the rule could not be tested"
        if let objection {
          let cause = sender == nil ? RuleFailure.Cause.untested : .init()
          failures.append(RuleFailure(rule: rule, cause: cause, notes: [objection]))
        }
      } else if case .fails(let failure) = decisions[index] {
        failures.append(failure)
      }
    }
    wrongSpeed = record.wrongSpeed
    if !failures.isEmpty, wrongSpeed == nil { meant = record.misunderstandings.map { $0.line } }
  }

  /// Adds a note to the first failure, which explains the others too.
  package mutating func explain(_ note: String) {
    if !failures.isEmpty { failures[0].notes.append(note) }
  }

  /// How far into a session it is looked what the program did while an output was awaited: a
  /// recorded run is many times slower than another.
  private static let explainedMax = Instant.zero + .seconds(60)

  /// Whether an output came late or not at all, at a time for which it can be said what the program
  /// did meanwhile.
  package var isLate: Bool { waitEnd != nil }

  private var waitEnd: Instant? {
    failures.compactMap { $0.wait?.upperBound }.filter { $0 <= Self.explainedMax }.max()
  }

  /// Adds to such failures what the program did meanwhile. `events` are the session's, and `device`
  /// is its device at the start.
  package mutating func explainLate(_ events: some Sequence<Event>, on device: some Device) {
    var device = device
    device.recordRun(wholly: true)
    guard device.capabilities.recordsRuns, let waitEnd else { return }
    var replay = Replay(device, until: waitEnd, kinds: [])
    for event in events where event.time <= waitEnd { replay.take(event) { _ in } }
    replay.pass(to: waitEnd) { _ in }
    for index in failures.indices {
      guard let wait = failures[index].wait, wait.upperBound <= waitEnd,
        let busy = replay.simulation.device.busy(from: wait.lowerBound, to: wait.upperBound),
        !Self.isIdle(busy)
      else { continue }
      failures[index].notes.append(
        "from \(wait.lowerBound.text) to \(wait.upperBound.text), the program was \(busy)")
    }
  }

  /// Whether a program that waits for something to do is there.
  private static func isIdle(_ busy: String) -> Bool {
    let words = busy.split(separator: " ")
    return words.count > 1 && ["loop", "main"].contains(words[1])
  }

  package var holds: Bool { failures.isEmpty }

  /// What a rule about the memory has found; nil if none has failed.
  package var memoryFault: String? {
    failures.first { $0.rule.requirement == .memory }.map { $0.notes.joined(separator: ", ") }
  }

  /// The failures as they are shown, with what the sender probably meant; or the number of rules
  /// that hold.
  package var text: String {
    failures.isEmpty
      ? "\(String(counting: rules.count, "rule")) \(rules.count == 1 ? "holds" : "hold")"
      : ((wrongSpeed.map { [$0.text] } ?? []) + failures.map { $0.text }
        + Misunderstanding.list(meant)).joined(separator: "\n")
  }
}

extension RuleReport {
  /// Judges a recorded session by rules.
  ///
  /// `open` opens the traces that rules name. The outputs are those that were recorded. If a trace
  /// has none and expects no kind of output, it is judged by the outputs of a device. How a program
  /// runs is always that of the device.
  package init<Source: DeviceSource>(
    _ rules: [Rule], _ reader: inout TraceReader, firmware requested: Firmware? = nil,
    on source: Source = ModelSource(), open: (String) throws(TraceError) -> TraceReader
  ) throws(TraceError) {
    let header = reader.header
    let firmware = try source.firmware(of: header, in: reader.path, unless: requested)
    guard let shown = try reader.kindsOfOutput() else {
      throw TraceError(
        .noInput, path: reader.path,
        "rules need to know first which outputs a trace has, and this one can be read only once")
    }
    var observes = (header.expects ?? []).union(shown)
    var pins = header.pins
    if shown.contains(.pin), case .some(let more) = try reader.levelPins { pins.formUnion(more) }
    var profile = try header.ownProfile(in: reader.path)
    let isReplayed = observes.isEmpty
    if isReplayed {
      observes = source.observes(firmware)
      pins = SessionSetup(firmware: firmware, profile: profile).pins(of: rules)
    }
    if profile == nil, requested == nil, let sketch = header.otherFirmware {
      profile = Profile(undescribed: sketch)
    }
    if !pins.isEmpty { observes.insert(.pin) }
    var setup = SessionSetup(
      firmware: firmware, profile: profile, timing: source.timing, baud: header.baud,
      start: header.start, observes: observes, reportsFates: header.clock == .device)
    setup.servoRange = source.servoRange
    setup.view = header.view
    setup.pins = .some(pins)
    let needsRecord = rules.contains { $0.requirement.needsRecord }
    if needsRecord, isReplayed || source.isVirtual {
      var device = try source.makeDevice(for: header, firmware, showsPulses: true, in: reader.path)
      setup.record(on: &device)
    }
    if needsRecord, !isReplayed, !source.isVirtual { setup.isRecorded = false }
    setup.showsTwitches = isReplayed ? source.showsTwitches : observes.contains(.attached)
    var session = try SessionRules(rules, setup, open: open)
    var inputs: [Event] = []
    func take(_ event: Event, line: Int? = nil) {
      if event.isInput, event.time <= Self.explainedMax { inputs.append(event) }
      session.take(event, line: line)
    }
    if isReplayed {
      try Self.replay(
        &reader, firmware, watching: pins, isRecorded: needsRecord, on: source
      ) { take($0) }
    } else if needsRecord, source.isVirtual, setup.isRecorded {
      try Self.addRun(to: &reader, firmware, on: source, take)
    } else {
      while let event = try reader.next() {
        if event.time <= header.end ?? event.time { take(event, line: reader.line) }
      }
    }
    self = session.finish(at: header.end ?? reader.time, sender: nil)
    // A board would have to do all of it once more.
    guard isLate, source.isVirtual else { return }
    explainLate(
      inputs, on: try source.makeDevice(for: header, firmware, showsPulses: true, in: reader.path))
  }

  /// Emits the session that a trace's inputs lead to on a device.
  private static func replay<Source: DeviceSource>(
    _ reader: inout TraceReader, _ firmware: Firmware, watching pins: Set<BoardPin>,
    isRecorded: Bool, on source: Source, _ emit: (Event) -> Void
  ) throws(TraceError) {
    var device = try source.makeDevice(
      for: reader.header, firmware, showsPulses: true, in: reader.path)
    device.watch(.some(pins))
    if isRecorded { device.recordRun(wholly: false) }
    let end = reader.header.end
    var replay = Replay(device, until: end, kinds: source.observes(firmware))
    func emitInTime(_ event: Event) { if event.time <= end ?? event.time { emit(event) } }
    while let input = try reader.next() { replay.take(input, emitInTime) }
    replay.finish(after: end ?? reader.time, emitInTime)
    try Self.check(replay, reader.path)
  }

  /// A crash is left to the rules, and to who compares the outputs.
  private static func check(_ replay: Replay<some Device>, _ path: String) throws(TraceError) {
    if let fault = replay.simulation.fault, fault.code != .crashed {
      throw TraceError(.noInput, path: path, fault.description)
    }
  }

  /// Emits a recorded session, with how the program runs on a device that gets its inputs.
  private static func addRun<Source: DeviceSource>(
    to reader: inout TraceReader, _ firmware: Firmware, on source: Source,
    _ emit: (Event, Int?) -> Void
  ) throws(TraceError) {
    var device = try source.makeDevice(
      for: reader.header, firmware, showsPulses: true, in: reader.path)
    device.recordRun(wholly: false)
    let end = reader.header.end
    var replay = Replay(device, until: end, kinds: [])
    // Recorded events that something of the run can still precede.
    var held: [(event: Event, line: Int)] = []
    func release(before instant: Instant) {
      let count = held.prefix { $0.event.time < instant }.count
      for (event, line) in held.prefix(count) { emit(event, line) }
      held.removeFirst(count)
    }
    func take(_ made: Event) {
      guard case .run = made.kind, made.time <= end ?? made.time else { return }
      release(before: made.time)
      emit(made, nil)
    }
    while let event = try reader.next() {
      replay.pass(to: min(event.time, end ?? event.time) - .nanoseconds(1), take)
      release(before: replay.simulation.now - replay.simulation.lag)
      replay.take(event, take)
      // What was recorded of a run was another one's.
      if case .run = event.kind { continue }
      if event.time <= end ?? event.time { held.append((event, reader.line)) }
    }
    replay.finish(after: end ?? reader.time, take)
    release(before: .distantFuture)
    try check(replay, reader.path)
  }
}

/// How a sender's process ended.
package struct SenderOutcome: Hashable, Sendable {
  /// Its exit status, or 128 plus the number of the signal that ended it.
  package var status: Int
  /// How long it ran.
  package var length: Interval
  /// Whether the bench ended it.
  package var wasStopped: Bool
  /// The end of its standard error.
  package var errors: [UInt8]

  package init(status: Int, length: Interval, wasStopped: Bool, errors: [UInt8]) {
    self.status = status
    self.length = length
    self.wasStopped = wasStopped
    self.errors = errors
  }

  /// Returns why the outcome breaks a rule; nil if it does not.
  func objection(to rule: SenderRule) -> String? {
    switch rule {
    case .exit(let expected):
      status == expected ? nil : "the sender ended with status \(status)"
    case .standardError(let pattern):
      pattern.matches(errors.last == 0x0A ? errors.dropLast() : errors[...])
        ? nil : "the sender's standard error was \(ByteText.quoted(errors.suffix(200)))"
    case .stops(let limit):
      wasStopped || length > limit
        ? "the sender ran for \(String(readable: length))"
          + (wasStopped ? ", and the bench stopped it" : "")
        : nil
    }
  }
}
