import Judging
import Sketches
import Testing
import Traces

/// Live sessions of a pan-tilt sketch, which has no model, judged by a trace.
@Suite("A live session of another sketch") struct ObservedJudgeTests {
  private static let header =
    #"{"format": "sentry-trace", "version": 1, "firmware": "pan-tilt", "duration": 4}"#
  private static let tilt = BoardPin(name: "D10")

  /// Returns how long a number of bytes takes on the line.
  private static func bytes(_ count: Int) -> Interval {
    Interval(nanoseconds: ByteClock.byteTime(baud: 9_600).nanoseconds * Int64(count))
  }

  /// A session in which each command of the form `P90,45` and a newline moves two servos `delay`
  /// after its last byte, and is answered with a line. `script` has milliseconds and bytes; `|`
  /// separates the writes of the sender.
  private static func events(
    _ script: String, delay: Interval = .milliseconds(2), tiltError: UInt8 = 0
  ) -> [Event] {
    var events: [Event] = []
    var command = ""
    for part in script.split(separator: "|") {
      let words = part.split(separator: " ")
      let time = Instant.zero + .milliseconds(Int64(words[0])!)
      let bytes = Array(words[1].replacing("\\n", with: "\n").utf8)
      events.append(Event(time, .receive(bytes)))
      for (index, byte) in bytes.enumerated() {
        command.unicodeScalars.append(Unicode.Scalar(byte))
        guard byte == 0x0A else { continue }
        let numbers = command.split { !$0.isNumber }.compactMap { UInt8($0) }
        command = ""
        guard numbers.count == 2 else { continue }
        let done: Instant = time + Self.bytes(index + 1) + delay
        events.append(Event(done, .servo(degrees: numbers[0], microseconds: 1_500, on: nil)))
        events.append(
          Event(done, .servo(degrees: numbers[1] + tiltError, microseconds: 1_500, on: tilt)))
        for (position, byte) in "ok\n".utf8.enumerated() {
          events.append(Event(done + Self.bytes(position + 1), .output(.transmit(byte))))
        }
      }
    }
    return events.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private static func text(_ events: [Event], header: String = header) -> [UInt8] {
    var text = Array((header + "\n").utf8)
    for event in events { text.appendLine(event) }
    return text
  }

  private static func judge(
    _ traced: [Event], _ live: [Event], header: String = header, profile: Profile? = nil,
    observes: Set<Output.Kind> = Set(Output.Kind.allCases), start: Header.Start = .reset,
    gaps: Interval? = nil
  ) throws -> Verdict {
    var reader = try TraceReader(text: text(traced, header: header), path: "trace")
    var judge = try TraceJudge(
      expected: &reader,
      SessionSetup(
        firmware: .guarded, profile: profile, baud: reader.header.baud, start: start,
        observes: observes),
      gapMax: gaps)
    for event in live { judge.take(event) }
    return judge.finish(at: .zero + .seconds(4))
  }

  static let script = #"1500 P90,45\n | 2000 P10,20\n"#

  @Test(arguments: [
    script,
    // Earlier, later, and in other pieces.
    #"500 P90,45\n | 2900 P10,20\n"#, #"1500 P90, | 1530 45\nP1 | 3000 0,20 | 3050 \n"#,
  ])
  func `A sender with its own timing agrees`(_ live: String) throws {
    let verdict = try Self.judge(Self.events(Self.script), Self.events(live))
    #expect(verdict.agrees, "\(verdict.summary)")
    // Two servos and three bytes of the answer, twice.
    #expect(verdict.tally.matched == 10)
  }

  @Test(arguments: [
    (#"1500 P90,45\n"#, "the sender stopped after 7 of 14 bytes"),
    (#"1500 P90,45\n | 2000 P10,21\n"#, "byte 13 of 14 differs"),
    (script + #" | 2500 P1,2\n"#, "the sender continued after the trace's 14 bytes"),
  ])
  func `Other bytes are a divergence`(_ live: String, _ message: String) throws {
    let verdict = try Self.judge(Self.events(Self.script), Self.events(live))
    #expect(verdict.divergence?.difference == .bytes)
    #expect(verdict.summary.contains(message), "\(verdict.summary)")
  }

  @Test func `An output that is late, wrong, missing or too many is a divergence`() throws {
    let traced = Self.events(Self.script)
    let late = try Self.judge(traced, Self.events(Self.script, delay: .milliseconds(40)))
    #expect(late.divergence?.difference == .time, "\(late.summary)")
    let wrong = try Self.judge(traced, Self.events(Self.script, tiltError: 1))
    #expect(wrong.divergence?.difference == .value, "\(wrong.summary)")
    #expect(wrong.divergence?.found?.output?.pin == Self.tilt)
    let silent = try Self.judge(traced, traced.filter { $0.output?.kind != .transmit })
    #expect(silent.divergence?.difference == .missing, "\(silent.summary)")
    let more = Event(.zero + .milliseconds(3_000), .output(.transmit(0x21)))
    let talkative = try Self.judge(traced, traced + [more])
    #expect(talkative.divergence?.difference == .extra, "\(talkative.summary)")
  }

  @Test func `What the trace ends too early to show does not count`() throws {
    let header = Self.header.replacing("\"duration\": 4", with: "\"duration\": 2.5")
    let later = Event(.zero + .milliseconds(3_000), .output(.transmit(0x21)))
    let traced = Self.events(Self.script)
    let verdict = try Self.judge(traced, traced + [later], header: header)
    #expect(verdict.agrees, "\(verdict.summary)")
  }

  @Test func `An answer that the next command overtakes is timed from its own command`() throws {
    // The second command begins while the first is answered, once sooner and once later.
    let traced = Self.events(#"1500 P90,45\n | 1510 P10,20\n"#)
    let live = Self.events(#"1500 P90,45\n | 1535 P10,20\n"#)
    #expect(try Self.judge(traced, live).agrees)
  }

  @Test func `A gap beyond the limit is a divergence, between commands too`() throws {
    let profile = Profile(
      name: "pan-tilt", commands: [try CommandForm("P{pan:0..180},{tilt:0..180}\\n")])
    let live = Self.events(#"1500 P90,45\n | 2200 P10,20\n"#)
    let verdict = try Self.judge(
      Self.events(Self.script), live, profile: profile, gaps: .milliseconds(100))
    #expect(verdict.divergence?.difference == .gap, "\(verdict.summary)")
    #expect(verdict.largestGap?.size == .milliseconds(200))
    let some = try Self.judge(
      Self.events(Self.script), live, profile: profile, gaps: .milliseconds(300))
    #expect(some.agrees, "\(some.summary)")
  }

  @Test func `A board that was already running is compared from the first byte on`() throws {
    let greeting = Event(.zero + .milliseconds(100), .output(.transmit(0x21)))
    let traced = [greeting] + Self.events(Self.script)
    let verdict = try Self.judge(traced, Self.events(Self.script), start: .unknown)
    #expect(verdict.agrees, "\(verdict.summary)")
    let reset = try Self.judge(traced, Self.events(Self.script))
    #expect(reset.divergence?.difference == .missing, "\(reset.summary)")
  }

  @Test func `A trace that cannot be judged says why`() throws {
    let servo: Set<Output.Kind> = [.servo]
    let traced = Self.events(Self.script)
    #expect(
      try Self.judge(traced, [], observes: servo).outcome == .cannotObserve([.transmit]))
    guard case .nothingToCompare = try Self.judge([], traced).outcome else {
      Issue.record("an empty trace is no expectation")
      return
    }
  }

  @Test(arguments: [
    ("pan-tilt", false, "it expects only pulses, whose phase is the board's own"),
    ("classic", true, "it expects only pulses, whose phase is the board's own"),
    (
      "classic", false,
      "it expects only what is not compared in a live session: pulses, or replies of a board that "
        + "was already running"
    ),
  ])
  func `A sketch has a model unless the trace names another one, or a profile is given`(
    _ sketch: String, _ hasProfile: Bool, _ words: String
  ) throws {
    let header = Self.header.replacing("pan-tilt", with: sketch)
      .replacing("}", with: ", \"expects\": [\"pulse\"]}")
    let form = try CommandForm("P{pan:0..180},{tilt:0..180}\\n")
    let profile = hasProfile ? Profile(name: "pan-tilt", commands: [form]) : nil
    let verdict = try Self.judge([], [], header: header, profile: profile)
    #expect(verdict.outcome == .nothingToCompare(words))
  }

  @Test func `The session goes on until the last output can have come`() throws {
    var reader = try TraceReader(text: Self.text(Self.events(Self.script)), path: "trace")
    var judge = try TraceJudge(
      expected: &reader, SessionSetup(firmware: .guarded, baud: reader.header.baud))
    let now = Instant.zero + .seconds(3)
    for event in Self.events(#"2900 P90,45\n | 2950 P10,20\n"#) { judge.take(event) }
    // The last byte of the answer comes about 5 ms after the command.
    let end = judge.settles(from: now)
    #expect(end > now && end < now + .milliseconds(150), "\(end)")
  }
}
