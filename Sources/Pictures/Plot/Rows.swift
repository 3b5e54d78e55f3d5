/// Places texts in rows so that none covers another.
struct Rows {
  private var taken: [[ClosedRange<Double>]]

  init(count: Int) { taken = Array(repeating: [], count: count) }

  /// The first row in which `range` is free, which is then taken; nil where there is none.
  mutating func place(_ range: ClosedRange<Double>) -> Int? {
    guard let row = taken.firstIndex(where: { !$0.contains { $0.overlaps(range) } }) else {
      return nil
    }
    taken[row].append(range)
    return row
  }
}
