/// Of two observations with the same kind and label that overlap by more than `most`, removes the
/// less confident. Observations are considered from the most confident down; each is kept unless it
/// overlaps that much with one already kept. The object detection app defaults to 0.6.
///
/// Of equally confident ones the larger is kept, then the first in `Ranking`, whatever their order
/// in the list. An observation without a box overlaps with nothing.
public struct OverlapFilter: ObservationFilter {
  /// Intersection over union, 0...1.
  public var most: Double

  public init(most: Double) { self.most = most }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    guard found.count > 1 else { return found }
    let ranked = found.indices.sorted { Ranking.isSurer(found[$0], than: found[$1]) }
    // Keep the boxes separately: with a thousand observations, each is compared with every other.
    let boxes = found.map { $0.box }
    var kept: [Int] = []
    for index in ranked {
      guard let box = boxes[index] else {
        kept.append(index)
        continue
      }
      let isSuppressed = kept.contains { stronger in
        guard let other = boxes[stronger], other.overlap(with: box) > most else { return false }
        return isAlike(found[stronger], found[index])
      }
      if !isSuppressed { kept.append(index) }
    }
    return kept.count == found.count ? found : kept.sorted().map { found[$0] }
  }

  private func isAlike(_ one: Observation, _ other: Observation) -> Bool {
    one.kind == other.kind && one.label == other.label
  }
}
