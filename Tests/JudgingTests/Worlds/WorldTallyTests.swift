import Devices
import Sketches
import Testing
import Traces

@testable import Judging

@Suite struct WorldTallyTests {
  @Test
  func `The share of timings in which a command is lost is that of every timing on a grid`() throws
  {
    // The start-up ends at 1.000270 s, and a purge follows if the first waiting byte is junk.
    let uncertainty = Interval.milliseconds(3)
    let session = try UncertainTrace.session(
      ["[0.998000, \"rx\", \"Z\"]", "[0.999500, \"rx\", \"L\"]"], keys: ", \"duration\": 1.2",
      uncertainty: uncertainty)
    let (_, findings) = UncertainTrace.verdict(session, worlds: 4_000)
    let lost = findings.commands.last?.outcomes[.purged] ?? 0
    let share = Double(lost) / 4_000

    // The same for every timing on a grid, without the code under test: the first byte's time and
    // the second's, less the first's time on the line, are spaced evenly and put in order.
    let byteTime = 10_000_000_000 / 9_600 as Int64
    let size = 60 as Int64
    var purged = 0
    for a in 0..<size {
      for b in 0..<size {
        func off(_ step: Int64) -> Int64 { (2 * step + 1 - size) * 3_000_000 / size }
        let (first, second) = (998_000_000 + off(a), 999_500_000 - byteTime + off(b))
        var model = Model(.classic, baud: 9_600, showsPulses: false)
        var recorder = Recorder(ledger: Ledger())
        model.advance(to: Instant(nanoseconds: min(first, second)), into: &recorder)
        model.send([UInt8(ascii: "Z")], at: Instant(nanoseconds: min(first, second)))
        let later = Instant(nanoseconds: max(first, second) + byteTime)
        model.advance(to: later, into: &recorder)
        model.send([UInt8(ascii: "L")], at: later)
        model.advance(to: .zero + .milliseconds(1_200), into: &recorder)
        if recorder.ledger?.entries.last?.fate == .purged { purged += 1 }
      }
    }
    let exact = Double(purged) / Double(size * size)
    #expect(exact > 0.05 && exact < 0.95, "\(exact)")
    // Four standard deviations of 4 000 draws are 3.2 % at most.
    #expect(abs(share - exact) < 0.035, "\(share) of worlds, \(exact) of the grid")
  }

  @Test(arguments: [1, 3, 7, 50])
  func `Tallies of parts add up to the tally of all`(_ size: Int) throws {
    var reader = try TraceReader(
      text: UncertainTrace.recorded("classic/scan-step-junk-first", by: .coarse), path: "t")
    let session = try UncertainSession(&reader, uncertainty: .milliseconds(10))
    let trial = UncertainTrace.trial(session)
    let reference = WorldReference(
      session, trial.judge(session.recordedTimes).ledger, firmware: .classic)
    var sum = WorldTally()
    for start in stride(from: 0, to: 50, by: size) {
      sum.add(UncertainTrace.tally(trial, reference, start..<min(start + size, 50)))
    }
    #expect(sum == UncertainTrace.tally(trial, reference, 0..<50))
    #expect(sum.count == 50)
  }

  @Test(arguments: [
    (0, "none"), (1, "0.1 %"), (9, "0.9 %"), (10, "1 %"), (374, "37 %"), (375, "38 %"),
    (990, "99 %"), (995, "99.5 %"), (999, "99.9 %"), (1_000, "all"),
  ])
  func `A share is rounded, but never to none or all`(_ part: Int, _ text: String) throws {
    let session = try UncertainTrace.session([], uncertainty: .milliseconds(1))
    let reference = WorldReference(session, Ledger(), firmware: .classic)
    var tally = WorldTally()
    for world in 0..<1_000 { tally.add(world: world, Ledger(), nil, reference: reference) }
    let findings = WorldFindings(tally, reference, of: session, seed: 1, tolerance: .zero)
    #expect(findings.share(part) == text)
  }
}
