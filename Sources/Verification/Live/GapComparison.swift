import Turret

/// Compares the gaps between a sender's bytes and commands with those in a trace.
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

  /// Compares the arrivals of bytes that are the same on both sides. `beginsCommand` returns
  /// whether a byte begins a command. `limit` is the largest allowed difference; nil for any.
  init(
    _ bytes: ArraySlice<UInt8>, expected: ArraySlice<Instant>, found: ArraySlice<Instant>,
    beginsCommand: (Int) -> Bool, limit: Interval?
  ) {
    self.limit = limit
    let bytes = Array(bytes)
    var command: Int?
    for index in bytes.indices {
      func compare(from start: Int) {
        add(
          GapDifference(
            bytes, from: start, to: index, expected: expected[index] - expected[start],
            found: found[index] - found[start]))
      }
      if index > 0 { compare(from: index - 1) }
      guard beginsCommand(index) else { continue }
      if let command, command < index - 1 { compare(from: command) }
      command = index
    }
  }

  private mutating func add(_ difference: GapDifference) {
    if difference.size > largest?.size ?? Interval(nanoseconds: -1) { largest = difference }
    if let limit, first == nil, difference.size > limit { first = difference }
  }
}
