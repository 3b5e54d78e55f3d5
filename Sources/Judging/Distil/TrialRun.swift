import Devices
package import Sketches
import Traces

/// A session in virtual time on two models: the session's own sketch, and the sketch that does what
/// should have been done.
struct TrialRun {
  /// Both sides advance by this much at a time, so that few writes wait to be compared.
  private static let slice = Interval.seconds(1)

  /// The bytes and their fates on the session's own sketch.
  let entries: [Ledger.Entry]
  /// The commands that the sketch took differently from what was meant.
  let misunderstandings: [Misunderstanding]
  /// When the part of the session ends in which everything that was sent is known.
  private let end: Instant
  /// Where the two angles first differ for long; nil if they do not.
  let parting: AngleParting?

  /// `end`: when the part of the session ends in which everything that was sent is known; nil for
  /// its own end.
  init(_ inputs: SessionInputs, wanted: Firmware, end: Instant? = nil) {
    self.end = end ?? inputs.end
    func model(_ firmware: Firmware) -> Model {
      Model(firmware, baud: inputs.baud, isRunning: inputs.isRunning, showsPulses: false)
    }
    var own = Simulation(model(inputs.firmware), ledger: Ledger())
    var other = Simulation(model(wanted))
    let startUp = max(
      inputs.firmware.sketch.timing.startUp, wanted.sketch.timing.startUp)
    var comparison = AngleComparison(
      startingAt: inputs.isRunning ? .zero : Instant.zero + startUp)

    func advance(to end: Instant) {
      while true {
        let next = min(end, own.now + Self.slice)
        comparison.take(
          own: Self.writes(of: &own, to: next), wanted: Self.writes(of: &other, to: next), to: next)
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
    parting = comparison.parting
    entries = own.finishLedger().entries
    misunderstandings =
      CommandFindings(entries, firmware: inputs.firmware, end: self.end).misunderstandings
  }

  private static func writes(
    of simulation: inout Simulation<Model>, to end: Instant
  ) -> [TimedOutput] {
    var writes: [TimedOutput] = []
    while simulation.step(to: end) {
      writes += simulation.outputs.filter { $0.output.kind == .servo }
    }
    return writes
  }

  /// What went wrong, in order of time.
  var troubles: [SessionTrouble] {
    var troubles = misunderstandings.map {
      SessionTrouble(
        time: $0.time, text: $0.text, cause: .command($0.pattern), culprit: $0.culprit)
    }
    if let parting, parting.time <= end {
      let index = troubles.firstIndex { $0.time > parting.time } ?? troubles.endIndex
      troubles.insert(SessionTrouble(parting), at: index)
    }
    return troubles
  }

  /// Returns the trouble with the same cause; nil if it did not happen here.
  func trouble(_ cause: SessionTrouble.Cause) -> SessionTrouble? {
    troubles.first { $0.cause == cause }
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

  init(time: Instant, text: String, cause: Cause, culprit: Culprit) {
    self.time = time
    self.text = text
    self.cause = cause
    self.culprit = culprit
  }

  init(_ parting: AngleParting) {
    self.init(
      time: parting.time,
      text: "the servo was at \(parting.own) degrees and should have been at \(parting.wanted)",
      cause: .angle, culprit: .sketch)
  }
}

/// Compares the angles that two sketches command over time. Differences without consequences are
/// accepted: a write that is a little late, and the speed of a sweep.
struct AngleComparison {
  /// How long the angles can differ: one sketch can notice a byte late by up to a step of a sweep,
  /// and the other can wait for the last of several bytes.
  private static let patience = Interval.milliseconds(60)
  /// How far the angles can differ, in degrees, for example at the moment of a write.
  private static let degreesMax = 3.0
  /// How much further they can differ for each step of a sweep: the sketches' steps differ by
  /// 60 us, 0.4 %.
  private static let degreesPerStep = 0.005

  private var own: UInt8?
  private var wanted: UInt8?
  /// The number of steps since the sweep began.
  private var steps = 0
  /// When the current difference began; nil if there is none.
  private var since: Instant?
  /// When both have taken what arrived during their start-up. A difference before then is only a
  /// delay.
  private var ready: Instant

  init(startingAt ready: Instant) { self.ready = ready }

  /// Notes that the board restarts, and when both sketches are ready again.
  mutating func restart(until ready: Instant) {
    self.ready = ready
    since = nil
  }
  /// The first lasting difference.
  private(set) var parting: AngleParting?

  /// Takes the writes of both sides up to an instant, each in order of time.
  mutating func take(
    own ownWrites: [TimedOutput], wanted wantedWrites: [TimedOutput], to end: Instant
  ) {
    var (ownRest, wantedRest) = (ownWrites[...], wantedWrites[...])
    while parting == nil {
      let isOwn: Bool
      switch (ownRest.first, wantedRest.first) {
      case (nil, nil):
        settle(at: end)
        return
      case (_?, nil): isOwn = true
      case (nil, _?): isOwn = false
      case (let first?, let second?): isOwn = first.time < second.time
      }
      guard let write = isOwn ? ownRest.popFirst() : wantedRest.popFirst(),
        case .servo(let degrees, _, nil) = write.output
      else { continue }
      settle(at: write.time)
      if isOwn { own = degrees } else { step(to: degrees) }
      differ(at: write.time)
    }
  }

  private mutating func step(to degrees: UInt8) {
    let isStep = wanted.map { abs(Int($0) - Int(degrees)) <= 1 } ?? false
    steps = isStep ? steps + 1 : 0
    wanted = degrees
  }

  private mutating func differ(at time: Instant) {
    guard let own, let wanted else { return }
    let isFar =
      abs(Double(own) - Double(wanted))
      > Self.degreesMax + Double(steps) * Self.degreesPerStep
    since = isFar ? max(since ?? time, ready) : nil
  }

  private mutating func settle(at time: Instant) {
    guard parting == nil, let since, time - since > Self.patience, let own, let wanted else {
      return
    }
    parting = AngleParting(time: since, own: own, wanted: wanted)
  }
}

/// The beginning of a lasting difference between the angle that was commanded and the one that
/// should have been.
package struct AngleParting: Hashable, Sendable {
  package var time: Instant
  /// The two angles in degrees, at the time when the difference was certain.
  package var own: UInt8
  package var wanted: UInt8
}
