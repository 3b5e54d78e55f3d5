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

  /// Returns the pair with the largest share, of equal ones the leftmost; nil if there is none.
  public func best(in found: [Observation], picture: Size) -> StripPair? {
    var best: StripPair?
    for pair in pairs(in: found, picture: picture) where pair.share > (best?.share ?? 0) {
      best = pair
    }
    return best
  }

  private func pair(_ left: Strip, _ right: Strip) -> StripPair? {
    guard gap.contains(right.box.x - left.box.maxX), let meeting = left.meeting(right)
    else { return nil }
    return StripPair(
      left: left.rectangle, right: right.rectangle, box: left.box.union(right.box),
      meeting: meeting)
  }
}
