import Sketches
import TestSupport
import Testing
import Traces

@testable import Judging

/// Short tests from sessions that went wrong.
@Suite("Distilled tests") struct DistilTests {
  /// What a session of the corpus becomes.
  struct Row: CustomTestStringConvertible, Sendable {
    var trace: String
    /// The trace's title.
    var title: String
    /// What is left of its inputs.
    var inputs: [String]
    /// Whether `classic` fails the test.
    var fails = true

    var testDescription: String { trace }
  }

  private static func session(_ name: String) throws -> SessionInputs {
    var reader = try Corpus.reader("classic/\(name)")
    return try SessionInputs(&reader, for: "distil")
  }

  private static func events(of test: DistilledTest) throws -> (header: Header, events: [Event]) {
    var reader = try TraceReader(text: test.text, path: "t")
    var events: [Event] = []
    while let event = try reader.next() { events.append(event) }
    return (reader.header, events)
  }

  private static func inputs(of events: [Event]) -> [String] {
    events.compactMap { event in
      guard case .receive(let bytes) = event.kind else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  // The rows of the table in traces/README.md that say what a sender must do.
  @Test(arguments: [
    Row(
      trace: "wedge-digits-then-nothing",
      title: "`X12` had no end: the sketch waits for one, and does nothing else until it comes",
      inputs: ["X12"], fails: false),
    Row(
      trace: "stall", title: "the servo was at 120 degrees and should have been at 90",
      inputs: ["X12", "0."]),
    Row(
      trace: "truncated",
      title: "`X100` had no end; the `X` of the next command ended it 196 ms late and was lost",
      inputs: ["X100", "X110"]),
    Row(
      trace: "numbers-past-16-bits", title: "`X65536.` wraps at 65 536 to 0", inputs: ["X65536."]),
    Row(
      trace: "malformed",
      title: "`X.` has no digits: that is 0, and the servo swings to 0 degrees", inputs: ["X."]),
    Row(
      trace: "number-ends-at-any-byte", title: "`X10` was ended by `\\x00`",
      inputs: ["X10\u{0}"]),
    Row(
      trace: "scan-junk", title: "`Z` is not a command, and stopped the sweep", inputs: ["L", "Z"]),
    Row(
      trace: "scan-l-turns-it-upward",
      title: "the servo was at 122 degrees and should have been at 110",
      inputs: ["X158.", "L", "L"]),
  ])
  func `A session becomes the few bytes that went wrong, and expects what should have been done`(
    _ row: Row
  ) throws {
    let session = try Self.session(row.trace)
    let test = try #require(
      DistilledTest.find(in: session, wanted: .guarded, source: "a test"))
    let (header, events) = try Self.events(of: test)
    #expect(header.title == row.title)
    #expect(header.firmware == .classic)
    #expect(Self.inputs(of: events) == row.inputs)
    #expect((test.failure != nil) == row.fails)

    // The sketch that does what should have been done agrees.
    var verification = Verification()
    verification.firmware = .guarded
    var reader = try TraceReader(text: test.text, path: "t")
    #expect(try verification.verify(&reader).agrees)
  }

  @Test(arguments: [
    "start-up-junk-first", "start-up-crlf-behind-a-command", "start-up-bytes-beyond-63-lost",
    "start-up-overflow-cuts-a-number",
  ])
  func `A fault of the start-up keeps its times since the reset`(_ name: String) throws {
    let test = try #require(
      DistilledTest.find(in: try Self.session(name), wanted: .guarded, source: "a test"))
    let (header, events) = try Self.events(of: test)
    let first = try #require(events.first { $0.isInput })
    #expect(first.time < .zero + .seconds(1))
    #expect(header.start == .reset)
    #expect(test.failure != nil)
  }

  @Test(arguments: [
    "angles", "boot", "gaps-between-bytes", "scan-20s", "scan-burst", "scan-then-aim-2200",
    "scan-aims-at-many-phases", "scan-relost-3400",
  ])
  func `Nothing is distilled from a session in which nothing went wrong`(_ name: String) throws {
    let session = try Self.session(name)
    #expect(DistilledTest.find(in: session, wanted: .guarded, source: "a test") == nil)
  }

  @Test func `The search can begin later`() throws {
    let session = try Self.session("truncated")
    let test = try #require(
      DistilledTest.find(
        in: session, wanted: .guarded, after: .zero + .milliseconds(2_200), source: "a test"))
    #expect(test.trouble.text.hasPrefix("`X120` had no end"))
    let none = DistilledTest.find(
      in: session, wanted: .guarded, after: .zero + .seconds(100), source: "a test")
    #expect(none == nil)
  }

  @Test func `A long session becomes as short a test as the fault alone`() throws {
    var events = (0..<500).map { index in
      Event(
        .zero + .milliseconds(2_000 + 100 * Int64(index)),
        .receive(Array("X\(index % 180).".utf8)))
    }
    events.append(Event(.zero + .milliseconds(60_013), .receive(Array("X100".utf8))))
    events.append(Event(.zero + .milliseconds(60_217), .receive(Array("X110.".utf8))))
    let session = SessionInputs(
      firmware: .classic, isRunning: true, events: events, end: .zero + .seconds(70))
    let test = try #require(DistilledTest.find(in: session, wanted: .guarded, source: "a test"))
    let (header, kept) = try Self.events(of: test)
    #expect(Self.inputs(of: kept) == ["X100", "X110."])
    #expect(kept.filter(\.isInput).map(\.time) == [1_500, 1_700].map { .zero + .milliseconds($0) })
    #expect(header.start == .reset)
    #expect(header.duration == .milliseconds(2_300))
  }

  @Test(arguments: [("X90.\\nX45.\\r\\n", []), ("X90.\\nL\\n", ["1 byte junk"])])
  func `Line ends after whole commands are no mishap, unless they stop a sweep`(
    _ bytes: String, _ mishaps: [String]
  ) throws {
    let text =
      "{\"format\": \"sentry-trace\", \"version\": 1, \"firmware\": \"classic\", "
      + "\"duration\": 3, \"start\": \"unknown\"}\n[1.000000, \"rx\", \"\(bytes)\"]\n"
    var reader = try TraceReader(text: Array(text.utf8), path: "t")
    let session = try SessionInputs(&reader, for: "distil")
    #expect(session.mishaps(after: .zero) == mishaps)
  }

  @Test func `A recording that ends with its last byte has lost nothing`() throws {
    let text =
      "{\"format\": \"sentry-trace\", \"version\": 1, \"firmware\": \"classic\", "
      + "\"duration\": 0.0042, \"start\": \"unknown\"}\n[0.000000, \"rx\", \"X90.\"]\n"
    var reader = try TraceReader(text: Array(text.utf8), path: "t")
    let session = try SessionInputs(&reader, for: "distil")
    #expect(DistilledTest.find(in: session, wanted: .guarded, source: "a test") == nil)
  }

  @Test(arguments: [
    // The sender left out a full stop: on classic, the next byte is swallowed.
    ("truncated", Culprit.sender, "classic", "junk, swallowed, abandoned"),
    // Nothing follows, so only the rule shows it.
    ("wedge-digits-then-nothing", .sender, "classic", "swallowed, abandoned"),
    // classic takes any number, so the rule is broken on guarded.
    ("numbers-past-16-bits", .sender, "guarded", "abandoned"),
    ("scan-junk", .sender, "classic", "junk"),
  ])
  func `A sender's fault becomes a scenario that is still to be filled in`(
    _ name: String, _ culprit: Culprit, _ firmware: String, _ mishaps: String
  ) throws {
    let test = try #require(
      DistilledTest.find(in: try Self.session(name), wanted: .guarded, source: "a test"))
    #expect(test.trouble.culprit == culprit)
    let scenario = String(decoding: try #require(test.scenario), as: UTF8.self)
    let lines = scenario.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("# A scenario for the sender, by a test: `"), "\(lines[0])")
    #expect(
      lines.dropFirst(2) == [
        "firmware: \(firmware)", "run: ./your-sender", "expect:", "  - never: [\(mishaps)]",
      ], "\(scenario)")
  }

  @Test(arguments: ["start-up-bytes-beyond-63-lost", "stall", "scan-l-turns-it-upward"])
  func `A sketch's fault becomes no scenario`(_ name: String) throws {
    let test = try #require(
      DistilledTest.find(in: try Self.session(name), wanted: .guarded, source: "a test"))
    #expect(test.trouble.culprit == .sketch)
    #expect(test.scenario == nil)
  }

  @Test func `Nothing went wrong after what is known`() throws {
    let session = SessionInputs(
      firmware: .classic, isRunning: true,
      events: [
        Event(.zero, .receive(Array("L".utf8))),
        Event(.zero + .seconds(1), .receive(Array("X9".utf8))),
      ], end: .zero + .seconds(6))
    // The sketch reads the number and stands still; guarded would sweep on.
    let known = Instant.zero + .milliseconds(1_003)
    #expect(
      DistilledTest.find(in: session, wanted: .guarded, end: known, source: "a test") == nil)
    #expect(DistilledTest.find(in: session, wanted: .guarded, source: "a test") != nil)
  }

  @Test func `The text is canonical`() throws {
    let test = try #require(
      DistilledTest.find(in: try Self.session("scan-junk"), wanted: .guarded, source: "a test"))
    let (header, events) = try Self.events(of: test)
    var again: [UInt8] = []
    again.appendLine(header)
    for event in events { again.appendLine(event) }
    #expect(again == test.text)
  }

  @Test func `Any stream of bytes is distilled or has nothing wrong`() throws {
    for seed in Seeds.first(20) {
      let sender = RandomSender(.classic, seed: seed)
      let (inputs, end) = sender.inputs(seed: seed, gapMax: 200)
      let session = SessionInputs(firmware: .classic, events: inputs, end: end)
      guard
        let test = DistilledTest.find(in: session, wanted: .guarded, source: "a test")
      else { continue }
      #expect(test.inputCount <= session.events.count, "seed \(seed)")
      _ = try Self.events(of: test)
    }
  }
}
