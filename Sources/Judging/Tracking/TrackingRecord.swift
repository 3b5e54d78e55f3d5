package import Sketches
package import Traces

/// The ways of a face and of the turret's shaft in a session, from its `x-truth` and `x-shaft`
/// events, and how well the one follows the other.
package struct TrackingRecord: Hashable, Sendable {
  struct Truth: Hashable, Sendable {
    var time: Instant
    /// Nil while the face cannot be seen.
    var degrees: Double?
  }

  struct ShaftPoint: Hashable, Sendable {
    var time: Instant
    var degrees: Double
  }

  private(set) var truths: [Truth] = []
  private(set) var shaft: [ShaftPoint] = []
  /// When the first byte was sent.
  private var firstByte: Instant?

  package init() {}

  package mutating func take(_ event: Event) {
    switch event.kind {
    case .truth(let degrees): truths.append(Truth(time: event.time, degrees: degrees))
    case .shaft(let degrees): shaft.append(ShaftPoint(time: event.time, degrees: degrees))
    case .receive where firstByte == nil: firstByte = event.time
    default: break
    }
  }

  /// Why the ways cannot be compared; nil if they can.
  package var refusal: String? {
    if truths.isEmpty { return "the session does not say where a face is (x-truth)" }
    if shaft.isEmpty { return "the session does not show the shaft (x-shaft)" }
    return nil
  }

  /// Why there are no figures although the ways can be compared.
  package static let tooShort =
    "the session ended before errors count: half a second after the first byte, or 2 s after the "
    + "face can first be seen"

  /// When errors begin to count: half a second after the first byte, or 2 s after the face can
  /// first be seen, by which a program that tracks must have answered.
  private var begin: Instant {
    let seen = truths.first { $0.degrees != nil }.map { $0.time + Self.longestAnswer }
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
    var figures = TrackingFigures(commands: commands, length: end - .zero)
    var walk = Walk(self, at: begin)
    var time = begin
    while time <= end {
      let place = walk.advance(to: time)
      if let error = place.error { figures.errors.append(.init(time: time, degrees: abs(error))) }
      time = time + Self.stride
    }
    figures.sort()
    figures.steps = steps(until: end)
    figures.swing = swing(until: end)
    addTravel(to: &figures)
    return figures
  }

  /// The stands of the face: from when it is somewhere until it leaves, is hidden, or the end.
  private func stands(until end: Instant) -> [Stand] {
    var stands: [Stand] = []
    var open: Stand?
    for (index, truth) in truths.enumerated() where truth.time <= end {
      if let stand = open {
        if truth.degrees == stand.degrees { continue }
        // Between two corners that differ, the face moves.
        stands.append(
          Stand(
            begin: stand.begin, end: truths[index - 1].time, from: stand.from, stand.degrees))
        open = nil
      }
      guard let degrees = truth.degrees else { continue }
      let last = index > 0 ? truths[index - 1] : nil
      // A ramp begins where the way before it ends, at a time of its own.
      let jumped = last.flatMap { $0.time == truth.time ? $0.degrees : nil }
      open = Stand(begin: truth.time, end: end, from: jumped, degrees)
    }
    if let open { stands.append(open) }
    return stands.filter { $0.end > $0.begin }
  }

  private struct Stand {
    var begin: Instant
    var end: Instant
    /// Where the face was before it jumped here; nil if it did not jump.
    var from: Double?
    var degrees: Double

    init(begin: Instant, end: Instant, from: Double?, _ degrees: Double) {
      self.begin = begin
      self.end = end
      self.from = from
      self.degrees = degrees
    }
  }

  private func steps(until end: Instant) -> [TrackingFigures.Step] {
    stands(until: end).compactMap { stand in
      guard let from = stand.from, abs(stand.degrees - from) >= Self.leastStep,
        stand.begin >= begin, stand.end - stand.begin >= Self.leastStand
      else { return nil }
      var step = TrackingFigures.Step(time: stand.begin, from: from, to: stand.degrees)
      var walk = Walk(self, at: stand.begin)
      var time = stand.begin
      while time < stand.end {
        let way = walk.advance(to: time).shaft - stand.degrees
        step.overshoot = max(step.overshoot, stand.degrees > from ? way : -way)
        step.ways.append(.init(time: time, degrees: abs(way)))
        time = time + Self.stride
      }
      return step
    }
  }

  /// Returns the widest swing of the shaft while the face stands.
  private func swing(until end: Instant) -> TrackingFigures.Swing? {
    var widest: TrackingFigures.Swing?
    for stand in stands(until: end) where stand.begin >= begin || stand.end > begin {
      let from = max(stand.begin, begin) + Self.calm
      guard stand.end - from >= Self.leastStand else { continue }
      var walk = Walk(self, at: from)
      var (low, high) = (Double.infinity, -Double.infinity)
      var turns = TurnCounter()
      var time = from
      while time < stand.end {
        let shaft = walk.advance(to: time).shaft
        (low, high) = (min(low, shaft), max(high, shaft))
        turns.take(shaft)
        time = time + Self.stride
      }
      let swing = TrackingFigures.Swing(
        begin: from, end: stand.end, degrees: high - low,
        hertz: Double(turns.reversals) / 2 / (stand.end - from).seconds)
      if widest.map({ swing.degrees > $0.degrees }) ?? true { widest = swing }
    }
    return widest
  }

  private func addTravel(to figures: inout TrackingFigures) {
    var turns = TurnCounter()
    for (last, next) in zip(shaft, shaft.dropFirst()) {
      figures.travel += abs(next.degrees - last.degrees)
      turns.take(next.degrees)
    }
    figures.reversals = turns.reversals
  }

  /// Goes along both ways in order of time.
  private struct Walk {
    private let record: TrackingRecord
    private var truth = 0
    private var point = 0

    /// Begins at an instant.
    init(_ record: TrackingRecord, at begin: Instant) {
      self.record = record
      truth = max(0, record.truths.partitioningIndex { $0.time > begin } - 1)
      point = max(0, record.shaft.partitioningIndex { $0.time > begin } - 1)
    }

    /// Where the shaft is at an instant, not before that of the last call, and how far it is from
    /// the face; nil if that cannot be seen.
    mutating func advance(to time: Instant) -> (shaft: Double, error: Double?) {
      let (shaft, truths) = (record.shaft, record.truths)
      while point + 1 < shaft.count, shaft[point + 1].time <= time { point += 1 }
      while truth + 1 < truths.count, truths[truth + 1].time <= time { truth += 1 }
      var degrees = shaft[point].degrees
      if point + 1 < shaft.count, shaft[point].time <= time {
        let (a, b) = (shaft[point], shaft[point + 1])
        degrees += (b.degrees - a.degrees) * (time - a.time).seconds / (b.time - a.time).seconds
      }
      guard truths[truth].time <= time, var face = truths[truth].degrees else {
        return (degrees, nil)
      }
      if truth + 1 < truths.count, let next = truths[truth + 1].degrees {
        let (a, b) = (truths[truth].time, truths[truth + 1].time)
        if b > a { face += (next - face) * (time - a).seconds / (b - a).seconds }
      }
      return (degrees, degrees - face)
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
    switch isRising {
    case true?:
      if degrees > last {
        extreme = degrees
      } else if degrees < last - TrackingRecord.leastTurn {
        turn(to: false, degrees)
      }
    case false?:
      if degrees < last {
        extreme = degrees
      } else if degrees > last + TrackingRecord.leastTurn {
        turn(to: true, degrees)
      }
    case nil:
      guard abs(degrees - last) > TrackingRecord.leastTurn else { return }
      isRising = degrees > last
      extreme = degrees
    }
  }

  private mutating func turn(to isRising: Bool, _ degrees: Double) {
    reversals += 1
    self.isRising = isRising
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

  /// What the shaft did after the face had jumped.
  package struct Step: Hashable, Sendable {
    package var time: Instant
    package var from: Double
    package var to: Double
    /// How far the shaft went beyond the face, in degrees.
    package var overshoot = 0.0
    fileprivate(set) var ways: [Error] = []

    /// Returns how long it took until the shaft stayed that near to the face; nil if it did not
    /// before the face left.
    package func settling(within degrees: Double) -> Interval? {
      guard let last = ways.last, last.degrees <= degrees else { return nil }
      guard let out = ways.lastIndex(where: { $0.degrees > degrees }) else { return .zero }
      return ways[out + 1].time - time
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

  package let commands: Int
  package let length: Interval
  /// The distances every 5 ms while the face could be seen.
  package fileprivate(set) var errors: [Error] = []
  /// The same from the least to the greatest.
  private var sorted: [Double] = []
  package fileprivate(set) var steps: [Step] = []
  /// Nil if the face never stood long enough.
  package fileprivate(set) var swing: Swing?
  /// How far the shaft turned in all, in degrees.
  package fileprivate(set) var travel = 0.0
  /// How often it turned back.
  package fileprivate(set) var reversals = 0

  init(commands: Int, length: Interval) {
    self.commands = commands
    self.length = length
  }

  fileprivate mutating func sort() { sorted = errors.map { $0.degrees }.sorted() }

  /// In degrees; nil if the face was never seen. So are the next three.
  package var meanError: Double? {
    sorted.isEmpty ? nil : sorted.reduce(0, +) / Double(sorted.count)
  }
  /// The error that was not exceeded for 95 % of the time.
  package var error95: Double? {
    sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * 95 / 100)]
  }
  package var worst: Error? { errors.max { $0.degrees < $1.degrees } }
  /// Returns for which share of the time the shaft was that near to the face, 0...1.
  package func share(within degrees: Double) -> Double? {
    guard !sorted.isEmpty else { return nil }
    return Double(sorted.partitioningIndex { $0 > degrees }) / Double(sorted.count)
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
