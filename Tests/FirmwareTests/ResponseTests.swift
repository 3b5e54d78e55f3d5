import AVR
import Foundation
import Testing

/// How soon the guarded sketch deals with a byte: the worst case is searched for, see
/// `PhaseSearch`.
@Suite("How soon guarded takes a byte")
struct ResponseTests {
  /// The step of the first look, in clock cycles; the deeper checks look closer.
  static let step =
    ProcessInfo.processInfo.environment["SENTRY_PHASE_CYCLES"].flatMap { UInt64($0) } ?? 4096
  static let isThorough = step < 4096

  /// Sent back to back at 9600 baud. A byte behind another can meet it still being dealt with, and
  /// ? gives more to do than any other.
  static let streams = ["L", "?X90.", "???X9."]
  static let moreStreams = [
    ".", "T", "?", "V", "j", "X90.", "?L", "??", "???X90.", "V?V?X9.", "?T?O?C?L?X0.",
  ]

  @Test(arguments: Situation.allCases)
  func `a byte is dealt with within 1 ms of its arrival, whatever the sketch is doing`(
    situation: Situation
  ) throws {
    var worst = PhaseSearch(isThorough: Self.isThorough)
    let hasMore = Self.isThorough && !situation.coincides
    for board in try situation.boards() {
      for stream in Self.streams + (hasMore ? Self.moreStreams : []) {
        worst.look(
          from: board, window: Situation.stepCycles, step: Self.step, sending: Array(stream.utf8))
      }
      if situation.coincides && !Self.isThorough { break }
    }
    print("\(situation.rawValue): \(worst)")
    #expect(worst.failures == 0)
    // What lies between two phases of the first look can't be worse by more than their distance.
    let limit = GuardedBoard.cyclesPerMillisecond - Self.step
    #expect(worst.taken.cycles < limit)
    #expect(worst.servo.cycles < limit)
    #expect(worst.done.cycles < limit)
  }

  /// From step to step Timer 0's overflow moves by 664 us, so that 128 steps go through all it can
  /// do.
  @Test
  func `nor does it matter where in a step the clock's interrupt falls`() throws {
    let bytes = Array("X90.".utf8)
    var board = try GuardedBoard.started()
    board.send("VL")
    board.run(for: 10 * GuardedBoard.cyclesPerMillisecond)
    let first = board.runToServoWrite()
    var worst = PhaseSearch(isThorough: Self.isThorough)
    for index in stride(from: 1, through: 128, by: Self.isThorough ? 1 : 8) {
      // The last byte's arrival goes from 200 us before the step's end to 50 us behind it.
      let end = first + UInt64(index) * Situation.stepCycles
      board.run(until: end - GuardedBoard.byteCycles(bytes.count) - 3_200)
      worst.look(
        from: board, window: 4_000, step: min(Self.step / 8, 512), sending: bytes)
    }
    print("many steps: \(worst)")
    #expect(worst.failures == 0)
    #expect(worst.done.cycles < GuardedBoard.cyclesPerMillisecond)
  }
}
