import AVR
import Testing

@Suite("The sleep of guarded")
struct SleepTests {
  @Test(arguments: [("holding", "", 0.9), ("sweeping", "L", 0.9), ("with telemetry", "VL", 0.8)])
  func `The processor sleeps while there is nothing to do`(
    what: String, prelude: String, least: Double
  ) throws {
    var board = try GuardedBoard.started(followsBytes: false)
    board.send(prelude)
    board.run(for: 20 * GuardedBoard.cyclesPerMillisecond)
    var chip = board.chip
    let start = board.cycle
    let end = start + 60 * GuardedBoard.cyclesPerMillisecond
    var asleep: UInt64 = 0
    // Both values are read once, as each read copies the chip in builds without optimization.
    var now = start
    var wasAsleep = chip.isAsleep
    while now < end {
      chip.run(until: now + 1)
      let (next, isAsleep) = (chip.cycle, chip.isAsleep)
      if wasAsleep && isAsleep { asleep += next - now }
      (now, wasAsleep) = (next, isAsleep)
    }
    let share = Double(asleep) / Double(now - start)
    print("\(what): asleep for \((share * 10_000).rounded() / 100) % of the time")
    #expect(share > least)
  }
}
