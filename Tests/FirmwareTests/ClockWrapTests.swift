import AVR
import Testing

/// `micros()` begins again at 0 after 4 294.967296 s.
@Suite("Guarded when its clock wraps")
struct ClockWrapTests {
  /// How often all that goes round in an idle board does so until a second before the wrap.
  private static let rounds: UInt64 = 6_709
  /// The wrap on a board that has been left alone for `rounds`, in clock cycles: Timer 0 starts
  /// some microseconds after power-on.
  private static let wrap: UInt64 = (16 << 32) - (rounds - 1) * IdleClock.round

  /// A board that was left alone until 400 ms before.
  private static func board() throws -> GuardedBoard {
    var board = try IdleClock().board(after: rounds)
    board.run(until: wrap - 400 * GuardedBoard.cyclesPerMillisecond)
    _ = board.takeEvents()
    return board
  }

  @Test(arguments: [2, 50] as [UInt64])
  func `to put the clock on does the same as to wait`(rounds: UInt64) throws {
    var board = try GuardedBoard.started(followsBytes: false)
    board.run(for: rounds * IdleClock.round)
    let put = try IdleClock().board(after: rounds)
    #expect(try IdleClock.memory(of: put) == IdleClock.memory(of: board))
    #expect(try IdleClock.memory(of: put) != IdleClock.memory(of: .started(followsBytes: false)))
  }

  @Test
  func `a sweep goes on in steps of 15 ms, and its lines show the clock that wrapped`() throws {
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
        if case .transmit(let byte) = event.event { Character(Unicode.Scalar(byte)) } else { nil }
      })
    let clocks = text.split(separator: "\n").dropLast().compactMap {
      UInt32($0.prefix(8), radix: 16)
    }
    #expect(clocks.first! > clocks.last!)
    for (clock, next) in zip(clocks, clocks.dropFirst()) {
      #expect(abs(Int32(bitPattern: next &- clock) - 15_000) < 200)
    }
  }

  /// Begun before it, each at a distance at which it ends behind it.
  @Test(arguments: [
    ("a tone", "T", 160_000), ("a number", "X1", 250_000),
  ])
  func `what has a time is over when that is`(what: String, bytes: String, microseconds: Int) throws
  {
    let idle = try Self.board()
    for lead in stride(from: 5, through: 155, by: 50) {
      var board = idle
      board.run(until: Self.wrap - UInt64(lead) * GuardedBoard.cyclesPerMillisecond)
      board.send(bytes)
      board.run(for: 100)
      board.run(for: GuardedBoard.byteCycles(bytes.count))
      let begun = board.times.first!.arrival
      let end = begun + UInt64(microseconds) * 16
      // A digit 5 ms before its time is up belongs to it, one behind that does not.
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
