import AVR
import Testing

/// The clock of an idle guarded sketch, which can be advanced by minutes without waiting.
///
/// An idle board is in the same state every 0.64 s: the overflows of Timer 0 (16 384 cycles), the
/// periods of the servo (320 000) and the fraction of a millisecond that the Arduino core carries
/// over (125 overflows) all complete whole cycles in that time. Only the core's two counts change,
/// and the last reading of them. The counts are found by that, as the prebuilt file has no symbols;
/// the reading is renewed in the following round.
struct IdleClock {
  /// In clock cycles.
  static let round: UInt64 = 10_240_000
  /// How much the counts of overflows and milliseconds increase in a round.
  private static let increments: [UInt32] = [625, 640]

  private let original: ATmega328P
  private let chip: ATmega328P
  /// The counts' addresses, in the order of `increments`.
  private let counts: [Int]

  init() throws {
    original = ATmega328P(flash: try SketchImage.prebuilt("guarded").flash)
    let early = try GuardedBoard.started(followsBytes: false)
    chip = early.chip
    var late = early
    late.run(for: Self.round)
    let (before, after) = (Self.memory(of: early), Self.memory(of: late))
    counts = try Self.increments.map { increment in
      let found = before.indices.dropLast(3).filter {
        Self.count(in: after, at: $0) &- Self.count(in: before, at: $0) == increment
      }
      try #require(found.count == 1, "\(increment): \(found)")
      return found[0]
    }
  }

  /// A started board that was idle for `rounds`, at least one, except for its cycle count: only the
  /// last round was simulated.
  func board(after rounds: UInt64) throws -> GuardedBoard {
    var snapshot = chip.snapshot(since: original)
    for (address, increment) in zip(counts, Self.increments) {
      let count =
        Self.count(in: snapshot.data, at: address)
        &+ increment &* UInt32(truncatingIfNeeded: rounds - 1)
      for byte in 0..<4 {
        snapshot.data[address + byte] = UInt8(truncatingIfNeeded: count >> (8 * UInt32(byte)))
      }
    }
    var board = GuardedBoard(try #require(ATmega328P(snapshot, of: original)), landmarks: nil)
    board.run(for: Self.round)
    return board
  }

  /// Registers and SRAM.
  static func memory(of board: GuardedBoard) -> [UInt8] {
    board.chip.snapshot(since: board.chip).data
  }

  private static func count(in memory: [UInt8], at address: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(memory[address + $1]) << (8 * UInt32($1)) }
  }
}
