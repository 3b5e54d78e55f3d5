/// Of two observations of one kind and label that overlap by more than `most`, drops the weaker:
/// from the most confident down, each stays unless it overlaps so with one that stays already.
/// Exactly `most` is allowed. The object detection app begins with 0.6.
///
/// Of equally confident ones the bigger stays, then by the order in `Ranking`, whatever their order
/// in the list. What has no box overlaps with nothing.
public struct OverlapFilter: ObservationFilter {
  /// Intersection over union, 0...1.
  public var most: Double

  public init(most: Double) { self.most = most }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    guard found.count > 1 else { return found }
    let ranked = found.indices.sorted { Ranking.isSurer(found[$0], than: found[$1]) }
    var kept: [Int] = []
    for index in ranked where !kept.contains(where: { suppresses(found[$0], found[index]) }) {
      kept.append(index)
    }
    return kept.count == found.count ? found : kept.sorted().map { found[$0] }
  }

  private func suppresses(_ stronger: Observation, _ weaker: Observation) -> Bool {
    guard stronger.kind == weaker.kind, stronger.label == weaker.label,
      let one = stronger.box, let other = weaker.box
    else { return false }
    return one.overlap(with: other) > most
  }
}
