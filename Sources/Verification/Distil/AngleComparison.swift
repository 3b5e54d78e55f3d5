import Traces
import Turret

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
