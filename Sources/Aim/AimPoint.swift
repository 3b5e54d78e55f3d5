/// The point of a target to aim at. All but the box are points of a face, from its landmarks
/// as Vision or a YuNet model names them.
public enum AimPoint: String, Hashable, Sendable, CaseIterable {
  /// The middle of the box.
  case box
  /// The middle between the eyes, or the only eye that is seen.
  case eyes
  case nose
  case mouth

  /// The landmarks, in groups that lie around the point. The first group that is there counts.
  fileprivate var groups: [[String]] {
    switch self {
    case .box: []
    case .eyes: [["leftEye", "rightEye"], ["leftPupil", "rightPupil"]]
    case .nose: [["nose"], ["noseCrest"]]
    case .mouth: [["outerLips"], ["innerLips"], ["leftMouthCorner", "rightMouthCorner"]]
    }
  }
}

extension Observation {
  /// Returns the point, in the picture as the box is; nil if it has no such landmark.
  func point(_ at: AimPoint) -> Point? {
    guard let box else { return nil }
    for group in at.groups {
      let middles = group.compactMap { landmarks[$0].flatMap(Self.middle) }
      guard !middles.isEmpty else { continue }
      let x = middles.reduce(0) { $0 + $1.x } / Double(middles.count)
      let y = middles.reduce(0) { $0 + $1.y } / Double(middles.count)
      return Point(box.x + x * box.width, box.y + y * box.height)
    }
    return nil
  }

  /// Returns the middle of an outline, however its points are spread; nil without any.
  private static func middle(_ outline: [Point]) -> Point? {
    guard let first = outline.first else { return nil }
    var (low, high) = (first, first)
    for point in outline {
      low = Point(min(low.x, point.x), min(low.y, point.y))
      high = Point(max(high.x, point.x), max(high.y, point.y))
    }
    return Point((low.x + high.x) / 2, (low.y + high.y) / 2)
  }
}
