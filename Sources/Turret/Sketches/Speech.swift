import Guarded

/// The lines that the board of `guarded` has yet to send, the current one first. It formats them a
/// byte at a time, between its other work.
struct Speech: Hashable, Savable {
  private var lines: [Line] = []
  /// The number of bytes of the first line that have been sent.
  private var said: UInt8 = 0

  var isEmpty: Bool { lines.isEmpty }

  /// Whether this state is possible. A speech read from a file may be invalid.
  var isPossible: Bool {
    guard let line = lines.first else { return said == 0 }
    return said < line.count && unsentCount <= RingBuffer.capacity
  }

  /// The number of bytes still to send.
  var unsentCount: Int { lines.reduce(-Int(said)) { $0 + Int($1.count) } }

  mutating func append(_ line: Line) { lines.append(line) }

  /// The time from taking a byte that requests a line until the line can be sent, measured as for
  /// `cost`.
  static let roomCost = Interval.microseconds(60)

  /// The time to format the next byte and to complete one turn of the loop. Measured on
  /// `firmware/guarded/guarded.hex`: a digit of a decimal number takes a division for each place, a
  /// digit of the clock takes a shift.
  var cost: Interval {
    guard let line = lines.first else { return .zero }
    let round = Interval.nanoseconds(39_000)
    let index = Int64(said)
    if line.count == 11 {
      return index < 8 ? round + .nanoseconds(2_500 * (7 - index)) : round
    }
    let lastDigits: [Int64] = [2, 16, 25, 36, 47]
    guard let last = lastDigits.first(where: { ($0 == 2 ? 0 : $0 - 4)...$0 ~= index }) else {
      return round
    }
    return round + .nanoseconds(12_400 + 13_000 * (last - index))
  }

  /// Returns the next byte. There must be one.
  mutating func next() -> UInt8 {
    let byte = lines[0].byte(at: said)
    said += 1
    if said == lines[0].count {
      lines.removeFirst()
      said = 0
    }
    return byte
  }
}
