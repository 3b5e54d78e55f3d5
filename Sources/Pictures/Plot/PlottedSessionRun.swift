import Devices
import Sketches
import Traces

/// Collects the data for a picture while a session runs.
struct PlottedSessionRun<D: Device> {
  private static var tonesKept: Int { 200 }
  private static var resetsKept: Int { 50 }
  private static var lossesKept: Int { 400_000 }

  /// The part of the session that the picture shows.
  private let window: ClosedRange<Instant>
  private var simulation: Simulation<D>
  /// The session's own servo.
  private var own: PlottedServoRun
  private let showsShaft: Bool
  private let showsOthers: Bool
  private let watchesActivity: Bool
  /// Whether the outputs are the trace's own, because the device observes none.
  private let isRecorded: Bool
  private var levels: PlottedLevels
  /// The bytes that the trace lists as lost.
  private var losses: [(time: Instant, byte: UInt8, fate: Fate)] = []
  private var mode: ModeBand?
  private var modeSince = Instant.zero
  private var bands: ThinnedBands
  private var pulses: ThinnedSeries
  private var expected: ThinnedSeries
  private var others: [(pin: BoardPin, run: PlottedServoRun)] = []
  /// The servos beyond the number that can be drawn.
  private var undrawn: Set<BoardPin> = []
  /// The initial state of each other servo.
  private let blank: PlottedServoRun
  private var tones: [PlottedSession.Tone] = []
  private var sounding: (start: Instant, hertz: Double)?
  private var resets: [Instant] = []
  /// What the trace shows of a face. Its title and its end are not known yet.
  private var tracking = PlottedTracking(title: "", subtitle: "", end: .distantFuture)

  init(
    _ device: D, servo: ServoData, load: Double, window: ClosedRange<Instant>, columns: Int64,
    followsCommands: Bool = false
  ) {
    self.window = window
    bands = ThinnedBands(window, columns: columns / 2)
    let series = ThinnedSeries(window, columns: columns)
    (pulses, expected) = (series, series)
    levels = PlottedLevels(series)
    isRecorded = device.capabilities.observes.isEmpty
    simulation = Simulation(
      device,
      ledger: Ledger(
        listing: Ledger.listedMax, from: window.lowerBound,
        followsReads: !device.capabilities.reportsFates))
    blank = PlottedServoRun(
      ShaftMotion(servo, load: load), series, followsCommands: followsCommands)
    own = blank
    showsShaft = isRecorded || device.capabilities.observes.contains(.pulse)
    showsOthers = device.capabilities.hasOtherServos
    watchesActivity = device.activity != nil
    mode = device.activity.flatMap(ModeBand.init)
  }

  /// Processes the next event of the trace. Events after `limit` are not sent to the device.
  mutating func take(_ event: Event, limit: Instant?) {
    let isInTime = event.time <= limit ?? event.time
    advance(to: min(event.time, limit ?? event.time))
    guard isInTime else { return }
    if window.contains(event.time) { tracking.take(event) }
    if event.isInput {
      simulation.feed(event)
      if case .reset = event.kind { noteReset(at: event.time) }
      advance(to: event.time)
    } else if isRecorded {
      if let output = event.output { note(output, at: event.time) }
    } else if case .output(.servo(let degrees, _, nil)) = event.kind {
      expected.append(.init(event.time, Double(degrees)))
    } else if !showsOthers, let output = event.output, let pin = output.pin,
      output.kind == .servo || output.kind == .pulse
    {
      // The device has no other servos, so those of the trace are drawn.
      note(output, of: pin, at: event.time)
    }
  }

  /// Ends the session, of which the picture shows the part from its `start` to its `end`.
  mutating func finish(_ session: inout PlottedSession, sessionEnd: Instant) {
    advance(to: sessionEnd)
    finishOutputs(at: sessionEnd)
    if let mode { bands.append(mode, from: modeSince, to: sessionEnd) }
    if let sounding { add(.init(sounding.start, sessionEnd, hertz: sounding.hertz)) }
    let (start, end) = (session.start, session.end)
    let series = [pulses, expected].map { $0.finished(at: end) }
    let servo = own.finished(from: start, to: end, sessionEnd: sessionEnd)
    let modes = bands.finished(at: end)
    session.commanded = servo.commanded
    session.pulses = series[0].samples.filter { $0.time >= start && $0.time <= end }
    session.shaft = showsShaft ? servo.shaft : []
    session.expected = series[1].samples.held(from: start, to: end)
    session.modes = modes.bands
    session.tones = tones
    session.twitches = simulation.device.twitches
    session.memoryFaults = simulation.device.memoryFaults
    session.resets = resets
    if !tracking.isEmpty {
      session.tracking = tracking
      session.tracking?.end = end
    }
    var servosAreThinned = servo.isThinned
    for index in others.indices {
      let other = others[index].run.finished(from: start, to: end, sessionEnd: sessionEnd)
      session.others.append(
        PlottedServo(others[index].pin, commanded: other.commanded, shaft: other.shaft))
      servosAreThinned = servosAreThinned || other.isThinned
    }
    session.others.sort { $0.pin < $1.pin }
    session.undrawnServoCount = undrawn.count
    let levelsAreThinned = levels.finish(&session)
    session.isThinned =
      modes.isThinned || servosAreThinned || levelsAreThinned || series.contains { $0.isThinned }
    // Bytes that have not arrived by the session's end are counted; those after a cut are not.
    var ledger = simulation.finishLedger()
    ledger.markLost(losses)
    session.bytes = ledger.entries.filter {
      $0.arrived >= start && ($0.arrived <= end || end == sessionEnd)
    }
    if let listEnd = ledger.listEnd, listEnd <= end { session.bytesEnd = listEnd }
  }

  private mutating func advance(to end: Instant) {
    // One deadline at a time, since the sketch's activity changes only at its deadlines.
    while watchesActivity, simulation.now < end {
      let soon = simulation.now + .nanoseconds(1)
      step(to: min(end, max(simulation.device.nextDeadline ?? end, soon)))
      noteMode()
    }
    step(to: end)
    if watchesActivity { noteMode() }
  }

  private mutating func step(to end: Instant) {
    while simulation.step(to: end) {
      for seen in simulation.outputs { note(seen.output, at: seen.time) }
    }
  }

  /// Takes the outputs up to the session's end that the device reports only later.
  private mutating func finishOutputs(at end: Instant) {
    guard simulation.lag > .zero else { return }
    while simulation.step(to: end + simulation.lag) {
      for seen in simulation.outputs where seen.time <= end { note(seen.output, at: seen.time) }
    }
  }

  private mutating func note(_ output: Output, at time: Instant) {
    switch output {
    case .servo(_, _, let pin?), .pulse(_, let pin?): note(output, of: pin, at: time)
    case .servo: own.take(output, at: time)
    case .lost(let byte, let why) where isRecorded:
      if losses.count < Self.lossesKept { losses.append((time, byte, Fate(why))) }
    case .pulse(let microseconds, _):
      pulses.append(.init(time, microseconds))
      own.take(output, at: time)
    case .tone(let hertz):
      if let sounding { add(.init(sounding.start, time, hertz: sounding.hertz)) }
      sounding = hertz > 0 ? (time, hertz) : nil
    default:
      // The ledger records lost bytes.
      if let isOn = output.isOn { levels.take(output, isOn: isOn, at: time) }
    }
  }

  private mutating func note(_ output: Output, of pin: BoardPin, at time: Instant) {
    var index = others.firstIndex { $0.pin == pin } ?? others.endIndex
    if index == others.endIndex {
      guard others.count < PlottedServo.countMax else {
        undrawn.insert(pin)
        return
      }
      others.append((pin, blank))
      index = others.endIndex - 1
    }
    others[index].run.take(output, at: time)
  }

  private mutating func add(_ tone: PlottedSession.Tone) {
    var tone = tone
    tone.start = max(tone.start, window.lowerBound)
    tone.end = min(tone.end, window.upperBound)
    if tone.start < tone.end, tones.count < Self.tonesKept { tones.append(tone) }
  }

  private mutating func noteReset(at time: Instant) {
    if window.contains(time), resets.count < Self.resetsKept { resets.append(time) }
    // The angle before a restart is not held after it.
    if time < window.lowerBound {
      expected.dropBefore()
      own.restart()
      for index in others.indices { others[index].run.restart() }
    }
  }

  private mutating func noteMode() {
    guard let activity = simulation.device.activity, let new = ModeBand(activity), new != mode
    else { return }
    if let mode { bands.append(mode, from: modeSince, to: simulation.now) }
    mode = new
    modeSince = simulation.now
  }
}

/// Collects the levels while a session runs.
struct PlottedLevels {
  private struct Row: Hashable, Comparable {
    let kind: Output.Kind
    let pin: BoardPin?

    var name: String {
      guard let pin else { return kind.name }
      return kind == .pin ? pin.name : "\(kind.name) \(pin.name)"
    }

    static func < (left: Row, right: Row) -> Bool {
      guard left.kind == right.kind else { return left.kind.rawValue < right.kind.rawValue }
      guard let pin = right.pin else { return false }
      return left.pin.map { $0 < pin } ?? true
    }
  }

  private let blank: ThinnedSeries
  private var series: [Row: ThinnedSeries] = [:]
  /// The rows beyond the number that can be drawn.
  private var undrawn: Set<Row> = []

  /// `blank` must be empty.
  init(_ blank: ThinnedSeries) { self.blank = blank }

  /// Takes an output that switches something.
  mutating func take(_ output: Output, isOn: Bool, at time: Instant) {
    let row = Row(kind: output.kind, pin: output.pin)
    guard series[row] != nil || series.count < PlottedLevel.countMax else {
      undrawn.insert(row)
      return
    }
    series[row, default: blank].append(.init(time, isOn ? 1 : 0))
  }

  /// Adds to the session the levels that its picture shows. Returns whether samples were left out.
  func finish(_ session: inout PlottedSession) -> Bool {
    var isThinned = false
    for (row, samples) in series.sorted(by: { $0.key < $1.key }) {
      let shown = samples.finished(at: session.end)
      isThinned = isThinned || shown.isThinned
      session.levels.append(
        PlottedLevel(row.name, shown.samples.held(from: session.start, to: session.end)))
    }
    session.undrawnLevelCount = undrawn.count
    return isThinned
  }
}

/// Collects the data of a servo while a session runs.
struct PlottedServoRun {
  private var motion: ShaftMotion
  private let followsCommands: Bool
  private var hasPulses = false
  private var commanded: ThinnedSeries
  private var shaft: ThinnedSeries

  /// `series` must be empty.
  init(_ motion: ShaftMotion, _ series: ThinnedSeries, followsCommands: Bool) {
    self.motion = motion
    self.followsCommands = followsCommands
    (commanded, shaft) = (series, series)
    shaft.append(.init(.zero, motion.target))
  }

  mutating func take(_ output: Output, at time: Instant) {
    switch output {
    case .servo(let degrees, let microseconds, _):
      commanded.append(.init(time, Double(degrees)))
      guard followsCommands else { break }
      hasPulses = true
      add(motion.follow(pulse: Double(microseconds), from: time))
    case .pulse(let microseconds, _):
      hasPulses = true
      add(motion.follow(pulse: microseconds, from: time))
    default: break
    }
  }

  /// The angle before a restart is not held after it.
  mutating func restart() { commanded.dropBefore() }

  /// Ends the session, of which the picture shows the part from `start` to `end`. Without pulses
  /// there is no shaft. Also returns whether samples were left out.
  mutating func finished(
    from start: Instant, to end: Instant, sessionEnd: Instant
  ) -> (commanded: [PlottedSession.Sample], shaft: [PlottedSession.Sample], isThinned: Bool) {
    add(motion.arrive(before: sessionEnd))
    add([.init(time: sessionEnd, degrees: motion.degrees(at: sessionEnd))])
    let series = [commanded, shaft].map { $0.finished(at: end) }
    return (
      series[0].samples.held(from: start, to: end),
      hasPulses ? series[1].samples.joined(from: start, to: end) : [],
      series.contains { $0.isThinned }
    )
  }

  private mutating func add(_ corners: [ShaftMotion.Corner]) {
    for corner in corners { shaft.append(.init(corner.time, corner.degrees)) }
  }
}
