package import Sketches
import Traces

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

/// A gap between two bytes or commands of the sender that differs from the trace's.
package struct GapDifference: Hashable, Sendable {
  private static let beforeCountMax = 12
  private static let commandCountMax = 8

  /// The position of the byte that ends the gap, counted from 0.
  package var position: Int
  /// The last few bytes before it, and the byte itself; for a gap between two commands, both
  /// commands.
  package var before: [UInt8]
  package var after: [UInt8]
  /// The gap in the trace and in the session, in whole microseconds.
  package var expected: Interval
  package var found: Interval

  /// Creates the difference for the gap from `bytes[start]` to `bytes[position]`.
  init(_ bytes: [UInt8], from start: Int, to position: Int, expected: Interval, found: Interval) {
    self.position = position
    self.expected = Self.rounded(expected)
    self.found = Self.rounded(found)
    if start == position - 1 {
      before = Array(bytes[..<position].suffix(Self.beforeCountMax))
      after = [bytes[position]]
    } else {
      before = Array(bytes[start..<position].prefix(Self.beforeCountMax))
      after = Array(bytes[position...].prefix(Self.commandCountMax))
    }
  }

  /// How much the two differ.
  package var size: Interval { (found - expected).magnitude }

  /// The difference in one sentence.
  package var message: String {
    "\(Self.quoted(after)) came \(String(readable: found)) after \(Self.quoted(before)), "
      + "but \(String(readable: expected)) after it in the trace: "
      + "the gaps differ by \(String(readable: size))"
  }

  /// Rounds to a whole number of microseconds. No gap is negative.
  private static func rounded(_ gap: Interval) -> Interval {
    .microseconds((gap.nanoseconds + 500) / 1_000)
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.appendQuoted(bytes: bytes)
    return String(decoding: text, as: UTF8.self)
  }
}
