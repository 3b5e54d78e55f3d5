import Sketches
import Testing
import Traces

@testable import Judging

/// Ways that are so simple that their figures are known.
struct TrackingRecordTests {
  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private static func figures(
    truth: [(Int64, Double?)], shaft: [(Int64, Double)], until end: Int64 = 10_000,
    view: ClosedRange<Double>? = nil
  ) throws -> TrackingFigures {
    var record = TrackingRecord(view: view.map { CameraView($0) })
    for (time, degrees) in truth { record.take(Event(at(time), .truth(degrees))) }
    for (time, degrees) in shaft { record.take(Event(at(time), .shaft(degrees))) }
    return try #require(record.figures(at: at(end), commands: 20))
  }

  @Test func `An error is the distance between the two ways`() throws {
    let figures = try Self.figures(
      truth: [(0, 90), (10_000, 100)], shaft: [(0, 88), (10_000, 98)])
    #expect(abs(figures.meanError! - 2) < 1e-9)
    #expect(abs(figures.error95! - 2) < 1e-9)
    #expect(figures.share(within: 1.9) == 0 && figures.share(within: 2.1) == 1)
    #expect(figures.commandsPerSecond == 2 && figures.travelPerMinute == 60)
  }

  @Test func `What cannot be seen does not count`() throws {
    let figures = try Self.figures(
      truth: [(0, 90), (5_000, nil)], shaft: [(0, 90), (5_000, 90), (5_010, 180)])
    #expect(figures.share(within: 1) == 1 && figures.errors.count == 600)
  }

  @Test(
    arguments: [
      (nil, 2_000), (100, 600), (1_400, 1_900), (6_000, 2_000),
    ] as [(Int64?, Int64)])
  func `Errors count from when a program that tracks must have answered`(
    _ firstByte: Int64?, _ begin: Int64
  ) throws {
    var record = TrackingRecord()
    record.take(Event(.zero, .truth(90)))
    record.take(Event(.zero, .shaft(90)))
    if let firstByte { record.take(Event(Self.at(firstByte), .receive([0x58]))) }
    let figures = try #require(record.figures(at: Self.at(10_000), commands: 0))
    #expect(figures.errors.first?.time == Self.at(begin))
  }

  @Test func `A program that sends nothing is judged by the first jump`() throws {
    let figures = try Self.figures(
      truth: [(0, nil), (1_000, 90), (4_000, 90), (4_000, 110)], shaft: [(0, 90)])
    #expect(figures.steps.count == 1 && figures.settling(within: 3) == .some(nil))
    #expect(figures.errors.first?.time == Self.at(3_000) && figures.share(within: 3)! < 0.2)
  }

  @Test func `A jump is overshot and settled`() throws {
    let figures = try Self.figures(
      truth: [(0, 90), (2_000, 90), (2_000, 110)],
      shaft: [(0, 90), (2_100, 90), (2_200, 114), (2_300, 114), (2_400, 109.5)])
    let step = try #require(figures.steps.first)
    #expect(figures.steps.count == 1 && (step.from, step.to) == (90, 110))
    #expect(abs(step.overshoot - 4) < 1e-9)
    #expect(step.settling(within: 3) == .milliseconds(325))
    #expect(step.settling(within: 0.4) == nil)
    #expect(figures.settling(within: 3) == .some(.milliseconds(325)))
  }

  @Test func `A ramp is no jump and no stand`() throws {
    let figures = try Self.figures(
      truth: [(0, 90), (10_000, 150)], shaft: [(0, 90), (10_000, 150)])
    #expect(figures.steps.isEmpty && figures.swing == nil && figures.settling(within: 3) == nil)
  }

  @Test func `A swing at rest has its width and its rate`() throws {
    var shaft: [(Int64, Double)] = []
    for index in 0...200 { shaft.append((Int64(index) * 50, index.isMultiple(of: 2) ? 89 : 91)) }
    let figures = try Self.figures(truth: [(0, 90), (10_000, 90)], shaft: shaft)
    let swing = try #require(figures.swing)
    #expect(swing.degrees == 2 && abs(swing.hertz - 10) < 0.2)
    #expect(figures.reversals == 198)
  }

  @Test func `A turret loses a face that stands outside of its camera's view`() throws {
    let truth: [(Int64, Double?)] = [(0, 90), (9_000, 90)]
    func loss(_ shaft: [(Int64, Double)], _ view: ClosedRange<Double>?) throws -> Int64? {
      let figures = try Self.figures(truth: truth, shaft: shaft, view: view)
      return figures.loss.map { ($0.begin - Instant.zero).nanoseconds / 1_000_000 }
    }
    let away: [(Int64, Double)] = [(0, 90), (5_000, 90), (5_010, 130)]
    #expect(try loss(away, -30...30) == 5_010)
    #expect(try loss(away, nil) == nil)
    #expect(try loss(away, -41...30) == nil)
    // It looks so far to the side.
    #expect(try loss([(0, 90), (9_000, 90)], 10...70) == 2_000)
    // A swing that is back in time.
    #expect(try loss(away + [(5_400, 130), (5_410, 90)], -30...30) == nil)
  }

  @Test func `A turret that has lost the face does not pass for one that is steady`() throws {
    var session = RuledSession(script: "1500 X90.")
    session.events = [
      Event(.zero, .truth(90)), Event(.zero, .shaft(90)), Event(Self.at(5_000), .shaft(90)),
      Event(Self.at(5_050), .shaft(140)),
    ]
    session.end = 12_000
    // From then on the swing is small, too.
    let rule = #"{"oscillates": "below 60°"}"#
    #expect(try session.failures(rule) == [])
    session.view = CameraView(-30...30)
    #expect(
      try session.failures(rule).first?.contains(
        "the face stood at 90 degrees, and from 5.0") == true)
  }

  @Test func `A movement within half a degree is no reversal`() throws {
    let shaft = (0...200).map { (Int64($0) * 50, $0.isMultiple(of: 2) ? 90.0 : 90.4) }
    #expect(try Self.figures(truth: [(0, 90)], shaft: shaft).reversals == 0)
  }

  @Test func `Without a face or a shaft there is nothing to say`() {
    var record = TrackingRecord()
    #expect(record.refusal != nil && record.figures(at: Self.at(1), commands: 0) == nil)
    record.take(Event(.zero, .truth(90)))
    #expect(record.refusal?.contains("x-shaft") == true)
  }

  @Test(arguments: [
    (#"{"track": "3°", "for": "90%"}"#, nil),
    (
      #"{"track": "3°", "for": "99%"}"#,
      "within 3 degrees of the face for 97 % of the time"
    ),
    (#"{"overshoot": "below 4.5°"}"#, nil), (#"{"overshoot": "below 4°"}"#, "4 degrees beyond it"),
    (#"{"settles": 3, "within": "400ms"}"#, nil),
    (#"{"settles": 3, "within": "300ms"}"#, "after 325 ms"),
    (#"{"oscillates": "below 1°"}"#, nil), (#"{"reversals": "below 20/min"}"#, nil),
    (#"{"reversals": "below 5/min"}"#, "5 a minute"),
  ])
  func `A rule about a turret holds, or says what happened`(
    _ rule: String, _ expected: String?
  ) throws {
    var session = RuledSession(script: "1500 X90.")
    let at = { (milliseconds: Int64) in Instant.zero + .milliseconds(milliseconds) }
    session.events = [
      Event(.zero, .truth(90)), Event(at(4_000), .truth(90)), Event(at(4_000), .truth(110)),
      Event(.zero, .shaft(90)), Event(at(4_100), .shaft(90)), Event(at(4_200), .shaft(114)),
      Event(at(4_300), .shaft(114)), Event(at(4_400), .shaft(109.5)),
    ]
    session.end = 12_000
    let failures = try session.failures(rule)
    if let expected {
      #expect(failures.count == 1 && failures.first?.contains(expected) == true, "\(failures)")
    } else {
      #expect(failures.isEmpty)
    }
  }

  @Test(
    arguments: [
      (#"{"overshoot": "below 4°"}"#, ["1.500000", ">      4 s", "6.000000"]),
      (#"{"track": "3°", "for": "100%"}"#, ["1.500000", ">      4 s", "6.000000"]),
      // From there on the face has stood for 1.5 s, long enough.
      (#"{"oscillates": "below 0.1°"}"#, ["1.500000", ">      5.5 s", "6.000000"]),
    ])
  func `The mark is at the moment at which the shaft broke the rule`(
    _ rule: String, _ expected: [String]
  ) throws {
    var session = RuledSession(script: "1500 X90.|6000 X91.")
    session.events = [
      Event(.zero, .truth(90)), Event(Self.at(4_000), .truth(90)),
      Event(Self.at(4_000), .truth(110)), Event(.zero, .shaft(90)),
      Event(Self.at(4_100), .shaft(90)), Event(Self.at(4_200), .shaft(114)),
      Event(Self.at(5_600), .shaft(114)), Event(Self.at(5_700), .shaft(109.5)),
    ]
    session.end = 12_000
    let value = try JSONValue.contents(of: Array(rule.utf8), path: "rules")
    let rules = try RuleParser(path: "").rules(Notation(value))
    let failure = try #require(RuleReport(rules, session.record()).failures.first)
    let rows = failure.lines.filter { line in
      ["[1.5", "[6.000000", ">"].contains { line.contains($0) }
    }
    let places = expected.compactMap { text in rows.firstIndex { $0.contains(text) } }
    #expect(places.count == 3 && places == places.sorted(), "\(rows)")
    #expect(rows.count { $0.contains(">") } == 1)
  }

  @Test(arguments: [
    #"{"track": "3°", "for": "90%"}"#, #"{"overshoot": "below 4°"}"#,
    #"{"settles": 3, "within": "1s"}"#, #"{"oscillates": "below 1°"}"#,
    #"{"reversals": "below 20/min"}"#,
  ])
  func `In a session without a face, such a rule is not tested`(_ rule: String) throws {
    let failures = try RuledSession(script: "1500 X45.").failures(rule)
    #expect(failures.first?.contains("does not say where a face is") == true, "\(failures)")
  }

  @Test(arguments: [
    (#"{"track": 3, "for": "0%"}"#, "a part of the time"), (#"{"track": 0}"#, "degrees"),
    (#"{"settles": 3}"#, "requires \"within\""), (#"{"overshoot": "4°"}"#, "below a number"),
    (#"{"reversals": "below 20"}"#, nil), (#"{"oscillates": "below -1°"}"#, "degrees"),
    (#"{"servo": 90, "for": "90%"}"#, "no \"for\""),
  ])
  func `A rule that makes no sense is refused`(_ text: String, _ expected: String?) throws {
    let value = try JSONValue.contents(of: Array(text.utf8), path: "rules")
    do {
      _ = try RuleParser(path: "").rules(Notation(value))
      #expect(expected == nil)
    } catch {
      let message = error.message
      #expect(expected.map { message.contains($0) } == true, "\(message)")
    }
  }

  // MARK: A turret that pans and tilts

  private static let tiltPin = BoardPin(arduino: 10)!

  /// The figures of a face that stands at 90 and 80 degrees, while the shafts are these.
  private static func both(
    truth: [(Int64, Double?)] = [(0, 80)], pan: [(Int64, Double)], tilt: [(Int64, Double)],
    until end: Int64 = 10_000, view: CameraView? = nil
  ) throws -> TrackingFigures {
    var record = TrackingRecord(view: view)
    var events = truth.flatMap { time, degrees in
      [
        Event(at(time), .truth(degrees == nil ? nil : 90)),
        Event(at(time), .truth(degrees, on: tiltPin)),
      ]
    }
    events += pan.map { Event(at($0.0), .shaft($0.1)) }
    events += tilt.map { Event(at($0.0), .shaft($0.1, on: tiltPin)) }
    // A stable order of time.
    let order = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
    for index in order { record.take(events[index]) }
    return try #require(record.figures(at: at(end), commands: 20))
  }

  @Test func `A turret that tilts is on target when both of its shafts are`() throws {
    // One is beside the face from 4 to 6 s, the other from 5 to 7 s, by more.
    let figures = try Self.both(
      pan: [(0, 90), (4_000, 90), (4_000, 94), (6_000, 94), (6_000, 90), (9_999, 90)],
      tilt: [(0, 80), (5_000, 80), (5_000, 72), (7_000, 72), (7_000, 80), (9_999, 80)])
    try #require(figures.axes.count == 2)
    #expect(figures.axes.map { $0.thousandths(within: 3) } == [750, 750])
    #expect(figures.thousandths(within: 3) == 625)
    #expect(figures.worst == .init(time: Self.at(5_000), degrees: 8))
    #expect(figures.axes.map { $0.worst?.degrees } == [4, 8])
    #expect(abs(figures.meanError! - (4 + 16) / 8) < 0.01)
    #expect(figures.travelPerMinute == 96 && figures.axes[0].travelPerMinute == 48)
  }

  @Test func `In a long session a shaft that stands does not hold back the figures`() throws {
    let pan = (0..<100_000).map { (Int64($0) * 10, $0.isMultiple(of: 2) ? 90.0 : 95.0) }
    let figures = try Self.both(
      truth: (0...1_000).map { (Int64($0) * 1_000, 80) }, pan: pan, tilt: [(0, 79)],
      until: 1_000_000)
    #expect(figures.errors.count == (1_000_000 - 2_000) / 5 + 1)
    #expect(figures.axes.map { $0.errors.count } == [figures.errors.count, figures.errors.count])
    // At 10 ms the pan shaft is at the face or 5 degrees beside it; halfway, 2.5.
    #expect(abs(figures.meanError! - (1 + 5 + 2 * 2.5) / 4) < 0.01)
  }

  @Test func `A second shaft without a face is no axis`() throws {
    var record = TrackingRecord()
    record.take(Event(.zero, .truth(90)))
    record.take(Event(.zero, .shaft(90)))
    record.take(Event(.zero, .shaft(40, on: Self.tiltPin)))
    let figures = try #require(record.figures(at: Self.at(10_000), commands: 0))
    #expect(figures.axes.isEmpty && figures.share(within: 0.1) == 1)
  }

  @Test(arguments: [
    (#"{"track": "3°", "for": "90%"}"#, "both shafts were within 3 degrees of the face for "),
    (
      #"{"overshoot": "below 5°"}"#, "from tilt 90 to 80 at 4 s, the tilt shaft went 6 degrees"
    ),
    (#"{"settles": 1, "within": "200ms"}"#, "the tilt shaft came to rest near it after"),
    (#"{"oscillates": "below 1°"}"#, "the face stood at tilt 80 degrees, and from "),
    (#"{"reversals": "below 5/min"}"#, "the tilt shaft turned back"),
    (#"{"overshoot": "below 7°"}"#, nil), (#"{"track": "8°", "for": "90%"}"#, nil),
  ])
  func `A rule about a turret that tilts is about both shafts, and names the one that breaks it`(
    _ rule: String, _ expected: String?
  ) throws {
    var session = RuledSession(script: "1500 X90.")
    session.view = CameraView(-30...30, tilt: -5...5)
    session.events = [Event(.zero, .truth(90)), Event(.zero, .shaft(90))]
    let truth: [(Int64, Double)] = [(0, 90), (4_000, 90), (4_000, 80)]
    let shaft: [(Int64, Double)] = [
      (0, 90), (4_100, 90), (4_200, 74), (6_000, 74), (6_100, 79), (7_000, 79), (7_100, 81),
    ]
    session.events += truth.map { Event(Self.at($0.0), .truth($0.1, on: Self.tiltPin)) }
    session.events += shaft.map { Event(Self.at($0.0), .shaft($0.1, on: Self.tiltPin)) }
    session.end = 12_000
    let failures = try session.failures(rule)
    if let expected {
      #expect(failures.count == 1 && failures.first?.contains(expected) == true, "\(failures)")
    } else {
      #expect(failures.isEmpty, "\(failures)")
    }
  }
}
