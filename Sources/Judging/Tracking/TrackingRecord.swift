package import Sketches
package import Traces

/// The ways of a face and of the turret's shaft in a session, from its `x-truth` and `x-shaft`
/// events, and how well the one follows the other.
package struct TrackingRecord: Hashable, Sendable {
  private struct Truth: Hashable {
    var time: Instant
    /// Nil while the face cannot be seen.
    var degrees: Double?
  }

  private struct ShaftPoint: Hashable {
    var time: Instant
    var degrees: Double
  }

  /// The corners of the face's way and of the shaft's, as far as they have not been compared.
  private var truths: ArraySlice<Truth> = []
  private var shaft: ArraySlice<ShaftPoint> = []
  /// When the face could first be seen, and when the first byte was sent.
  private var firstSeen: Instant?
  private var firstByte: Instant?

  /// When the scene began. In real time that is when a program first reads the camera.
  private var sceneBegin: Instant?

  /// When the ways are compared next; nil until errors count.
  private var next: Instant?
  private var place = Place()
  /// The first corner of the face's way that no stand knows yet.
  private var corner = 0
  private var stand: Stand?
  /// What the comparison has shown so far.
  private var found = TrackingFigures()
  private var turns = TurnCounter()

  /// How many points of the shaft's way are taken before they are compared.
  private static let pointsMax = 1 << 12

  /// What a camera on the turret sees, in degrees from where the shaft points; nil if there is no
  /// such camera.
  private let view: ClosedRange<Double>?

  package init(view: ClosedRange<Double>? = nil) { self.view = view }

  package mutating func take(_ event: Event) {
    switch event.kind {
    case .truth(let degrees):
      truths.append(Truth(time: event.time, degrees: degrees))
      sceneBegin = sceneBegin ?? event.time
      if degrees != nil { firstSeen = firstSeen ?? event.time }
    case .shaft(let degrees):
      if let last = shaft.last { found.travel += abs(degrees - last.degrees) }
      if !shaft.isEmpty { turns.take(degrees) }
      shaft.append(ShaftPoint(time: event.time, degrees: degrees))
      if shaft.count % Self.pointsMax == 0 { compareKnown() }
    case .receive where firstByte == nil: firstByte = event.time
    default: break
    }
  }

  /// Why the ways cannot be compared; nil if they can.
  package var refusal: String? {
    if truths.endIndex == 0 { return "the session does not say where a face is (x-truth)" }
    if shaft.endIndex == 0 { return "the session does not show the shaft (x-shaft)" }
    return nil
  }

  /// Why there are no figures although the ways can be compared.
  package static let tooShort =
    "the session ended before errors count: half a second after the first byte, or 2 s after the "
    + "face can first be seen"

  /// When errors begin to count: half a second after the first byte, or 2 s after the face can
  /// first be seen, by which a program that tracks must have answered.
  private var begin: Instant {
    let seen = firstSeen.map { $0 + Self.longestAnswer }
    let answered = firstByte.map { $0 + Self.leastStand }
    return min(seen ?? .distantFuture, answered ?? .distantFuture)
  }

  /// The time from one comparison to the next.
  static let stride = Interval.milliseconds(5)
  /// A jump of the face by less is none.
  static let leastStep = 5.0
  /// A shorter stand after a jump says nothing about it.
  static let leastStand = Interval.milliseconds(500)
  /// How long a program can take to send something after the face can be seen.
  static let longestAnswer = Interval.seconds(2)
  /// How long a face must stand until the turret's swings are its own.
  static let calm = Interval.milliseconds(1_500)
  /// A movement by less is no reversal: it is within the gears' play and the noise.
  static let leastTurn = 0.5

  /// Returns what there is to say at the session's end. `commands` is the number of commands sent.
  package func figures(at end: Instant, commands: Int) -> TrackingFigures? {
    guard refusal == nil, end > begin else { return nil }
    var record = self
    record.compare(until: end + .nanoseconds(1))
    if let stand = record.stand { record.close(stand, at: end) }
    record.found.commands = commands
    record.found.length = end - (sceneBegin ?? .zero)
    record.found.reversals = turns.reversals
    return record.found
  }

  // MARK: Comparing

  /// Compares the ways as far as the next corner of both is known, and drops what was compared.
  private mutating func compareKnown() {
    guard let truth = truths.last, let point = shaft.last else { return }
    compare(until: min(truth.time, point.time))
    let needed = min(next ?? begin, stand.map { $0.next } ?? .distantFuture)
    let first = shaft.partitioningIndex { $0.time > needed } - 1
    shaft = shaft[max(shaft.startIndex, first)...]
    let seen = min(truths.partitioningIndex { $0.time > needed }, corner) - 1
    truths = truths[max(truths.startIndex, seen)...]
  }

  /// Compares the ways before an instant.
  private mutating func compare(until end: Instant) {
    if next == nil, begin < end { next = begin }
    while let time = next, time < end {
      place.advance(to: time, shaft, truths)
      if let error = place.error(at: time, shaft, truths) {
        found.errors.take(.init(time: time, degrees: abs(error)))
      }
      next = time + Self.stride
    }
    while corner < truths.endIndex, truths[corner].time < end {
      take(corner: corner)
      corner += 1
    }
  }

  /// A stand of the face lasts from when it is somewhere until it leaves, is hidden, or the end.
  private mutating func take(corner index: Int) {
    let truth = truths[index]
    let last = index > truths.startIndex ? truths[index - 1] : nil
    if var open = stand {
      if truth.degrees == open.degrees {
        open.follow(shaft, until: truth.time, from: begin, view)
        stand = open
        return
      }
      // Between two corners that differ, the face moves.
      if let last { close(open, at: last.time) }
      stand = nil
    }
    guard let degrees = truth.degrees else { return }
    // A ramp begins where the way before it ends, at a time of its own.
    let jumped = last.flatMap { $0.time == truth.time ? $0.degrees : nil }
    stand = Stand(begin: truth.time, from: jumped, degrees)
  }

  /// Adds what the shaft did during a stand.
  private mutating func close(_ open: Stand, at end: Instant) {
    var stand = open
    guard end > stand.begin else { return }
    stand.follow(shaft, until: end, from: begin, view)
    if let loss = stand.loss, found.loss == nil {
      found.loss = .init(begin: loss, degrees: stand.degrees)
    }
    if let step = stand.step, stand.begin >= begin, end - stand.begin >= Self.leastStand {
      found.steps.append(step)
    }
    guard stand.begin >= begin || end > begin, let from = stand.calm,
      end - from >= Self.leastStand
    else { return }
    let swing = TrackingFigures.Swing(
      begin: from, end: end, degrees: stand.high - stand.low,
      hertz: Double(stand.turns.reversals) / 2 / (end - from).seconds)
    if found.swing.map({ swing.degrees > $0.degrees }) ?? true { found.swing = swing }
  }

  /// A face that stands, and what the shaft does meanwhile.
  private struct Stand: Hashable {
    var begin: Instant
    var degrees: Double
    /// What the shaft does after a jump; nil if the face did not jump here.
    var step: TrackingFigures.Step?
    /// From when on the shaft's swings are its own; nil if it is not known yet.
    var calm: Instant?
    /// From when on the face has been outside of the camera's view; nil while it is in it. And the
    /// first time that this was for long.
    private var outside: Instant?
    private(set) var loss: Instant?
    var low = Double.infinity
    var high = -Double.infinity
    var turns = TurnCounter()
    /// When the shaft is looked at next.
    private var nextStep: Instant
    private var nextSwing: Instant?
    private var stepPlace = Place()
    private var swingPlace = Place()

    init(begin: Instant, from: Double?, _ degrees: Double) {
      self.begin = begin
      self.degrees = degrees
      nextStep = begin
      guard let from, abs(degrees - from) >= TrackingRecord.leastStep else { return }
      step = TrackingFigures.Step(time: begin, from: from, to: degrees)
    }

    var next: Instant { min(step == nil ? .distantFuture : nextStep, nextSwing ?? begin) }

    /// Follows the shaft until an instant. `counted`: when errors begin to count.
    mutating func follow(
      _ shaft: ArraySlice<ShaftPoint>, until end: Instant, from counted: Instant,
      _ view: ClosedRange<Double>?
    ) {
      while let open = step, nextStep < end {
        stepPlace.advance(to: nextStep, shaft)
        let way = stepPlace.degrees(at: nextStep, shaft) - degrees
        step?.take(
          .init(time: nextStep, degrees: abs(way)), beyond: degrees > open.from ? way : -way)
        nextStep = nextStep + TrackingRecord.stride
      }
      if calm == nil, counted < end {
        calm = max(begin, counted) + TrackingRecord.calm
        nextSwing = max(begin, counted)
      }
      while let time = nextSwing, time < end {
        swingPlace.advance(to: time, shaft)
        let degrees = swingPlace.degrees(at: time, shaft)
        look(at: time, from: degrees, view)
        if let calm, time >= calm {
          (low, high) = (min(low, degrees), max(high, degrees))
          turns.take(degrees)
        }
        nextSwing = time + TrackingRecord.stride
      }
    }

    /// Notes whether a camera on the turret sees the face, the shaft being at an angle.
    private mutating func look(at time: Instant, from shaft: Double, _ view: ClosedRange<Double>?) {
      guard let view, loss == nil else { return }
      guard !view.contains(degrees - shaft) else {
        outside = nil
        return
      }
      let since = outside ?? time
      outside = since
      if time - since >= TrackingRecord.leastStand { loss = since }
    }
  }

  /// A place on both ways: the indices of the last corners by an instant.
  private struct Place: Hashable {
    private var point = 0
    private var truth = 0

    /// Goes on to an instant that is not before that of the last call.
    mutating func advance(
      to time: Instant, _ shaft: ArraySlice<ShaftPoint>, _ truths: ArraySlice<Truth> = []
    ) {
      point = max(point, shaft.startIndex)
      truth = max(truth, truths.startIndex)
      while point + 1 < shaft.endIndex, shaft[point + 1].time <= time { point += 1 }
      while truth + 1 < truths.endIndex, truths[truth + 1].time <= time { truth += 1 }
    }

    /// Where the shaft is at the instant.
    func degrees(at time: Instant, _ shaft: ArraySlice<ShaftPoint>) -> Double {
      guard point + 1 < shaft.endIndex, shaft[point].time <= time else {
        return shaft[point].degrees
      }
      let (a, b) = (shaft[point], shaft[point + 1])
      return a.degrees + (b.degrees - a.degrees) * (time - a.time).seconds
        / (b.time - a.time).seconds
    }

    /// How far the shaft is from the face at the instant; nil if that cannot be seen.
    func error(
      at time: Instant, _ shaft: ArraySlice<ShaftPoint>, _ truths: ArraySlice<Truth>
    ) -> Double? {
      guard truths[truth].time <= time, var face = truths[truth].degrees else { return nil }
      if truth + 1 < truths.endIndex, let next = truths[truth + 1].degrees {
        let (a, b) = (truths[truth].time, truths[truth + 1].time)
        if b > a { face += (next - face) * (time - a).seconds / (b - a).seconds }
      }
      return degrees(at: time, shaft) - face
    }
  }
}

/// Counts how often a movement turns back.
struct TurnCounter: Hashable, Sendable {
  private(set) var reversals = 0
  private var extreme: Double?
  /// Whether the last movement was towards more degrees; nil before the first.
  private var isRising: Bool?

  mutating func take(_ degrees: Double) {
    guard let last = extreme else {
      extreme = degrees
      return
    }
    let least = TrackingRecord.leastTurn
    if let isRising {
      let hasTurned = isRising ? degrees < last - least : degrees > last + least
      guard hasTurned || (isRising ? degrees > last : degrees < last) else { return }
      if hasTurned {
        reversals += 1
        self.isRising = !isRising
      }
    } else {
      guard abs(degrees - last) > least else { return }
      isRising = degrees > last
    }
    extreme = degrees
  }
}

/// How well a turret followed a face.
package struct TrackingFigures: Hashable, Sendable {
  /// How far the shaft is from the face, or was from where that stood.
  package struct Error: Hashable, Sendable {
    package var time: Instant
    package var degrees: Double
  }

  /// The distances every 5 ms while the face could be seen: how often each of them, in steps of
  /// 0.0001 degrees, so that a session of any length takes as much memory.
  package struct Errors: Hashable, Sendable {
    package private(set) var count = 0
    package private(set) var first: Error?
    fileprivate private(set) var worst: Error?
    fileprivate private(set) var sum = 0.0
    /// The number of errors of at most so many steps, and more than one step less.
    private var numbers: [UInt32] = []

    private static let stepsPerDegree = 10_000.0
    private static let degreesMax = 400.0

    mutating func take(_ error: Error) {
      count += 1
      first = first ?? error
      if worst.map({ error.degrees > $0.degrees }) ?? true { worst = error }
      sum += error.degrees
      let step = Int((min(error.degrees, Self.degreesMax) * Self.stepsPerDegree).rounded(.up))
      if step >= numbers.count {
        numbers += repeatElement(0, count: step + 1 - numbers.count)
      }
      numbers[step] += 1
    }

    func count(within degrees: Double) -> Int {
      // A limit such as 0.3 is not exact.
      let steps = Int((min(degrees, Self.degreesMax) * Self.stepsPerDegree + 1e-6).rounded(.down))
      return numbers.prefix(steps + 1).reduce(0) { $0 + Int($1) }
    }

    func percentile(_ percent: Int) -> Double? {
      guard let worst else { return nil }
      var rest = min(count - 1, count / 100 * percent + count % 100 * percent / 100)
      for (step, number) in numbers.enumerated() {
        guard rest >= number else {
          // The middle of the step, so that it is rounded as the error itself would be.
          let middle = max(0, Double(step) - 0.5) / Self.stepsPerDegree
          return step == numbers.count - 1 ? worst.degrees : middle
        }
        rest -= Int(number)
      }
      return worst.degrees
    }
  }

  /// What the shaft did after the face had jumped.
  package struct Step: Hashable, Sendable {
    package var time: Instant
    package var from: Double
    package var to: Double
    /// How far the shaft went beyond the face, in degrees.
    package var overshoot = 0.0
    /// How far the shaft was from the face, every 5 ms: each that was not reached again later.
    private var ways: [Error] = []

    init(time: Instant, from: Double, to: Double) {
      self.time = time
      self.from = from
      self.to = to
    }

    fileprivate mutating func take(_ way: Error, beyond: Double) {
      overshoot = max(overshoot, beyond)
      while let last = ways.last, last.degrees <= way.degrees { ways.removeLast() }
      ways.append(way)
    }

    /// Returns how long it took until the shaft stayed that near to the face; nil if it did not
    /// before the face left.
    package func settling(within degrees: Double) -> Interval? {
      guard let last = ways.last, last.degrees <= degrees else { return nil }
      guard let out = ways.lastIndex(where: { $0.degrees > degrees }) else { return .zero }
      return ways[out].time + TrackingRecord.stride - time
    }
  }

  /// The shaft's movement while the face stood.
  package struct Swing: Hashable, Sendable {
    package var begin: Instant
    package var end: Instant
    /// From the least angle to the greatest.
    package var degrees: Double
    /// How often it went there and back, a second.
    package var hertz: Double
  }

  /// The first time that a camera on the turret could not see a face that stood, for half a second
  /// or longer.
  package struct Loss: Hashable, Sendable {
    package var begin: Instant
    /// Where the face stood.
    package var degrees: Double
  }

  package fileprivate(set) var commands = 0
  package fileprivate(set) var length = Interval.zero
  package fileprivate(set) var errors = Errors()
  package fileprivate(set) var steps: [Step] = []
  /// Nil if the face never stood long enough.
  package fileprivate(set) var swing: Swing?
  package fileprivate(set) var loss: Loss?
  /// How far the shaft turned in all, in degrees.
  package fileprivate(set) var travel = 0.0
  /// How often it turned back.
  package fileprivate(set) var reversals = 0

  /// In degrees; nil if the face was never seen. So are the next three.
  package var meanError: Double? { errors.count == 0 ? nil : errors.sum / Double(errors.count) }
  /// The error that was not exceeded for 95 % of the time, to 0.0001 degrees.
  package var error95: Double? { errors.percentile(95) }
  package var worst: Error? { errors.worst }
  /// Returns for which share of the time the shaft was that near to the face, 0...1. The distance
  /// counts in steps of 0.0001 degrees.
  package func share(within degrees: Double) -> Double? {
    errors.count == 0 ? nil : Double(errors.count(within: degrees)) / Double(errors.count)
  }

  /// The same in whole thousandths, rounded down: a share that breaks a rule by little is not shown
  /// as what the rule requires. Whatever is printed is this figure.
  package func thousandths(within degrees: Double) -> Int? {
    guard errors.count > 0 else { return nil }
    return Int(Int64(errors.count(within: degrees)) * 1_000 / Int64(errors.count))
  }

  /// The greatest overshoot of all steps, and the longest settling; nil without a step.
  package var overshoot: Double? { steps.map { $0.overshoot }.max() }
  /// Nil without a step. `.some(nil)`: the shaft did not settle after one of them.
  package func settling(within degrees: Double) -> Interval?? {
    guard !steps.isEmpty else { return nil }
    let all = steps.map { $0.settling(within: degrees) }
    return .some(all.contains(nil) ? nil : all.compactMap { $0 }.max())
  }

  package var commandsPerSecond: Double { Double(commands) / length.seconds }
  package var travelPerMinute: Double { travel / length.seconds * 60 }
  package var reversalsPerMinute: Double { Double(reversals) / length.seconds * 60 }
}
