import Devices
package import Sketches
import Traces

/// A session on two models: its own sketch, and the sketch that does what should have been done.
struct TrialRun {
  /// Both sides advance by this much at a time, so that few writes wait to be compared.
  private static let slice = Interval.seconds(1)

  /// The bytes and their fates on the session's own sketch.
  let entries: [Ledger.Entry]
  /// The commands that the sketch took differently from what was meant.
  let misunderstandings: [Misunderstanding]
  /// What went wrong, in order of time.
  let troubles: [SessionTrouble]

  /// `end`: until when everything that was sent is known; nil for the session's own end.
  init(_ inputs: SessionInputs, wanted: Firmware, end known: Instant? = nil) {
    func model(_ firmware: Firmware) -> Model {
      Model(firmware, baud: inputs.baud, isRunning: inputs.isRunning, showsPulses: false)
    }
    var own = Simulation(model(inputs.firmware), ledger: Ledger())
    var other = Simulation(model(wanted))
    let startUp = max(inputs.firmware.sketch.timing.startUp, wanted.sketch.timing.startUp)
    var comparison = AngleComparison(startingAt: inputs.isRunning ? .zero : .zero + startUp)

    func advance(to end: Instant) {
      while true {
        let next = min(end, own.now + Self.slice)
        comparison.take(
          Self.writes(of: &own, isOwn: true, to: next)
            + Self.writes(of: &other, isOwn: false, to: next), to: next)
        if next == end { return }
      }
    }
    for event in inputs.events {
      advance(to: event.time)
      own.feed(event)
      other.feed(event)
      if case .reset(let deadTime) = event.kind {
        comparison.restart(until: event.time + deadTime + startUp)
      }
    }
    advance(to: max(inputs.end, own.now))
    entries = own.finishLedger().entries
    let end = known ?? inputs.end
    misunderstandings =
      CommandFindings(entries, firmware: inputs.firmware, end: end).misunderstandings
    var troubles = misunderstandings.map {
      SessionTrouble(
        time: $0.time, text: $0.text, cause: .command($0.pattern), culprit: $0.culprit)
    }
    if let difference = comparison.difference, difference.time <= end {
      let index = troubles.firstIndex { $0.time > difference.time } ?? troubles.endIndex
      troubles.insert(difference, at: index)
    }
    self.troubles = troubles
  }

  private static func writes(
    of simulation: inout Simulation<Model>, isOwn: Bool, to end: Instant
  ) -> [AngleComparison.Write] {
    var writes: [AngleComparison.Write] = []
    while simulation.step(to: end) {
      for seen in simulation.outputs {
        guard case .servo(let degrees, _, nil) = seen.output else { continue }
        writes.append((seen.time, isOwn, degrees))
      }
    }
    return writes
  }
}

/// Something that went wrong in a session.
package struct SessionTrouble: Hashable, Sendable {
  enum Cause: Hashable, Sendable {
    /// A command that the sketch took differently from what its sender meant.
    case command(Misunderstanding.Pattern)
    /// The turret was not where it should have been.
    case angle
  }

  package var time: Instant
  /// What happened, for people.
  package var text: String
  var cause: Cause
  package var culprit: Culprit

  /// Whether a number had no full stop.
  package var isOpenNumber: Bool {
    if case .command(let pattern) = cause { pattern.isOpenNumber } else { false }
  }
}

/// Compares the angles that two sketches command over time. Differences without consequences are
/// accepted: a write that is a little late, and the speed of a sweep.
struct AngleComparison {
  /// An angle that the session's own sketch commands, or the sketch that does what is wanted.
  typealias Write = (time: Instant, isOwn: Bool, degrees: UInt8)

  /// How long the angles can differ: one sketch can notice a byte late by up to a step of a sweep,
  /// and the other can wait for the last of several bytes.
  private static let lengthMax = Interval.milliseconds(60)
  /// How far the angles can differ, in degrees, for example at the moment of a write.
  private static let degreesMax = 3.0
  /// How much further for each step of a sweep: the sketches' steps differ by 60 us, 0.4 %.
  private static let degreesPerStep = 0.005

  private var own: UInt8?
  private var wanted: UInt8?
  /// The number of steps since the sweep began.
  private var steps = 0
  /// When the current difference began; nil if there is none.
  private var since: Instant?
  /// When both have taken what arrived during their start-up. Until then, a difference is a delay.
  private var ready: Instant
  /// The first lasting difference, at its beginning; nil if there is none.
  private(set) var difference: SessionTrouble?

  init(startingAt ready: Instant) { self.ready = ready }

  /// Notes that the board restarts, and when both sketches are ready again.
  mutating func restart(until ready: Instant) {
    self.ready = ready
    since = nil
  }

  /// Takes the writes up to an instant, each side's in order of time.
  mutating func take(_ writes: [Write], to end: Instant) {
    for write in writes.sorted(by: { ($0.time, $0.isOwn ? 1 : 0) < ($1.time, $1.isOwn ? 1 : 0) }) {
      settle(at: write.time)
      if write.isOwn {
        own = write.degrees
      } else {
        let isStep = wanted.map { abs(Int($0) - Int(write.degrees)) <= 1 } ?? false
        steps = isStep ? steps + 1 : 0
        wanted = write.degrees
      }
      compare(at: write.time)
    }
    settle(at: end)
  }

  private mutating func compare(at time: Instant) {
    guard let own, let wanted else { return }
    let limit = Self.degreesMax + Double(steps) * Self.degreesPerStep
    since = abs(Double(own) - Double(wanted)) > limit ? max(since ?? time, ready) : nil
  }

  private mutating func settle(at time: Instant) {
    guard difference == nil, let since, time - since > Self.lengthMax, let own, let wanted else {
      return
    }
    difference = SessionTrouble(
      time: since, text: "the servo was at \(own) degrees and should have been at \(wanted)",
      cause: .angle, culprit: .sketch)
  }
}
