import Devices
import Judging
import Sketches
import TestSupport
import Testing
import Traces

/// What a live judge compares, and when it has seen enough.
@Suite("Limits of the live judge") struct LiveJudgeLimitsTests {
  private static func trace(_ header: String, _ events: String...) -> [UInt8] {
    let header = "{\"format\": \"sentry-trace\", \"version\": 1, \(header)}"
    return Array(([header] + events).joined(separator: "\n").utf8) + [0x0A]
  }

  private static let start = "[0.000197, \"servo\", 90, 1472]"

  @Test(arguments: [
    trace("\"firmware\": \"classic\""),
    trace("\"firmware\": \"classic\"", "[1.000000, \"mark\", \"nothing\"]"),
    trace("\"firmware\": \"classic\", \"expects\": [\"pulse\"]", "[0.052918, \"pulse\", 1472]"),
    trace(
      "\"firmware\": \"classic\"", "[0.052918, \"pulse\", 1472]", "[1.500000, \"rx\", \"L\"]"),
    trace("\"firmware\": \"classic\", \"start\": \"unknown\"", "[1.000000, \"servo\", 45, 1008]"),
    trace(
      "\"firmware\": \"guarded\", \"expects\": [\"tx\"]", "[1.000000, \"rx\", \"V\"]",
      "[1.500000, \"rx\", \"X\"]"),
  ])
  func `A trace with nothing that can fail is refused`(_ trace: [UInt8]) throws {
    var reader = try TraceReader(text: trace, path: "trace")
    let judge = try TraceJudge(
      expected: &reader,
      SessionSetup(firmware: reader.header.firmware(unless: nil), baud: reader.header.baud))
    guard case .nothingToCompare = judge.refusal?.outcome else {
      Issue.record("\(String(describing: judge.refusal))")
      return
    }
  }

  @Test(arguments: [
    trace("\"firmware\": \"classic\", \"expects\": [\"servo\"]", "[1.500000, \"rx\", \"L\"]"),
    trace("\"firmware\": \"classic\"", start, "[1.500000, \"rx\", \"L\"]"),
  ])
  func `A trace that expects outputs the device does not show is refused`(_ trace: [UInt8]) throws {
    var reader = try TraceReader(text: trace, path: "trace")
    let judge = try TraceJudge(
      expected: &reader,
      SessionSetup(firmware: .classic, baud: reader.header.baud, observes: [.transmit]))
    #expect(judge.refusal?.outcome == .cannotObserve([.servo]))
  }

  @Test
  func `A trace with nothing else is compared by its bytes alone`() throws {
    let trace = Self.trace("\"firmware\": \"classic\"", "[1.500000, \"rx\", \"X45.\"]")
    #expect(try LiveSession(.classic, "1700 X45.", end: 3_000).judged(by: trace, .classic).agrees)
    #expect(try !LiveSession(.classic, "1700 X44.", end: 3_000).judged(by: trace, .classic).agrees)
  }

  @Test
  func `An expected kind without events must not occur`() throws {
    let trace = Self.trace(
      "\"firmware\": \"guarded\", \"expects\": [\"tone\"]", "[1.500000, \"rx\", \"L?\"]")
    let quiet = LiveSession(.guarded, "700 L?", end: 3_000)
    #expect(try quiet.judged(by: trace, .guarded).agrees)
    var loud = quiet
    loud.events.append(Event(.zero + .milliseconds(2_000), .tone(hertz: 900)))
    #expect(try loud.judged(by: trace, .guarded).divergence?.difference == .extra)
  }

  @Test
  func `The expected outputs are those of the trace, not of the model`() throws {
    let trace = Self.trace(
      "\"firmware\": \"classic\", \"duration\": 3", Self.start, "[1.500000, \"rx\", \"X45.L\"]",
      "[1.504224, \"servo\", 46, 1018]")
    var live = LiveSession(.classic, "1700 X45.L", end: 3_000)
    let verdict = try live.judged(by: trace, .classic)
    #expect(
      verdict.divergence?.message
        == "expected servo 46 (1018 us) at 1.704224 s, found servo 45 (1008 us) at 1.704224 s")
    #expect(verdict.divergence?.line == 4)
    // A board that does what the trace expects: another angle and no sweep.
    live.events.removeAll { $0.output?.kind == .servo && $0.time > .zero + .seconds(1) }
    live.events.append(
      Event(.zero + .microseconds(1_704_300), .servo(degrees: 46, microseconds: 1_018)))
    let wished = try live.judged(by: trace, .classic)
    #expect(wished.agrees, "\(wished.summary)")
  }

  @Test
  func `The clock of a trace that a computer stamped is fitted`() throws {
    var reader = try Corpus.reader("line/clock-of-a-computer-classic")
    var inputs: [Event] = []
    while let event = try reader.next() {
      if event.isInput { inputs.append(Event(event.time + .milliseconds(400), event.kind)) }
    }
    var again = try Corpus.reader("line/clock-of-a-computer-classic")
    let verdict = try LiveSession(.classic, inputs, end: .zero + .seconds(9))
      .judged(by: &again, .classic)
    #expect(verdict.agrees && verdict.worst < .milliseconds(1), "\(verdict.summary)")
    #expect(abs(try #require(verdict.fit).offset - 0.018) < 0.001)
  }

  @Test
  func `The comparison starts at the first aim if either board was already running`() throws {
    let fresh = LiveSession(.classic, "1500 X45. | 1700 L | 2500 X90.", end: 4_000)
    let running = LiveSession(
      .classic, [Event](script: "200 X45. | 1200 L | 1400 X90."), end: .zero + .seconds(2),
      start: .unknown)
    let runningTrace = running.trace(.classic, header: "\"start\": \"unknown\"")
    for verdict in [
      try fresh.judged(by: runningTrace, .classic),
      try running.judged(by: fresh.trace(.classic), .classic, start: .unknown),
      try running.judged(by: runningTrace, .classic, start: .unknown),
    ] {
      #expect(verdict.agrees && verdict.tally.matched > 10, "\(verdict.summary)")
    }
    var wrong = running
    wrong.events.removeLast()
    #expect(try !wrong.judged(by: runningTrace, .classic, start: .unknown).agrees)
  }

  @Test(arguments: [
    ("1500 X45.", 3_000, "300 X45.", 1_000...1_100),
    ("1500 X45.", 3_000, "1700 X45.", 1_704...1_810),
    ("1500 L", 3_000, "1700 L", 3_200...3_222),
    ("1500 X45.", 1_505, "1700 X45.", 1_704...1_726),
    ("", 2_000, "", 1...110),
  ])
  func `The judge knows how long a session must continue after the sender's last byte`(
    _ traced: String, _ tracedEnd: Int64, _ script: String, _ range: ClosedRange<Int64>
  ) throws {
    let trace = LiveSession(.classic, traced, end: tracedEnd).trace(.classic)
    let inputs = [Event](script: script)
    var reader = try TraceReader(text: trace, path: "trace")
    var judge = try TraceJudge(
      expected: &reader,
      SessionSetup(firmware: .classic, baud: reader.header.baud, observes: [.servo]))
    for input in inputs { judge.take(input) }
    let end = judge.settles(from: inputs.last?.time ?? .zero + .milliseconds(1))
    #expect(range.contains((end - Instant.zero).nanoseconds / 1_000_000), "\(end)")
    let verdict = try LiveSession(.classic, inputs, end: end).judged(by: trace, .classic)
    #expect(verdict.agrees, "\(verdict.summary)")
  }
}
