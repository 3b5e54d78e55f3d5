import Devices
import Judging
import Sketches
import Testing
import Traces

/// Small sessions in the form of scripts: milliseconds and bytes.
@Suite("Live judge") struct LiveJudgeTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var firmware = Firmware.classic
    var trace: String
    var traceEnd: Int64 = 4_000
    var live: String
    var liveEnd: Int64 = 5_000

    init(
      _ name: String, _ trace: String, _ live: String, _ firmware: Firmware = .classic,
      traceEnd: Int64 = 4_000, liveEnd: Int64 = 5_000
    ) {
      testDescription = name
      self.firmware = firmware
      self.trace = trace
      self.traceEnd = traceEnd
      self.live = live
      self.liveEnd = liveEnd
    }

    func verdict(_ header: String = "") throws -> Verdict {
      let traced = LiveSession(firmware, trace, end: traceEnd).trace(firmware, header: header)
      return try LiveSession(firmware, live, end: liveEnd).judged(by: traced, firmware)
    }
  }

  static let agreeing = [
    Case("later", "1500 X45. | 2000 X90.", "2100 X45. | 2600 X90."),
    Case("with other gaps", "1500 X45. | 2000 X90.", "1300 X45. | 4000 X90."),
    Case("a byte at a time", "1500 X45.", "1500 X | 1620 4 | 1800 5 | 2600 ."),
    Case("all at once", "1500 X45. | 2000 X90. | 2500 X10.", "1500 X45.X90.X10."),
    Case("during the start-up, not after it", "1500 X45. | 1800 X60.", "300 X45. | 1800 X60."),
    Case("after the start-up, not during it", "300 X45.L", "1500 X45.L"),
    Case("with a longer sweep", "1500 L | 2000 X90.", "1500 L | 4200 X90."),
    Case("with a shorter sweep", "1500 L | 3600 X90.", "1500 L | 1700 X90."),
    Case("with no step of a sweep at all", "1500 L | 3600 X45.", "1500 LX45."),
    Case("that sweeps on at its end", "1500 L", "1500 L", traceEnd: 2_000, liveEnd: 12_000),
    Case("whose sweep is cut off by its end", "1500 L", "1500 L", traceEnd: 9_000, liveEnd: 2_000),
    Case(
      "whose second sweep begins elsewhere", "1500 L | 1700 # | 2000 L", "1500 L | 2900 # | 3000 L"),
    Case("with an L within a sweep", "1500 L | 1700 L | 2500 L", "1500 L | 3000 L | 3111 L"),
    Case(
      "with an L on the way down", "1500 X150.L | 1700 L | 3700 X20.",
      "1500 X150.L | 3333 L | 3700 X20."),
    Case("from above 160 degrees", "1500 X175. | 1600 L", "1500 X175. | 2666 L"),
    Case(
      "that aims at where its sweep was", "1500 L | 2003 X100. | 2500 X90.",
      "1500 L | 1657 X100. | 2500 X90."),
    Case(
      "that aims at where the trace's sweep was", "1500 L | 1657 X100. | 2500 X90.",
      "1500 L | 2003 X100. | 2500 X90."),
    Case(
      "at a camera's rate, degree by degree", "1500 X90. | 1533 X91. | 1566 X92. | 1600 X93.",
      "1500 X90. | 1540 X91. | 1580 X92. | 1620 X93."),
    Case("that aims after tones that block", "1500 T | 1800 X30. | 2100 C", "1500 TX30.C", .buzzer),
    Case("whose tones replace each other", "500 T | 1000 O", "500 T | 560 O", .guarded),
    Case("whose tones do not replace each other", "500 T | 560 O", "500 T | 1000 O", .guarded),
    Case("with a tone replaced at its end", "500 T | 661 O", "500 T | 655 O", .guarded),
    Case(
      "that asks during a sweep", "500 L | 900 ? | 1500 X20. | 1700 ?",
      "500 L | 1900 ? | 2500 X20. | 3700 ?", .guarded),
    Case(
      "with lines for every write", "500 V | 600 X20. | 700 L | 1500 V | 1600 ?",
      "500 V | 640 X20. | 900 L | 2500 V | 2700 ?", .guarded),
    Case("that the trace ends too early to show", "500 X45.", "500 X45.", traceEnd: 700),
    Case(
      "with a reset", "1500 X45. | 2000 reset 500 | 3900 X60.",
      "1600 X45. | 2200 reset 900 | 4500 X60."),
    Case(
      "that loses a byte to the bootloader", "1500 reset 1000 | 1600 X | 3700 L",
      "1500 reset 500 | 1600 X | 3700 L"),
  ]

  @Test(arguments: agreeing)
  func `A session that differs only in the sender's timing agrees`(_ example: Case) throws {
    let verdict = try example.verdict()
    #expect(verdict.agrees, "\(verdict.summary)")
    #expect(verdict.tally.missing == 0 && verdict.tally.extra == 0 && verdict.tally.moved == 0)
  }

  static let disagreeing = [
    (
      Case("one byte is another", "1500 X45. | 2000 L", "1500 X46. | 2000 L"),
      "byte 3 of 5 differs: expected \"5.L\" after \"X4\", received \"6.L\" at 1.503125 s", 3
    ),
    (
      Case("a command is missing", "1500 X45. | 2000 X50.", "1500 X45."),
      "the sender stopped after 4 of 8 bytes: expected \"X50.\" after \"X45.\", "
        + "received nothing more at 5.000000 s", 5
    ),
    (
      Case("nothing is sent", "1500 L", "", liveEnd: 3_000),
      "the sender stopped after 0 of 1 byte: expected \"L\", received nothing more at 3.000000 s",
      3
    ),
    (
      Case("there is a command too many", "1500 X45.", "1500 X45. | 3000 X45."),
      "the sender continued after the trace's 4 bytes: received \"X45.\" after \"X45.\" "
        + "at 3.001042 s",
      4
    ),
    (
      Case("a long session goes wrong", "1500 X1.X2.X3.X4.X5.X6.", "1500 X1.X2.X3.X4.X5.Y6."),
      "byte 16 of 18 differs: expected \"X6.\" after \"...X2.X3.X4.X5.\", received \"Y6.\" "
        + "at 1.516667 s", 3
    ),
    (
      Case("a number times out as the sender is slow", "500 X45.", "500 X4 | 900 5.", .guarded),
      "expected servo 45 (1008 us) at 0.902158 s, found none", 4
    ),
    (
      Case("a purge throws a command away", "1500 #X45.", "500 #X45."),
      "expected servo 45 (1008 us) at 1.000272 s, found none", 4
    ),
  ]

  @Test(arguments: disagreeing)
  func `A session with other bytes or outputs disagrees, with a message and a line`(
    _ example: Case, _ message: String, _ line: Int
  ) throws {
    let verdict = try example.verdict()
    #expect(verdict.divergence?.message == message)
    #expect(verdict.divergence?.line == line)
  }

  /// Turns the sweep of a trace into one that differs.
  enum SweepFault: String, CaseIterable {
    case stepsOfTwo, slow, fast, turnsEarly, fallsFirst, neverStarts, doesNotStop, startsLate
    case losesAStep, repeatsTheEnd

    func apply(_ events: [Event]) -> [Event] {
      let begin = Instant.zero + .milliseconds(1_502)
      let stop = Instant.zero + .milliseconds(3_500)
      var events = events
      let steps = events.indices.filter {
        events[$0].output?.kind == .servo && events[$0].time > begin && events[$0].time < stop
      }
      func servo(_ degrees: Int) -> Event.Kind {
        .output(
          .servo(
            degrees: UInt8(degrees), microseconds: ServoLibrary.pulse(writing: Int16(degrees))))
      }
      func stretch(_ percent: Int64) {
        for index in steps {
          let late = (events[index].time - begin).nanoseconds * percent / 100
          events[index].time = begin + .nanoseconds(late)
        }
      }
      switch self {
      case .stepsOfTwo:
        for (count, index) in steps.enumerated() { events[index].kind = servo(92 + 2 * count % 60) }
      case .slow: stretch(102)
      case .fast: stretch(98)
      case .turnsEarly:
        for (count, index) in steps.enumerated() where count >= 40 {
          events[index].kind = servo(171 - count)
        }
      case .fallsFirst:
        for (count, index) in steps.enumerated() { events[index].kind = servo(89 - count % 60) }
      case .neverStarts: for index in steps.reversed() { events.remove(at: index) }
      case .doesNotStop:
        events.append(Event(stop + .milliseconds(40), servo(100)))
        events.append(Event(stop + .milliseconds(55), servo(101)))
      case .startsLate: for index in steps { events[index].time += .milliseconds(30) }
      case .losesAStep: events.remove(at: steps[20])
      case .repeatsTheEnd:
        events.insert(Event(events[steps[70]].time, servo(159)), at: steps[70])
      }
      return events.sorted { $0.time < $1.time }
    }
  }

  @Test(arguments: SweepFault.allCases)
  func `A sweep that is not the firmware's disagrees`(_ fault: SweepFault) throws {
    // Compared with the trace's own steps, with steps beyond them, and with a sweep that began
    // elsewhere.
    for (traced, name) in [
      ("1500 L | 3500 X90.", "the same"), ("1500 L | 1700 X90.", "shorter"),
      ("1100 X80. | 1500 L | 3500 X90.", "from elsewhere"),
    ] {
      var live = LiveSession(
        .classic, traced.replacing("1700 X", with: "3500 X"), end: 4_000)
      let trace = LiveSession(.classic, traced, end: 4_000).trace(.classic)
      #expect(try live.judged(by: trace, .classic).agrees)
      live.events = fault.apply(live.events)
      let verdict = try live.judged(by: trace, .classic)
      #expect(!verdict.agrees, "\(name)")
    }
  }

  /// A build that takes 30 ms for a step of a sweep, and 50 ms from a number's end to the angle.
  static func slow(_ firmware: Firmware) -> Timing {
    var timing = firmware.sketch.timing
    timing.step = .milliseconds(30)
    timing.angleWrite = .milliseconds(50)
    return timing
  }

  @Test(arguments: Firmware.allCases)
  func `A session of another build is judged by that build's timing`(_ firmware: Firmware) throws {
    let slow = Self.slow(firmware)
    // The live sweep continues past the trace's, so its steps must be those of the build.
    let trace = LiveSession(firmware, "1500 X45. | 2000 L | 2500 X90.", end: 4_000, timing: slow)
      .trace(firmware)
    let script = "1500 X45. | 2000 L | 3500 X90."
    let live = LiveSession(firmware, script, end: 5_000, timing: slow)
    let verdict = try live.judged(by: trace, firmware, timing: slow)
    #expect(verdict.agrees, "\(verdict.summary)")
    // Guarded steps by the millisecond clock, so its sweep is the same in every build.
    guard firmware != .guarded else { return }
    #expect(try !live.judged(by: trace, firmware).agrees)
    let measured = LiveSession(firmware, script, end: 5_000)
    #expect(try !measured.judged(by: trace, firmware, timing: slow).agrees)
  }

  @Test(arguments: [(19, true), (-19, true), (21, false)])
  func `An output can be late by the tolerance and no more`(_ milliseconds: Int64, _ agrees: Bool)
    throws
  {
    let trace = LiveSession(.classic, "1500 X45. | 2000 X60.", end: 3_000).trace(.classic)
    var live = LiveSession(.classic, "1700 X45. | 2500 X60.", end: 4_000)
    let index = try #require(live.events.lastIndex { $0.output?.kind == .servo })
    live.events[index].time += .milliseconds(milliseconds)
    let verdict = try live.judged(by: trace, .classic)
    #expect(verdict.agrees == agrees, "\(verdict.summary)")
    if !agrees { #expect(verdict.divergence?.difference == .time) }
    let strict = try live.judged(by: trace, .classic, tolerance: .milliseconds(1))
    #expect(strict.divergence?.difference == .time)
  }
}

extension String {
  fileprivate func replacing(_ text: String, with other: String) -> String {
    guard let range = firstRange(of: text) else { return self }
    return String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
  }
}
