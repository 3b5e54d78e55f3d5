/// Arranges texts in rows so that they do not overlap.
struct Rows {
  private var taken: [[ClosedRange<Double>]]

  init(count: Int) { taken = Array(repeating: [], count: count) }

  /// Returns the first row in which `range` is free, and occupies it; nil if there is none.
  mutating func place(_ range: ClosedRange<Double>) -> Int? {
    guard let row = taken.firstIndex(where: { !$0.contains { $0.overlaps(range) } }) else {
      return nil
    }
    taken[row].append(range)
    return row
  }
}
