package import Sketches

/// How a face moves in front of a turret, in degrees of the turret: 90 is straight ahead, and more
/// is further to the right. Its `tilt` is the angle to which a turret tilts that points at it: 90
/// is as high as the turret, and more is further down. A value; its random walks come from a seed.
package struct FacePath: Hashable, Sendable {
  /// What the face does for some time. Parts follow each other; after the last, the face stands.
  package struct Part: Hashable, Sendable {
    package enum Motion: Hashable, Sendable {
      case stand
      /// Jumps to an angle at once, and stands.
      case step(to: Double)
      /// Goes to an angle at a constant speed.
      case ramp(to: Double)
      /// Swings around the present angle, by so many degrees to either side.
      case sine(degrees: Double, period: Interval)
      /// Walks at random, at a speed with this mean square root in degrees a second. It turns back
      /// at 15 and 165 degrees.
      case walk(speed: Double)
      /// Goes from angle to angle at these times after the part's beginning, which increase.
      case points([Point])
    }

    package struct Point: Hashable, Sendable {
      package var time: Interval
      package var degrees: Double
      /// Nil: as the part states it.
      package var tilt: Double?

      package init(time: Interval, degrees: Double, tilt: Double? = nil) {
        self.time = time
        self.degrees = degrees
        self.tilt = tilt
      }
    }

    package var motion: Motion
    package var length: Interval
    /// Whether something hides the face.
    package var isHidden = false
    /// How far away the face is at the part's end, in metres; nil for no change.
    package var distance: Double?
    /// How high the face is at the part's end; nil for no change. A step is there at once.
    package var tilt: Double?

    package init(_ motion: Motion, lasting length: Interval) {
      self.motion = motion
      self.length = length
    }
  }

  package struct Place: Hashable, Sendable {
    package var degrees: Double
    package var tilt = 90.0
    /// In metres.
    package var distance: Double
    package var isHidden: Bool
  }

  /// A part whose beginning is known, with the points of a random walk.
  private struct Stage: Hashable {
    var part: Part
    var begin: Instant
    var degrees: Double
    var tilt: Double
    var distance: Double
    var points: [Part.Point]

    func tilt(after time: Interval) -> Double {
      if points.first?.tilt != nil { return value(of: { $0.tilt ?? tilt }, after: time) }
      guard let end = part.tilt, part.length > .zero else { return part.tilt ?? tilt }
      if case .step = part.motion { return end }
      return tilt + (end - tilt) * min(1, time.seconds / part.length.seconds)
    }

    /// A value of the points at a time; there is a point.
    private func value(of value: (Part.Point) -> Double, after time: Interval) -> Double {
      let next = points.partitioningIndex { $0.time > time }
      guard next > 0 else { return value(points[0]) }
      guard next < points.count else { return value(points[next - 1]) }
      let (a, b) = (points[next - 1], points[next])
      let share = (time - a.time).seconds / (b.time - a.time).seconds
      return value(a) + (value(b) - value(a)) * share
    }

    func degrees(after time: Interval) -> Double {
      switch part.motion {
      case .stand: return degrees
      case .step(let target): return target
      case .ramp(let target):
        guard part.length > .zero else { return target }
        return degrees + (target - degrees) * min(1, time.seconds / part.length.seconds)
      case .sine(let size, let period):
        let turns = time.seconds / period.seconds
        return degrees + size * Trigonometry.sine(ofTurns: turns)
      case .walk, .points:
        return points.isEmpty ? degrees : value(of: { $0.degrees }, after: time)
      }
    }

    func nextCorner(after time: Instant) -> Instant {
      switch part.motion {
      case .stand, .step, .ramp: return begin + part.length
      case .sine(_, let period):
        return time + min(.milliseconds(10), .nanoseconds(period.nanoseconds / 200))
      case .walk, .points:
        let next = points.partitioningIndex { $0.time > time - begin }
        return next < points.count ? begin + points[next].time : begin + part.length
      }
    }
  }

  /// The time from one point of a random walk to the next.
  private static let stride = Interval.milliseconds(100)
  private static let walkLimits = 15.0...165

  private var stages: [Stage] = []
  /// When the last part ends.
  package private(set) var end = Instant.zero
  private var last: Place

  /// - Parameter random: the numbers for its walks.
  package init(
    from degrees: Double, tilt: Double = 90, at distance: Double, _ parts: [Part],
    random: RandomStream
  ) {
    var random = random
    last = Place(degrees: degrees, tilt: tilt, distance: distance, isHidden: false)
    for part in parts {
      var points: [Part.Point] = []
      switch part.motion {
      case .walk(let speed):
        points = Self.walk(from: last.degrees, speed, lasting: part.length, &random)
      case .points(let given): points = given
      default: break
      }
      stages.append(
        Stage(
          part: part, begin: end, degrees: last.degrees, tilt: last.tilt, distance: last.distance,
          points: points))
      end = end + part.length
      last.degrees = stages[stages.count - 1].degrees(after: part.length)
      last.tilt = stages[stages.count - 1].tilt(after: part.length)
      last.distance = part.distance ?? last.distance
    }
    last.isHidden = parts.last?.isHidden ?? false
  }

  /// A walk whose speed changes slowly: it forgets itself in about a second.
  private static func walk(
    from start: Double, _ speed: Double, lasting length: Interval, _ random: inout RandomStream
  ) -> [Part.Point] {
    var points = [Part.Point(time: .zero, degrees: start)]
    var (degrees, velocity) = (start, 0.0)
    var time = Interval.zero
    while time < length {
      time = time + stride
      // 0.9^2 + 0.436^2 = 1, so that the speed keeps its mean square.
      velocity = 0.9 * velocity + 0.436 * speed * random.bell()
      degrees += velocity * stride.seconds
      if degrees < walkLimits.lowerBound {
        degrees = walkLimits.lowerBound
        velocity = abs(velocity)
      } else if degrees > walkLimits.upperBound {
        degrees = walkLimits.upperBound
        velocity = -abs(velocity)
      }
      points.append(Part.Point(time: time, degrees: degrees))
    }
    return points
  }

  /// Whether the face is always as high as the turret.
  package var isLevel: Bool {
    last.tilt == 90
      && stages.allSatisfy { stage in
        stage.tilt == 90 && stage.part.tilt ?? 90 == 90
          && stage.points.allSatisfy { $0.tilt ?? 90 == 90 }
      }
  }

  package func place(at instant: Instant) -> Place {
    guard instant < end, let index = index(at: instant) else { return last }
    let stage = stages[index]
    let time = instant - stage.begin
    var distance = stage.distance
    if let target = stage.part.distance {
      distance += (target - distance) * time.seconds / stage.part.length.seconds
    }
    return Place(
      degrees: stage.degrees(after: time), tilt: stage.tilt(after: time), distance: distance,
      isHidden: stage.part.isHidden)
  }

  private func index(at instant: Instant) -> Int? {
    let index = stages.partitioningIndex { $0.begin > instant }
    return index == 0 ? nil : index - 1
  }

  /// A corner of the face's way: where it is at an instant, nil while it is hidden. Between two
  /// corners the way is a straight line, to within a hundredth of a degree for usual motions.
  package struct Corner: Hashable, Sendable {
    package var time: Instant
    package var degrees: Double?
    package var tilt: Double?
  }

  /// Returns the corners of the way from the beginning to `end`, in thousandths of a degree. A jump
  /// has two at the same time.
  package func corners(until end: Instant) -> [Corner] {
    var corners: [Corner] = []
    func add(_ time: Instant, _ degrees: Double, _ tilt: Double, _ isHidden: Bool) {
      func rounded(_ angle: Double) -> Double? {
        isHidden ? nil : (angle * 1_000).rounded() / 1_000
      }
      let corner = Corner(time: time, degrees: rounded(degrees), tilt: rounded(tilt))
      if corners.last != corner { corners.append(corner) }
    }
    for stage in stages where stage.begin <= end {
      let stop = min(end, stage.begin + stage.part.length)
      var time = stage.begin
      while true {
        let passed = time - stage.begin
        add(time, stage.degrees(after: passed), stage.tilt(after: passed), stage.part.isHidden)
        guard time < stop else { break }
        time = min(stop, stage.nextCorner(after: time))
      }
    }
    if corners.isEmpty { add(.zero, last.degrees, last.tilt, last.isHidden) }
    if let corner = corners.last, corner.time < end {
      add(end, last.degrees, last.tilt, last.isHidden)
    }
    return corners
  }
}
