/// Finds pairs of strips among rectangles, as the robot vision phone does: among the six largest, a
/// left one and the next one to its right whose extended lines meet above them.
public struct StripPairing: Hashable, Sendable {
  /// How many rectangles to consider: the largest, ties by `Ranking`.
  public var most: Int
  /// The minimum height of a strip as a share of the picture's height, 0...1.
  public var leastHeight: Double
  /// The permitted width of a strip's box divided by its height, in pixels.
  public var ratio: ClosedRange<Double>
  /// The permitted gap between the two boxes as a share of the picture's width; negative if they
  /// overlap.
  public var gap: ClosedRange<Double>

  /// The defaults accept all rectangles.
  public init(
    most: Int = 6, leastHeight: Double = 0, ratio: ClosedRange<Double> = 0...(.infinity),
    gap: ClosedRange<Double> = -1...1
  ) {
    self.most = most
    self.leastHeight = leastHeight
    self.ratio = ratio
    self.gap = gap
  }

  /// Returns all pairs, from left to right. Only adjacent strips are paired, and each strip is in
  /// at most one pair, assigned from the left. Strips with the same centre are ordered by
  /// `Ranking`. `picture` is the size in pixels of the picture to which the coordinates are
  /// normalized.
  public func pairs(in found: [Observation], picture: Size) -> [StripPair] {
    let filtered = HeightFilter(least: leastHeight)(
      AspectFilter(ratio, picture: picture)(found.filter { $0.kind == .rectangle }))
    let strips = filtered.sorted { Ranking.isBigger($0, than: $1) }.prefix(max(most, 0))
      .compactMap { Strip($0, picture: picture) }
      .sorted { one, other in
        let (x, otherX) = (one.box.centre.x, other.box.centre.x)
        return x == otherX ? Ranking.isBigger(one.rectangle, than: other.rectangle) : x < otherX
      }
    var pairs: [StripPair] = []
    var index = 0
    while index + 1 < strips.count {
      if let pair = pair(strips[index], strips[index + 1]) {
        pairs.append(pair)
        index += 2
      } else {
        index += 1
      }
    }
    return pairs
  }

  private func pair(_ left: Strip, _ right: Strip) -> StripPair? {
    guard gap.contains(right.box.x - left.box.maxX), let meeting = left.meeting(right)
    else { return nil }
    return StripPair(
      left: left.rectangle, right: right.rectangle, box: left.box.union(right.box),
      meeting: meeting)
  }
}

/// Two strips that belong together. Coordinates are normalized like those of the rectangles.
public struct StripPair: Hashable, Sendable {
  public let left: Observation
  public let right: Observation
  /// The smallest box that contains both.
  public let box: Box
  /// The point above them at which their lines meet.
  public let meeting: Point

  /// The pair as one target: its box, with the confidence of the less confident strip.
  public var observation: Observation {
    Observation(
      .rectangle, box: box, confidence: min(left.confidence, right.confidence), label: left.label)
  }
}

/// A reflective strip: a rectangle, and the centre line between its long edges. Coordinates are
/// normalized, y up.
public struct Strip: Hashable, Sendable {
  public let rectangle: Observation
  public let box: Box
  /// The ends of the centre line: the middles of the short edges.
  public let bottom: Point
  public let top: Point

  /// Fails without a box; the corners default to those of the box. `picture` is the size in pixels
  /// of the picture to which the coordinates are normalized; the long edges are determined in
  /// pixels.
  public init?(_ rectangle: Observation, picture: Size) {
    guard let box = rectangle.box, rectangle.corners.isEmpty || rectangle.corners.count == 4
    else { return nil }
    self.rectangle = rectangle
    self.box = box
    let corners =
      rectangle.corners.isEmpty
      ? [
        Point(box.x, box.maxY), Point(box.maxX, box.maxY), Point(box.maxX, box.y),
        Point(box.x, box.y),
      ] : rectangle.corners
    func squaredLength(_ one: Int, _ other: Int) -> Double {
      let x = (corners[one].x - corners[other].x) * picture.width
      let y = (corners[one].y - corners[other].y) * picture.height
      return x * x + y * y
    }
    func middle(_ one: Int, _ other: Int) -> Point {
      Point((corners[one].x + corners[other].x) / 2, (corners[one].y + corners[other].y) / 2)
    }
    let sides = squaredLength(0, 3) + squaredLength(1, 2)
    let isUpright = sides >= squaredLength(0, 1) + squaredLength(3, 2)
    let ends = isUpright ? (middle(3, 2), middle(0, 1)) : (middle(0, 3), middle(1, 2))
    (bottom, top) = ends.0.y <= ends.1.y ? ends : (ends.1, ends.0)
  }

  /// The point above both strips at which their extended centre lines meet; nil if they are
  /// parallel or meet elsewhere. Whether they lean towards each other does not depend on the scale
  /// of the axes.
  public func meeting(_ other: Strip) -> Point? {
    let (x, y) = (top.x - bottom.x, top.y - bottom.y)
    let (otherX, otherY) = (other.top.x - other.bottom.x, other.top.y - other.bottom.y)
    let cross = x * otherY - y * otherX
    // Below this sine of the angle between them, they are parallel except for rounding.
    let lengths = (x * x + y * y) * (otherX * otherX + otherY * otherY)
    guard cross * cross > 1e-18 * lengths else { return nil }
    let along =
      ((other.bottom.x - bottom.x) * otherY - (other.bottom.y - bottom.y) * otherX) / cross
    let point = Point(bottom.x + along * x, bottom.y + along * y)
    guard point.isFinite, point.y > max(top.y, other.top.y) else { return nil }
    return point
  }
}
