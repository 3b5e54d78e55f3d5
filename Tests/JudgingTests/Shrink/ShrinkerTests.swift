import Devices
import Sketches
import TestSupport
import Testing
import Traces

@testable import Judging

/// The search for the smallest session, judged by simple conditions.
@Suite("The shrinker") struct ShrinkerTests {
  /// A condition under which a session fails.
  struct Condition: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var fails: @Sendable (SessionInputs) -> Bool
    /// The smallest session, as `inputs` shows it.
    var smallest: String
  }

  private static func session(_ script: String, end: Int64 = 20_000) -> SessionInputs {
    SessionInputs(
      firmware: .classic, events: [Event](script: script), end: .zero + .milliseconds(end))
  }

  /// The inputs of a session as a script.
  private static func script(_ session: SessionInputs) -> String {
    session.events.map { event in
      let time = "\(event.time.nanoseconds / 1_000_000)"
      switch event.kind {
      case .receive(let bytes): return "\(time) \(String(decoding: bytes, as: UTF8.self))"
      case .reset: return "\(time) reset"
      default: return "\(time) \(event.line)"
      }
    }.joined(separator: " | ")
  }

  private static func text(_ session: SessionInputs) -> String { session.text(joined: "") }

  private static func shrunk(
    _ session: SessionInputs, _ fails: (SessionInputs) -> Bool
  ) -> (smallest: SessionInputs?, triedCount: Int) {
    var shrinker = Shrinker(session)
    while let candidate = shrinker.next() { shrinker.take(fails: fails(candidate)) }
    return (shrinker.smallest, shrinker.triedCount)
  }

  private static let long = session(
    (0..<300).map { "\(1_700 + 37 * $0) \($0 % 7 == 3 ? "L" : "X\($0 % 181).")" }
      .joined(separator: " | "))

  @Test(arguments: [
    Condition(testDescription: "any session", fails: { _ in true }, smallest: ""),
    Condition(testDescription: "an L", fails: { text($0).contains("L") }, smallest: "1500 L"),
    Condition(
      testDescription: "three Ls", fails: { text($0).filter { $0 == "L" }.count >= 3 },
      smallest: "1500 LLL"),
    Condition(
      testDescription: "an aim behind an L",
      fails: { text($0).contains(/L.*X\d+\./) }, smallest: "1500 LX0."),
    Condition(
      testDescription: "an aim of three digits", fails: { text($0).contains(/X\d\d\d\./) },
      smallest: "1500 X000."),
    Condition(
      testDescription: "an aim beyond 90",
      fails: { text($0).matches(of: /X(\d+)\./).contains { Int($0.1)! > 90 } },
      smallest: "1500 X100."),
    Condition(
      testDescription: "a gap of 30 ms before an L",
      fails: { session in
        zip(session.events, session.events.dropFirst()).contains {
          $1.time - $0.time >= .milliseconds(30) && $1.kind == .receive(Array("L".utf8))
        }
      },
      smallest: "1500 0 | 1540 L"),
  ])
  func `A session becomes the smallest that fails`(_ condition: Condition) throws {
    let smallest = try #require(Self.shrunk(Self.long, condition.fails).smallest)
    #expect(Self.script(smallest) == condition.smallest)
    #expect(condition.fails(smallest))
  }

  @Test(arguments: [true, false])
  func `A trace has the outputs, or only the inputs if there is no time for them`(
    _ isOver: Bool
  ) throws {
    let session = Self.session("1500 X45. | 1600 L", end: 3_000)
    let subject = ShrinkSubject(
      firmware: .classic, profile: nil, baud: session.baud, on: ModelSource())
    let (trace, isWhole) = try subject.text(of: session, title: "a", by: "b") { isOver }
    #expect(isWhole != isOver)
    var reader = try TraceReader(text: trace, path: "a.jsonl")
    var events: [Event] = []
    while let event = try reader.next() { events.append(event) }
    #expect(events.filter(\.isInput) == session.events)
    #expect(isOver ? events.count == 2 : events.count > 3)
    #expect(reader.header.end == session.end)
  }

  @Test func `A session that does not fail stays unknown, and is proposed once`() {
    let (smallest, triedCount) = Self.shrunk(Self.long) { _ in false }
    #expect(smallest == nil)
    #expect(triedCount == 1)
  }

  @Test func `A reset, a break and a speed are left out unless they are needed`() throws {
    let session = Self.session(
      "1500 X90. | 3000 reset 500 | 6000 baud 4800 | 6100 break 20 | 7000 L")
    let alone = try #require(Self.shrunk(session) { Self.text($0).contains("L") }.smallest)
    #expect(Self.script(alone) == "1500 L")
    let behind = Self.shrunk(session) { session in
      session.events.contains { if case .reset = $0.kind { true } else { false } }
        && session.events.last?.kind == .receive(Array("L".utf8))
    }
    let needed = try #require(behind.smallest)
    // Not into the start-up after the reset.
    #expect(Self.script(needed) == "1500 reset | 3500 L")
  }

  @Test func `A session of a running board begins at the board's start if that fails`() throws {
    var session = Self.session("20 X90. | 200 L", end: 3_000)
    session.isRunning = true
    let moved = try #require(Self.shrunk(session) { Self.text($0).contains("L") }.smallest)
    #expect(!moved.isRunning)
    #expect(Self.script(moved) == "1500 L")
    let kept = Self.shrunk(session) { $0.isRunning && Self.text($0).contains("L") }
    #expect(try #require(kept.smallest).isRunning)
  }

  /// A condition that depends on a session's bytes and times in no simple way.
  private static func isOdd(_ session: SessionInputs, _ seed: UInt64) -> Bool {
    var sum = seed &* 0x9E37_79B9
    for event in session.events {
      guard case .receive(let bytes) = event.kind else { continue }
      for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return sum >> 33 & 3 == 0
  }

  @Test func `The result fails, no proposal is larger, and each search is the same`() throws {
    for seed in Seeds.first(20) {
      let sender = RandomSender(.classic, seed: seed)
      let (inputs, end) = sender.inputs(seed: seed, gapMax: 300)
      let session = SessionInputs(firmware: .classic, events: inputs, end: end)
      var results: [SessionInputs] = []
      for _ in 0..<2 {
        var shrinker = Shrinker(session)
        while let candidate = shrinker.next() {
          if let smallest = shrinker.smallest {
            #expect(candidate.isSmaller(than: smallest), "seed \(seed)")
            #expect(!smallest.isSmaller(than: candidate), "seed \(seed)")
          }
          let times = candidate.events.map(\.time)
          #expect(times == times.sorted(), "seed \(seed)")
          #expect(candidate.end >= times.last ?? .zero, "seed \(seed)")
          shrinker.take(fails: candidate == session || Self.isOdd(candidate, seed))
        }
        let smallest = try #require(shrinker.smallest)
        #expect(smallest == session || Self.isOdd(smallest, seed), "seed \(seed)")
        results.append(smallest)
      }
      #expect(results[0] == results[1], "seed \(seed)")
    }
  }

  @Test func `A search that ends early has a session that fails`() {
    func fails(_ session: SessionInputs) -> Bool { Self.text(session).contains(/L.*L/) }
    var shrinker = Shrinker(Self.long)
    var sizes: [Int] = []
    while let candidate = shrinker.next() {
      shrinker.take(fails: fails(candidate))
      guard let smallest = shrinker.smallest else { continue }
      #expect(fails(smallest))
      sizes.append(smallest.counts.bytes)
    }
    #expect(sizes == sizes.sorted(by: >))
    #expect(sizes.last == 2)
  }

  @Test func `A proposal that was not judged is made again`() {
    var shrinker = Shrinker(Self.long)
    let first = shrinker.next()
    #expect(shrinker.next() == first)
    #expect(shrinker.triedCount == 1)
  }

  @Test func `An empty session, and one without bytes, are shrunk too`() {
    #expect(Self.shrunk(Self.session("", end: 0)) { _ in true }.smallest?.events == [])
    let reset = Self.session("1500 reset 500")
    #expect(Self.shrunk(reset) { _ in true }.smallest?.events == [])
    #expect(Self.shrunk(reset) { !$0.events.isEmpty }.smallest?.events.count == 1)
  }
}

/// The search on the devices.
@Suite("Sessions that are shrunk") struct ShrunkSessionTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var firmware = Firmware.classic
    var script: String
    var rule: Requirement
    /// What is left of the bytes.
    var bytes: String
  }

  private static func trace(
    _ firmware: Firmware, _ script: String, end: Interval = .seconds(40)
  ) -> [UInt8] {
    var text: [UInt8] = []
    text.appendLine(Header(firmware: firmware, duration: end, title: nil))
    for event in [Event](script: script) { text.appendLine(event) }
    return text
  }

  private static func shrunk(
    _ text: [UInt8], _ rules: [Rule]
  ) throws -> (smallest: SessionInputs, failure: SessionFailure)? {
    var reader = try TraceReader(text: text, path: "t")
    let subject = try ShrinkSubject(&reader, firmware: nil, on: ModelSource())
    var runs = try subject.runs(judgedBy: rules) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }
    var shrinker = Shrinker(subject.session)
    guard let failure = shrinker.run(&runs), let smallest = shrinker.smallest else { return nil }
    // The trace that is written fails the same rule.
    let written = try subject.text(of: smallest, title: failure.lines[0], by: "a test").trace
    var again = try TraceReader(text: written, path: "w")
    let report = try RuleReport(rules, &again) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }
    #expect(report.failures.contains { $0.cause.isTested })
    var verified = try TraceReader(text: written, path: "w")
    #expect(try Verification().verify(&verified).agrees)
    return (smallest, failure)
  }

  /// Aims and sweeps that are all obeyed, with something in their middle.
  private static func busy(_ middle: String) -> String {
    let before = (0..<100).map { "\(2_000 + 100 * $0) \($0 % 9 == 4 ? "L" : "X\(40 + $0).")" }
    let after = (0..<100).map { "\(20_000 + 100 * $0) X\(40 + $0)." }
    return (before + [middle] + after).joined(separator: " | ")
  }

  @Test(arguments: [
    Row(
      testDescription: "junk on an idle sketch", script: busy("13000 Z"), rule: .never([.junk]),
      bytes: "0"),
    Row(
      testDescription: "bytes that a purge discards", script: busy("13000 L | 13020 ZX100."),
      rule: .never([.junk]), bytes: "0"),
    Row(
      testDescription: "a byte that ended a number", script: busy("13000 X100 | 13200 X110."),
      rule: .never([.swallowed]), bytes: "XX"),
    Row(
      testDescription: "a number that was broken off", firmware: .guarded,
      script: busy("13000 X100 | 13200 X110."), rule: .never([.abandoned]), bytes: "X0"),
    Row(
      testDescription: "more bytes than wait in the ring during the start-up",
      script: "100 " + String(repeating: "X90.", count: 20), rule: .never([.lost]),
      bytes: String(repeating: "0", count: 64)),
    Row(
      testDescription: "an aim that wraps",
      script: busy("13000 X65546."), rule: .angles(30...160), bytes: "X."),
    Row(
      testDescription: "a pace", script: busy("13000 X1. | 13002 X2."),
      rule: .gap(.milliseconds(20)), bytes: "XX"),
  ])
  func `Of hundreds of commands, the bytes that break the rule are left`(_ row: Row) throws {
    let text = Self.trace(row.firmware, row.script)
    let (smallest, _) = try #require(try Self.shrunk(text, [Rule(row.rule)]))
    #expect(smallest.text(joined: "") == row.bytes)
  }

  @Test func `A failure in the middle does not become one of the start-up`() throws {
    // The sketch is reading a number when the aim arrives.
    let text = Self.trace(.classic, Self.busy("13000 X12 | 13500 X110."))
    var reach = Reach(.servo(110...110))
    reach.within = .milliseconds(50)
    reach.command = TextPattern("X110.")
    let (smallest, failure) = try #require(try Self.shrunk(text, [Rule(.reaches(reach))]))
    #expect(smallest.text(joined: "") == "X0X110.")
    #expect((smallest.events.first?.time).map { $0 >= .zero + .milliseconds(1_500) } ?? false)
    #expect(failure.lines.contains { $0.contains("reading a number") }, "\(failure)")
  }

  @Test func `A rule that the session does not test is not a failure`() throws {
    var reach = Reach(.servo(110...110))
    reach.within = .milliseconds(50)
    reach.command = TextPattern("X110.")
    #expect(try Self.shrunk(Self.trace(.classic, "1500 X90."), [Rule(.reaches(reach))]) == nil)
  }

  @Test func `A session on which two sketches differ becomes the few bytes that differ`() throws {
    var reader = try TraceReader(
      text: Self.trace(.classic, Self.busy("13000 X100 | 13200 X110.")), path: "t")
    let subject = try ShrinkSubject(&reader, firmware: nil, on: ModelSource())
    var runs = try subject.runs(
      comparedWith: ModelSource(), .guarded, tolerance: .milliseconds(20))
    var shrinker = Shrinker(subject.session)
    let found = shrinker.run(&runs)
    let failure = try #require(found)
    // guarded announces the first aim with a tone.
    #expect(failure.causes == [.output(.tone)])
    #expect(try #require(shrinker.smallest).counts.bytes <= 3)

    var same = try subject.runs(comparedWith: ModelSource(), .classic, tolerance: nil)
    var other = Shrinker(subject.session)
    let none = other.run(&same)
    #expect(none == nil)
  }

  @Test func `A session that continues from a snapshot fails as one from its start`() throws {
    for seed in Seeds.first(10) {
      let rules = [Rule(.never(Mishap.strict)), Rule(.angles(30...150))]
      let (inputs, end) = RandomSender(.classic, seed: seed).inputs(seed: seed, gapMax: 300)
      var text = Self.trace(.classic, "")
      for event in inputs { text.appendLine(event) }
      var reader = try TraceReader(text: text, path: "t")
      let subject = try ShrinkSubject(&reader, firmware: nil, on: ModelSource())
      let fresh = try subject.runs(judgedBy: rules) { (path) throws(TraceError) in
        try TraceReader(text: [], path: path)
      }
      var session = subject.session
      session.end = end
      var runs = fresh
      var shrinker = Shrinker(session)
      while let candidate = shrinker.next() {
        var alone = fresh
        let expected = alone.run(candidate)
        let found = runs.run(candidate)
        #expect(found == expected, "seed \(seed)")
        shrinker.take(fails: expected != nil)
      }
    }
  }
}

extension SessionInputs {
  /// The bytes of its events.
  fileprivate func text(joined separator: String) -> String {
    events.map { event in
      guard case .receive(let bytes) = event.kind else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }.joined(separator: separator)
  }
}
