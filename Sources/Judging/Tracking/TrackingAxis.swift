import Sketches
import Traces

/// The ways of a face and of one of the turret's shafts in a session, from its `x-truth` and
/// `x-shaft` events, and how well the one follows the other.
struct TrackingAxis: Hashable, Sendable {
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
  private(set) var firstByte: Instant?

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

  /// The errors that have not been taken, if there is another shaft with whose errors they are
  /// combined; otherwise none.
  private var recent: [TrackingFigures.Error] = []
  private var keepsErrors = false

  /// How many points of the shaft's way are taken before they are compared.
  private static let pointsMax = 1 << 12

  /// The servo's pin; nil for the session's own.
  let pin: BoardPin?
  /// What a camera on the turret sees, in degrees from where the shaft points; nil if there is no
  /// such camera.
  private let view: ClosedRange<Double>?

  init(on pin: BoardPin? = nil, view: ClosedRange<Double>?, firstByte: Instant? = nil) {
    self.pin = pin
    self.view = view
    self.firstByte = firstByte
  }

  /// Returns whether there is so much that it should be compared.
  mutating func take(_ event: Event) -> Bool {
    switch event.kind {
    case .truth(let degrees, on: pin):
      truths.append(Truth(time: event.time, degrees: degrees))
      sceneBegin = sceneBegin ?? event.time
      if degrees != nil { firstSeen = firstSeen ?? event.time }
    case .shaft(let degrees, on: pin):
      if let last = shaft.last { found.travel += abs(degrees - last.degrees) }
      if !shaft.isEmpty { turns.take(degrees) }
      shaft.append(ShaftPoint(time: event.time, degrees: degrees))
      return shaft.count % Self.pointsMax == 0
    case .receive where firstByte == nil: firstByte = event.time
    default: break
    }
    return false
  }

  /// Keeps the errors from now on, for `takeErrors`.
  mutating func keepErrors() { keepsErrors = true }

  /// Removes and returns the errors that are kept.
  mutating func takeErrors() -> [TrackingFigures.Error] {
    defer { recent.removeAll(keepingCapacity: true) }
    return recent
  }

  /// Notes that all events before an instant have been taken. A shaft that has not been reported
  /// for some time stands.
  mutating func hold(until instant: Instant) {
    guard let last = shaft.last, last.time + .milliseconds(100) < instant else { return }
    shaft.append(ShaftPoint(time: instant, degrees: last.degrees))
  }

  /// Why the ways cannot be compared; nil if they can.
  var refusal: String? {
    if truths.endIndex == 0 { return "the session does not say where a face is (x-truth)" }
    if shaft.endIndex == 0 { return "the session does not show the shaft (x-shaft)" }
    return nil
  }

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

  /// Compares what is left, and returns what there is to say at the session's end. `commands` is
  /// the number of commands sent.
  mutating func figures(at end: Instant, commands: Int) -> TrackingFigures? {
    guard refusal == nil, end > begin else { return nil }
    compare(until: end + .nanoseconds(1))
    if let stand { close(stand, at: end) }
    found.commands = commands
    found.length = end - (sceneBegin ?? .zero)
    found.reversals = turns.reversals
    return found
  }

  // MARK: Comparing

  /// Compares the ways as far as the next corner of both is known, and drops what was compared.
  mutating func compareKnown() {
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
        if keepsErrors { recent.append(.init(time: time, degrees: abs(error))) }
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
      guard let from, abs(degrees - from) >= TrackingAxis.leastStep else { return }
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
        nextStep = nextStep + TrackingAxis.stride
      }
      if calm == nil, counted < end {
        calm = max(begin, counted) + TrackingAxis.calm
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
        nextSwing = time + TrackingAxis.stride
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
      if time - since >= TrackingAxis.leastStand { loss = since }
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
    let least = TrackingAxis.leastTurn
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
