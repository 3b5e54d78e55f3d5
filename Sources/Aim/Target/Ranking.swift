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

  private static func isFirst(
    _ one: [String: [Point]], before other: [String: [Point]]
  ) -> Bool {
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
