/// Finds pairs of strips among rectangles, as the robot vision phone does: of the biggest six, a
/// left one and the next one to its right whose lines, drawn on, meet above them.
public struct StripPairing: Hashable, Sendable {
  /// How many rectangles are looked at: the biggest, ties by `Ranking`.
  public var most: Int
  /// Share of the picture's height that a strip has at least, 0...1.
  public var leastHeight: Double
  /// Width over height of a strip's box, in pixels.
  public var ratio: ClosedRange<Double>
  /// Empty space between the two boxes, share of the picture's width; below 0 if they overlap.
  public var gap: ClosedRange<Double>

  /// The defaults let all rectangles pass.
  public init(
    most: Int = 6, leastHeight: Double = 0, ratio: ClosedRange<Double> = 0...(.infinity),
    gap: ClosedRange<Double> = -1...1
  ) {
    self.most = most
    self.leastHeight = leastHeight
    self.ratio = ratio
    self.gap = gap
  }

  /// All pairs, from left to right. Only a strip and its next neighbour are looked at, and each is
  /// in one pair at most: the left one first. Strips of the same centre are ordered by `Ranking`.
  /// `picture`: the size of what the coordinates are normalized to, pixels.
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

  /// The pair of the biggest share, of equal ones the leftmost; nil if there is none.
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
