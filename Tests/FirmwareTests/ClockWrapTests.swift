import AVR
import Testing

/// `micros()` restarts at 0 after 4 294.967296 s.
@Suite("The clock wrap of guarded")
struct ClockWrapTests {
  /// The number of rounds of an idle board until a second before the wrap.
  private static let rounds: UInt64 = 6_709
  /// The cycle of the wrap on a board that was idle for `rounds`: Timer 0 starts some microseconds
  /// after power-on.
  private static let wrap: UInt64 = (16 << 32) - (rounds - 1) * IdleClock.round

  /// A board that was idle until 400 ms before the wrap.
  private static func board() throws -> GuardedBoard {
    var board = try IdleClock().board(after: rounds)
    board.run(until: wrap - 400 * GuardedBoard.cyclesPerMillisecond)
    _ = board.takeEvents()
    return board
  }

  @Test(arguments: [2, 50] as [UInt64])
  func `Advancing the clock has the same effect as waiting`(rounds: UInt64) throws {
    var board = try GuardedBoard.started(followsBytes: false)
    board.run(for: rounds * IdleClock.round)
    let put = try IdleClock().board(after: rounds)
    #expect(IdleClock.memory(of: put) == IdleClock.memory(of: board))
    #expect(try IdleClock.memory(of: put) != IdleClock.memory(of: .started(followsBytes: false)))
  }

  @Test
  func `A sweep keeps its 15 ms steps across a clock wrap, and its lines show the wrap`() throws {
    var board = try Self.board()
    board.send("VL")
    board.run(for: 1_000 * GuardedBoard.cyclesPerMillisecond)
    let events = board.takeEvents()
    let writes = events.filter(\.isServoWrite)
    #expect(writes.count > 60)
    for (write, next) in zip(writes, writes.dropFirst()) {
      let length = Int64(next.cycle - write.cycle)
      #expect(abs(length - Int64(Situation.stepCycles)) < 3_200)
    }
    let text = String(
      events.compactMap { event in
        if case .transmit(let byte, _) = event.event {
          Character(Unicode.Scalar(byte))
        } else {
          nil
        }
      })
    let clocks = text.split(separator: "\n").dropLast().compactMap {
      UInt32($0.prefix(8), radix: 16)
    }
    #expect(clocks.first! > clocks.last!)
    for (clock, next) in zip(clocks, clocks.dropFirst()) {
      #expect(abs(Int32(bitPattern: next &- clock) - 15_000) < 200)
    }
  }

  /// Each begins before the wrap and ends after it.
  @Test(arguments: [
    ("a tone", "T", 160_000), ("a number", "X1", 250_000),
  ])
  func `A tone and a number end on time across a clock wrap`(
    what: String, bytes: String, microseconds: Int
  ) throws {
    let idle = try Self.board()
    for lead in stride(from: 5, through: 155, by: 50) {
      var board = idle
      board.run(until: Self.wrap - UInt64(lead) * GuardedBoard.cyclesPerMillisecond)
      board.send(bytes)
      board.run(for: 100)
      board.run(for: GuardedBoard.byteCycles(bytes.count))
      let begun = board.times.first!.arrival
      let end = begun + UInt64(microseconds) * 16
      // A digit that comes 5 ms before the time-out belongs to the number, one after the time-out
      // does not.
      board.run(until: end - 8 * GuardedBoard.cyclesPerMillisecond)
      var late = board
      late.run(until: end + GuardedBoard.cyclesPerMillisecond)
      for (fork, isInTime) in [(board, true), (late, false)] {
        var fork = fork
        fork.send("2.")
        fork.run(for: 200 * GuardedBoard.cyclesPerMillisecond)
        let events = fork.takeEvents()
        if what == "a tone" {
          let silence = events.last { event in
            if case .waveform(let waveform) = event.event, waveform.unit == .OC2A {
              waveform.matchCycles == nil
            } else {
              false
            }
          }
          let off = try #require(silence).cycle
          #expect(abs(Int64(off) - Int64(end)) < 3_200)
        } else {
          #expect(events.contains(where: \.isServoWrite) == isInTime)
        }
      }
    }
  }
}
