import Guarded

/// The lines that the board of `guarded` has still to say, the one being said first: it works them
/// out a byte at a time, between all else that it does.
struct Speech: Hashable, Savable {
  private var lines: [Line] = []
  /// How many bytes of the first line are said.
  private var said: UInt8 = 0

  var isEmpty: Bool { lines.isEmpty }

  /// Whether a speech can be like this: one that was read from a file may not.
  var isPossible: Bool {
    guard let line = lines.first else { return said == 0 }
    return said < line.count && unsaid <= RingBuffer.capacity
  }

  /// How many bytes there are to be said.
  var unsaid: Int { lines.reduce(-Int(said)) { $0 + Int($1.count) } }

  mutating func append(_ line: Line) { lines.append(line) }

  /// What it takes, from a byte that asks for a line to the line, measured as `cost` is.
  static let roomCost = Interval.microseconds(60)

  /// What it takes to work out the next byte and to go round the loop. Measured on
  /// `firmware/guarded/guarded.hex`: a digit of a decimal number takes a division for each place,
  /// one of the clock a shift.
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

  /// Says the next byte. There must be one.
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
