/// Chooses the target: the largest box (ties by `Ranking`). With `stick`, it keeps the previous
/// target until the largest box is more than that many times as large.
///
/// The previous target is the observation with the same kind and label that overlaps most with its
/// position in the last frame (intersection over union at least `leastOverlap`; ties by `Ranking`).
/// If there is none, the largest box is chosen again. A frame without any boxes clears the target.
public struct TargetChoice: Hashable, Sendable {
  /// A factor of area, at least 1; nil always chooses the largest.
  public var stick: Double?
  /// A face that moves by half its width between frames still overlaps by 0.33.
  public var leastOverlap: Double
  /// The target in the last frame.
  public private(set) var last: Observation?

  public init(stick: Double? = nil, leastOverlap: Double = 0.1) {
    self.stick = stick
    self.leastOverlap = leastOverlap
  }

  /// Chooses among the observations that have a box; nil if there are none.
  public mutating func choose(from found: [Observation]) -> Observation? {
    var biggest: Int?
    for index in found.indices where found[index].box != nil {
      if let best = biggest, !Ranking.isBigger(found[index], than: found[best]) { continue }
      biggest = index
    }
    last = biggest.map { kept(in: found, against: found[$0]) ?? found[$0] }
    return last
  }

  private func kept(in found: [Observation], against biggest: Observation) -> Observation? {
    guard let stick, let same = again(in: found), let box = same.box, let rival = biggest.box,
      !(rival.area > box.area * stick)
    else { return nil }
    return same
  }

  private func again(in found: [Observation]) -> Observation? {
    guard let last, let lastBox = last.box else { return nil }
    var best: (observation: Observation, overlap: Double)?
    for observation in found where observation.kind == last.kind && observation.label == last.label
    {
      guard let box = observation.box else { continue }
      let overlap = box.overlap(with: lastBox)
      guard overlap > 0, overlap >= leastOverlap else { continue }
      if let other = best, overlap < other.overlap { continue }
      if let other = best, overlap == other.overlap,
        !Ranking.isBigger(observation, than: other.observation)
      {
        continue
      }
      best = (observation, overlap)
    }
    return best?.observation
  }
}

/// A total order of observations: only observations that are equal in everything rank equally, so
/// no result depends on the order in which a detector lists them.
///
/// By size: larger area, then higher confidence. By confidence: higher confidence, then larger
/// area. Ties in both: further left, lower, narrower; then kind and label alphabetically (no label
/// first), then corners, then landmarks. A missing box counts as no area; NaN counts as less than
/// any number.
public enum Ranking {
  /// Whether `one` comes before `other` by size.
  public static func isBigger(_ one: Observation, than other: Observation) -> Bool {
    let (area, otherArea) = (key(one.box?.area), key(other.box?.area))
    if area != otherArea { return area > otherArea }
    let (sure, otherSure) = (key(one.confidence), key(other.confidence))
    if sure != otherSure { return sure > otherSure }
    return isFirst(one, before: other)
  }

  /// Whether `one` comes before `other` by confidence.
  public static func isSurer(_ one: Observation, than other: Observation) -> Bool {
    let (sure, otherSure) = (key(one.confidence), key(other.confidence))
    if sure != otherSure { return sure > otherSure }
    return isBigger(one, than: other)
  }

  private static func isFirst(_ one: Observation, before other: Observation) -> Bool {
    let (box, otherBox) = (places(one.box), places(other.box))
    if box != otherBox { return box.lexicographicallyPrecedes(otherBox) }
    if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
    if one.label != other.label {
      guard let label = one.label, let otherLabel = other.label else { return one.label == nil }
      return label < otherLabel
    }
    let (corners, otherCorners) = (places(one.corners), places(other.corners))
    if corners != otherCorners { return corners.lexicographicallyPrecedes(otherCorners) }
    return isFirst(one.landmarks, before: other.landmarks)
  }

  private static func isFirst(_ one: [String: [Point]], before other: [String: [Point]]) -> Bool {
    let (names, otherNames) = (one.keys.sorted(), other.keys.sorted())
    if names != otherNames { return names.lexicographicallyPrecedes(otherNames) }
    for name in names {
      let (points, otherPoints) = (places(one[name] ?? []), places(other[name] ?? []))
      if points != otherPoints { return points.lexicographicallyPrecedes(otherPoints) }
    }
    return false
  }

  private static func places(_ box: Box?) -> [Double] {
    box.map { [key($0.x), key($0.y), key($0.width), key($0.height)] } ?? []
  }

  private static func places(_ points: [Point]) -> [Double] {
    points.flatMap { [key($0.x), key($0.y)] }
  }

  private static func key(_ number: Double?) -> Double {
    guard let number, !number.isNaN else { return -.infinity }
    return number
  }
}
