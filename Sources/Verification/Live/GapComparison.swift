import Turret

/// Compares the gaps in what a sender sends with those in a trace.
///
/// A gap is the time from one byte's arrival at the board to the next one's, and from the start of
/// one command to that of the next, so that many small delays within a command count too. The time
/// before the first byte is not a gap: it is how long the sender takes to start.
struct GapComparison {
  private let limit: Interval?
  /// The largest difference; nil if there is no gap.
  private(set) var largest: GapDifference?
  /// The first difference above the limit; nil if there is none.
  private(set) var first: GapDifference?

  /// Compares the first `count` bytes, which must be the same on both sides. `limit` is the largest
  /// difference that is allowed; nil for any.
  init(_ traced: Causes, _ live: Causes, count: Int, limit: Interval?) {
    self.limit = limit
    let bytes = traced.bytes[..<count].map { $0.byte }
    let expected = traced.bytes[..<count].map { $0.arrived }
    let found = live.bytes[..<count].map { $0.arrived }
    var command: Int?
    for index in 0..<count {
      func compare(from start: Int) {
        add(
          GapDifference(
            bytes, from: start, to: index, expected: expected[index] - expected[start],
            found: found[index] - found[start]))
      }
      if index > 0 { compare(from: index - 1) }
      guard traced.bytes[index].fate == .letter else { continue }
      if let command, command < index - 1 { compare(from: command) }
      command = index
    }
  }

  private mutating func add(_ difference: GapDifference) {
    if difference.size > largest?.size ?? Interval(nanoseconds: -1) { largest = difference }
    if let limit, first == nil, difference.size > limit { first = difference }
  }
}
