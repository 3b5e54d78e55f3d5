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
