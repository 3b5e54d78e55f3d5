import Devices
import Sketches
import Testing
import Traces

@testable import Judging

/// Verdicts over recordings of known sessions.
@Suite struct WorldVerdictTests {
  private static let names = [
    "classic/angles", "classic/truncated", "classic/scan-then-aim-2200",
    "classic/scan-step-junk-first", "classic/start-up-ends-while-junk-waits",
    "classic/stream-30fps", "classic/boot-overflow",
  ]

  private static func session(_ text: [UInt8]) throws -> UncertainSession {
    var reader = try TraceReader(text: text, path: "t")
    let uncertainty = try #require(reader.header.uncertainty)
    return try UncertainSession(&reader, uncertainty: uncertainty)
  }

  /// What truly became of the bytes of a trace of the corpus.
  private static func truth(_ name: String) throws -> [Fate] {
    var reader = try Corpus.reader(name)
    let model = Model(.classic, timing: nil, for: reader.header, showsPulses: false)
    return try Ledger(&reader, model).entries.map { $0.fate }
  }

  @Test(arguments: names, UncertainTrace.Recorder.allCases)
  func `A recording of what the device does never disagrees`(
    _ name: String, _ recorder: UncertainTrace.Recorder
  ) throws {
    let session = try Self.session(UncertainTrace.recorded(name, by: recorder))
    let (verdict, findings) = UncertainTrace.verdict(session, worlds: 300)
    switch verdict.outcome {
    case .agrees: #expect(findings.agreeing == findings.count)
    case .undecided: #expect(findings.agreeing < findings.count)
    default: Issue.record("\(verdict.outcome)")
    }
  }

  @Test(arguments: names)
  func `What truly became of a byte happens in some timing`(_ name: String) throws {
    let session = try Self.session(UncertainTrace.recorded(name, by: .socat))
    let (_, findings) = UncertainTrace.verdict(session, worlds: 300)
    let truth = try Self.truth(name)
    #expect(truth.count == findings.fates.count)
    for (index, (fate, found)) in zip(truth, findings.fates).enumerated() {
      #expect(found[fate] ?? 0 > 0, "byte \(index): \(fate), found \(found)")
    }
  }

  @Test(arguments: ["classic/angles", "classic/truncated"], UncertainTrace.Recorder.allCases)
  func `A recording of something else disagrees in every timing`(
    _ name: String, _ recorder: UncertainTrace.Recorder
  ) throws {
    let session = try Self.session(UncertainTrace.recorded(name, by: recorder, broken: 3))
    let (verdict, findings) = UncertainTrace.verdict(session, worlds: 300)
    guard case .diverges = verdict.outcome else {
      Issue.record("\(verdict.outcome)")
      return
    }
    #expect(findings.agreeing == 0)
  }

  @Test
  func `A purge that depends on microseconds is told in percent`() throws {
    let session = try Self.session(
      UncertainTrace.recorded("classic/scan-step-junk-first", by: .coarse))
    let (_, findings) = UncertainTrace.verdict(session, worlds: 1_000)
    let open = findings.commands.filter {
      let purged = $0.outcomes[.purged] ?? 0
      return purged > 50 && purged < 950 && ($0.outcomes[.letter] ?? 0) > 0
    }
    #expect(!open.isEmpty)
    let text = try #require(findings.openCommandLines.first)
    let reason = " % of 1 000 timings: after an unknown byte the sketch emptied its buffer"
    #expect(text.contains(" was lost in ") && text.contains(reason), "\(text)")
  }

  @Test(arguments: ["classic/angles", "classic/stream-30fps", "guarded/aims-accepted"])
  func `A trace that agrees still agrees if its uncertainty is tiny`(_ name: String) throws {
    var reader = try Corpus.reader(name)
    let session = try UncertainSession(&reader, uncertainty: .nanoseconds(1_000))
    let (verdict, _) = UncertainTrace.verdict(session, worlds: 50)
    #expect(verdict.agrees, "\(verdict.outcome)")
  }

  @Test
  func `Without outputs the verdict is undecided, with what became of the commands`() throws {
    let session = try UncertainTrace.session(
      ["[1.000000, \"rx\", \"L\"]", "[2.000000, \"rx\", \"ZX50.\"]"],
      keys: ", \"start\": \"unknown\", \"clock\": \"host\", \"duration\": 3",
      uncertainty: .milliseconds(2))
    let (verdict, findings) = UncertainTrace.verdict(session, worlds: 100)
    guard case .undecided = verdict.outcome else {
      Issue.record("\(verdict.outcome)")
      return
    }
    #expect(!findings.commands.isEmpty)
  }

  @Test(arguments: ["classic/scan-then-aim-2200", "classic/scan-step-junk-first"])
  func `The nearest timing that agrees is a canonical trace that verifies`(_ name: String) throws {
    // The stamps are so coarse that the recorded times themselves can disagree.
    let session = try Self.session(UncertainTrace.recorded(name, by: .coarse))
    let trial = UncertainTrace.trial(session)
    let reference = WorldReference(
      session, trial.judge(session.recordedTimes).ledger, firmware: .classic)
    let tally = UncertainTrace.tally(trial, reference, 0..<300)
    let near = try #require(tally.nearest)
    let start = session.times(ofWorld: near.world, seed: 1)
    var nearest = NearestWorld(session, from: start)
    nearest.search { trial.agreesExactly($0) }
    #expect(session.allows(nearest.times))
    #expect(session.shift(of: nearest.times).sum <= session.shift(of: start).sum)

    let text = session.trace(at: nearest.times, tolerance: trial.tolerance)
    var reader = try TraceReader(text: text, path: "best")
    #expect(try Verification().verify(&reader).agrees)
    var again = try TraceReader(text: text, path: "best")
    var copy: [UInt8] = []
    copy.appendLine(again.header)
    while let event = try again.next() { copy.appendLine(event) }
    #expect(copy == text)
  }
}
