import AVR
import Testing

@Suite("Guarded's sleep")
struct SleepTests {
  @Test(arguments: [("holding", "", 0.9), ("sweeping", "L", 0.9), ("telling its steps", "VL", 0.8)])
  func `the processor sleeps while there is nothing to do`(
    what: String, prelude: String, least: Double
  ) throws {
    var board = try GuardedBoard.started()
    board.send(prelude)
    board.run(for: 20 * GuardedBoard.cyclesPerMillisecond)
    var chip = board.chip
    let start = chip.cycle
    let end = start + 60 * GuardedBoard.cyclesPerMillisecond
    var asleep: UInt64 = 0
    while chip.cycle < end {
      let before = chip.cycle
      let wasAsleep = chip.isAsleep
      chip.run(until: before + 1)
      if wasAsleep && chip.isAsleep { asleep += chip.cycle - before }
    }
    let share = Double(asleep) / Double(chip.cycle - start)
    print("\(what): asleep for \((share * 10_000).rounded() / 100) % of the time")
    #expect(share > least)
  }
}
