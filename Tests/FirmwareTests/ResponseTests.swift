import AVR
import Foundation
import Testing

/// The response time of the guarded sketch. `PhaseSearch` searches for the worst case.
@Suite("The response time of guarded")
struct ResponseTests {
  /// The step of the first search, in clock cycles. The deeper checks use a smaller one.
  static let step =
    ProcessInfo.processInfo.environment["SENTRY_PHASE_CYCLES"].flatMap { UInt64($0) } ?? 4096
  static let isThorough = step < 4096

  /// Sent back to back at 9600 baud. A byte can arrive while the one before it is still being
  /// handled, and ? takes the longest to handle.
  static let streams = ["L", "?X90.", "???X9."]
  static let moreStreams = [
    ".", "T", "?", "V", "j", "X90.", "?L", "??", "???X90.", "V?V?X9.", "?T?O?C?L?X0.",
  ]

  @Test(arguments: Situation.allCases)
  func `A byte is handled within 1 ms of its arrival, whatever the sketch is doing`(
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
    // Between two phases of the first search nothing can be worse by more than their distance.
    let limit = GuardedBoard.cyclesPerMillisecond - Self.step
    #expect(worst.taken.cycles < limit)
    #expect(worst.servo.cycles < limit)
    #expect(worst.done.cycles < limit)
  }

  /// Timer 0's overflow moves by 664 us from step to step, so 128 steps cover all its phases.
  @Test
  func `A byte is handled within 1 ms wherever the clock interrupt falls in a step`() throws {
    let bytes = Array("X90.".utf8)
    var board = try GuardedBoard.started()
    board.send("VL")
    board.run(for: 10 * GuardedBoard.cyclesPerMillisecond)
    let first = board.runToServoWrite()
    var worst = PhaseSearch(isThorough: Self.isThorough)
    for index in stride(from: 1, through: 128, by: Self.isThorough ? 1 : 8) {
      // The last byte arrives from 200 us before the step's end to 50 us after it.
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
