import Devices
import Traces
import Turret

/// Collects the data for a picture while a session runs.
struct PlotRun<D: Device> {
  private static var tonesKept: Int { 200 }
  private static var resetsKept: Int { 50 }

  private var simulation: Simulation<D>
  private var shaft: ShaftMotion
  private var shaftWay = ThinnedSeries()
  private let showsShaft: Bool
  private let watchesActivity: Bool
  private var mode: ModeBand?
  private var modeSince = Instant.zero
  private var bands = ThinnedBands()
  private var commanded = ThinnedSeries()
  private var pulses = ThinnedSeries()
  private var expected = ThinnedSeries()
  private var tones: [PlottedSession.Tone] = []
  private var sounding: (start: Instant, hertz: Double)?
  private var resets: [Instant] = []

  init(_ device: D, servo: ServoData, load: Double) {
    simulation = Simulation(device, ledger: Ledger())
    shaft = ShaftMotion(servo, load: load)
    shaftWay.append(.init(.zero, shaft.target))
    showsShaft = device.capabilities.observes.contains(.pulse)
    watchesActivity = device.activity != nil
    mode = device.activity.flatMap(ModeBand.init)
  }

  /// Processes the next event of the trace. Events after `limit` are not sent to the device.
  mutating func take(_ event: Event, limit: Instant?) {
    let isInTime = event.time <= limit ?? event.time
    advance(to: min(event.time, limit ?? event.time))
    guard isInTime else { return }
    if event.isInput {
      simulation.feed(event)
      if case .reset = event.kind, resets.count < Self.resetsKept { resets.append(event.time) }
      advance(to: event.time)
    } else if case .output(.servo(let degrees, _)) = event.kind {
      expected.append(.init(event.time, Double(degrees)))
    }
  }

  mutating func finish(_ session: inout PlottedSession) {
    let end = session.end
    advance(to: end)
    if let mode { bands.append(mode, from: modeSince, to: end) }
    if let sounding { add(.init(sounding.start, end, hertz: sounding.hertz)) }
    addCorners(shaft.arrive(before: end))
    addCorners([.init(time: end, degrees: shaft.degrees(at: end))])
    let series = [commanded, pulses, shaftWay, expected].map { $0.finished(at: end) }
    let modes = bands.finished(at: end)
    session.commanded = series[0].samples
    session.pulses = series[1].samples
    session.shaft = showsShaft ? series[2].samples : []
    session.expected = series[3].samples
    session.modes = modes.bands
    session.tones = tones
    session.resets = resets
    session.isThinned = modes.isThinned || series.contains { $0.isThinned }
    session.bytes = simulation.finishLedger().entries
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

  private mutating func note(_ output: Output, at time: Instant) {
    switch output {
    case .servo(let degrees, _):
      commanded.append(.init(time, Double(degrees)))
    case .pulse(let microseconds):
      pulses.append(.init(time, microseconds))
      addCorners(shaft.follow(pulse: microseconds, from: time))
    case .tone(let hertz):
      if let sounding { add(.init(sounding.start, time, hertz: sounding.hertz)) }
      sounding = hertz > 0 ? (time, hertz) : nil
    default:
      // The ledger records lost bytes.
      break
    }
  }

  private mutating func addCorners(_ corners: [ShaftMotion.Corner]) {
    for corner in corners { shaftWay.append(.init(corner.time, corner.degrees)) }
  }

  private mutating func add(_ tone: PlottedSession.Tone) {
    if tones.count < Self.tonesKept { tones.append(tone) }
  }

  private mutating func noteMode() {
    guard let activity = simulation.device.activity, let new = ModeBand(activity), new != mode
    else { return }
    if let mode { bands.append(mode, from: modeSince, to: simulation.now) }
    mode = new
    modeSince = simulation.now
  }
}
