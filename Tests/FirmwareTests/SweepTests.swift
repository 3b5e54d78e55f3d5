import AVR
import Testing

@Suite("The sweep of guarded")
struct SweepTests {
  /// Two of the 282 steps store the width that is already set, which is invisible.
  private static let changes = 280
  private static let cycleLength = 282 * Situation.stepCycles

  static let loads: [String] = ["", "?V", "jX181.", "TOCL?"]

  @Test(arguments: loads)
  func `A sweep cycle takes 4.230 s, whatever arrives meanwhile`(load: String) throws {
    var board = try GuardedBoard.started(followsBytes: false)
    board.send("L")
    board.run(for: GuardedBoard.cyclesPerMillisecond * 2)
    var writes = board.takeEvents().filter(\.isServoWrite)
    var flood = load.isEmpty ? nil : Flood(seed: 2, words: [load])
    while writes.count < 2 * Self.changes + 20, board.cycle < 400_000_000 {
      if let bytes = flood?.next(300) {
        board.send(bytes)
        board.run(for: GuardedBoard.byteCycles(bytes.count) + 1)
      } else {
        board.run(for: 5_000_000)
      }
      writes += board.takeEvents().filter(\.isServoWrite)
    }
    let first = try #require(writes.first).cycle
    var worstCycle: Int64 = 0
    var worstStep: Int64 = 0
    for (index, write) in writes.enumerated() {
      let steps = (write.cycle - first + Situation.stepCycles / 2) / Situation.stepCycles
      let due = first + steps * Situation.stepCycles
      worstStep = max(worstStep, abs(Int64(write.cycle) - Int64(due)))
      guard index >= Self.changes else { continue }
      let before = writes[index - Self.changes]
      let length = Int64(write.cycle - before.cycle)
      worstCycle = max(worstCycle, abs(length - Int64(Self.cycleLength)))
      guard write.servoCycles == before.servoCycles else {
        Issue.record("step \(index) differs from the previous cycle")
        return
      }
    }
    let microseconds = GuardedBoard.cyclesPerMicrosecond
    print(
      "sweep with \"\(load)\": a cycle is at most \(Double(worstCycle) / microseconds) us off,",
      "a step \(Double(worstStep) / microseconds) us off its 15 ms, in \(writes.count) changes")
    let widths = writes.map { $0.servoCycles! / 16 }
    #expect(writes.count >= 2 * Self.changes + 20)
    #expect(widths.min() == 750 && widths.max() == 2193)
    #expect(worstCycle <= 16_000)
  }
}
