import Judging
import Sketches
import Testing
import Traces

/// A servo event, with its time in microseconds after the start and its pulse as the value.
func servo(_ time: Int64, _ pulse: UInt16 = 1_000) -> Event {
  Event(.zero + .microseconds(time), .servo(degrees: 45, microseconds: pulse))
}

/// Gives both sides to a comparison in order of time, as a verification does.
func judge(
  _ comparison: Comparison, expected: [Event], found: [Event], end: Instant
) -> Comparison {
  var judge = comparison
  var rest = found[...]
  for (index, event) in expected.enumerated() {
    while let next = rest.first, next.time <= event.time {
      judge.find(next)
      rest.removeFirst()
    }
    judge.expect(event, line: index + 2)
    judge.settle(before: event.time, line: index + 2)
  }
  for event in rest { judge.find(event) }
  judge.finish(at: end, line: expected.count + 1)
  return judge
}

struct Case: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var expected: [Event]
  var found: [Event]
  var tally: Tally
  var difference: Divergence.Difference?
  var line = 0

  init(
    _ name: String, _ expected: [Event], _ found: [Event], _ tally: Tally,
    _ difference: Divergence.Difference? = nil, line: Int = 0
  ) {
    (testDescription, self.expected, self.found) = (name, expected, found)
    (self.tally, self.difference, self.line) = (tally, difference, line)
  }
}

/// What a board sends from a time in microseconds on, at 9600 baud.
func sent(_ time: Int64, _ text: String) -> [Event] {
  text.utf8.enumerated().map { index, byte in
    Event(.zero + .microseconds(time + Int64(index) * 1_042), .output(.transmit(byte)))
  }
}

@Suite("Comparing two sequences")
struct ComparisonTests {
  @Test func `What the board sends is one line around a divergence`() throws {
    let others = [servo(500, 1), servo(40_000, 2), servo(60_000, 3)]
    func events(_ answer: String) -> [Event] {
      (sent(100, "ok 90\r\n") + sent(45_000, answer) + others).sorted { $0.time < $1.time }
    }
    let comparison = judge(
      Comparison(kinds: nil, tolerance: .milliseconds(1)), expected: events("ok 110\r\n"),
      found: events("ok 1x0\r\n"), end: Self.end)
    let divergence = try #require(comparison.divergence)
    #expect(
      divergence.message.contains(
        #"expected the byte "1" sent at 0.049168 s, found the byte "x" sent"#))
    #expect(
      DivergenceTable(divergence).text == """
                  expected                         found
               2  [0.000100, "tx", "ok 90\\r\\n"]    [0.000100, "tx", "ok 90\\r\\n"]
               3  [0.000500, "servo", 45, 1]       [0.000500, "servo", 45, 1]
              10  [0.040000, "servo", 45, 2]       [0.040000, "servo", 45, 2]
            > 11  [0.045000, "tx", "ok 110\\r\\n"]   [0.045000, "tx", "ok 1x0\\r\\n"]
              19  [0.060000, "servo", 45, 3]       [0.060000, "servo", 45, 3]

        """)
  }

  @Test func `What follows a divergence in a long answer is still shown`() throws {
    let long = String(repeating: "0123456789", count: 6) + "\n"
    let after = (0..<6).map { servo(200_000 + Int64($0) * 1_000, UInt16($0)) }
    let comparison = judge(
      Comparison(kinds: nil, tolerance: .milliseconds(1)), expected: sent(100, "a" + long) + after,
      found: sent(100, "b" + long) + after, end: Self.end)
    let lines = DivergenceTable(try #require(comparison.divergence)).lines
    #expect(lines.count == 5)
    #expect(lines.first?.isMarked == true)
    // A long line is cut.
    #expect(lines.first?.expected.hasPrefix(#"[0.000100, "tx", "a\#(long.dropLast())"#) == true)
    #expect(lines.last?.number == 67)
  }

  static let end = Instant.zero + .seconds(1)
  static let three = [servo(100, 1), servo(5_000, 2), servo(9_000, 3)]

  static let cases: [Case] = [
    Case("equal", three, three, Tally(matched: 3)),
    Case(
      "late by the tolerance", [servo(1_000)], [servo(1_200)], Tally(matched: 1)),
    Case(
      "early by the tolerance", [servo(1_000)], [servo(800)], Tally(matched: 1)),
    Case(
      "late by more", [servo(1_000)], [Event(.zero + .nanoseconds(1_200_001), servo(0).output!)],
      Tally(moved: 1), .time, line: 2),
    Case("early by more", [servo(1_000)], [servo(799)], Tally(moved: 1), .time, line: 2),
    Case(
      "another value", three, [servo(100, 1), servo(5_000, 7), servo(9_000, 3)],
      Tally(matched: 2, missing: 1, extra: 1), .value, line: 3),
    Case(
      "one missing", three, [servo(100, 1), servo(9_000, 3)], Tally(matched: 2, missing: 1),
      .missing, line: 3),
    Case(
      "one extra", three, [servo(100, 1), servo(3_000, 9), servo(5_000, 2), servo(9_000, 3)],
      Tally(matched: 3, extra: 1), .extra, line: 3),
    Case("all missing", three, [], Tally(missing: 3), .missing, line: 2),
    Case(
      "one missing at the end", three, [three[0], three[1]], Tally(matched: 2, missing: 1),
      .missing, line: 4),
    Case(
      "one extra at the end", [three[0]], [three[0], three[1]], Tally(matched: 1, extra: 1), .extra,
      line: 2),
    Case(
      "missing, one tolerance before the end: excused", [three[0], servo(999_800)], [three[0]],
      Tally(matched: 1)),
    Case(
      "missing, a little more before the end", [three[0], servo(999_799)], [three[0]],
      Tally(matched: 1, missing: 1), .missing, line: 3),
    Case(
      "extra, one tolerance after the end: excused", [three[0]], [three[0], servo(1_000_200)],
      Tally(matched: 1)),
  ]

  @Test(arguments: cases)
  func `Matches are counted, and the first divergence is reported`(_ item: Case) {
    let result = judge(
      Comparison(kinds: [.servo], tolerance: .microseconds(200)),
      expected: item.expected, found: item.found, end: Self.end)
    #expect(result.tally == item.tally)
    #expect(result.divergence?.difference == item.difference)
    #expect((result.divergence?.line ?? 0) == item.line)
  }

  private static func write(_ milliseconds: Int64, _ degrees: UInt8, on pin: String?) -> Event {
    Event(
      .zero + .milliseconds(milliseconds),
      .servo(degrees: degrees, microseconds: 1_000, on: pin.flatMap(BoardPin.init(name:))))
  }

  /// The times of both servos are swapped within the tolerance, and their events alternate.
  @Test(arguments: [nil, [.servo]] as [Set<Output.Kind>?])
  func `Each servo is a sequence of its own`(kinds: Set<Output.Kind>?) {
    let expected = [
      Self.write(1, 10, on: nil), Self.write(1, 20, on: "D10"), Self.write(50, 30, on: "D10"),
      Self.write(60, 40, on: nil),
    ]
    let found = [expected[1], expected[0], expected[2], expected[3]]
    func result(_ found: [Event]) -> Comparison {
      judge(
        Comparison(kinds: kinds, tolerance: .microseconds(200)), expected: expected, found: found,
        end: Self.end)
    }
    #expect(result(found).divergence == nil)
    #expect(result(found).tally == Tally(matched: 4))
    let wrong = result([expected[0], expected[1], Self.write(50, 31, on: "D10"), expected[3]])
    #expect(wrong.divergence?.difference == .value)
    #expect(wrong.divergence?.line == 4)
    #expect(wrong.tally == Tally(matched: 3, missing: 1, extra: 1))
  }

  @Test func `A servo that the trace does not name is compared only if every pin is`() {
    let expected = [Self.write(1, 10, on: nil)]
    let found = expected + [Self.write(2, 20, on: "D10")]
    for (comparesAllPins, difference) in [(false, nil), (true, .extra)]
      as [(
        Bool, Divergence.Difference?
      )]
    {
      let result = judge(
        Comparison(
          kinds: [.servo], tolerance: .microseconds(200), comparesAllPins: comparesAllPins),
        expected: expected, found: found, end: Self.end)
      #expect(result.divergence?.difference == difference)
    }
  }

  @Test
  func `The largest deviation among the matches is kept`() {
    let result = judge(
      Comparison(kinds: nil, tolerance: .microseconds(200)), expected: Self.three,
      found: [servo(110, 1), servo(4_850, 2), servo(9_020, 3)], end: Self.end)
    #expect(result.worst == .microseconds(150))
  }

  static let tone = Event(.zero + .microseconds(2_000), .tone(hertz: 900))

  static let kinds: [(Set<Output.Kind>?, [Event], [Event], Bool)] = [
    // By default exactly the kinds that the trace has are compared.
    (nil, three, three + [tone], true),
    (nil, three, three + [servo(500_000)], false),
    (nil, [tone], three, false),
    ([.servo], three + [tone], three, true),
    ([.servo, .tone], three + [tone], three, false),
    // An expected kind without events asserts that there are none.
    ([.tone], three, three + [tone], false),
    ([.tone], three, [], true),
    ([.servo], [], [], true),
    ([.servo], [], three, false),
  ]

  @Test(arguments: kinds)
  func `Only the expected kinds are compared`(
    _ kinds: Set<Output.Kind>?, _ expected: [Event], _ found: [Event], _ agrees: Bool
  ) {
    let result = judge(
      Comparison(kinds: kinds, tolerance: .microseconds(200)),
      expected: expected.sorted { $0.time < $1.time }, found: found.sorted { $0.time < $1.time },
      end: Self.end)
    #expect((result.divergence == nil) == agrees)
  }

  @Test
  func `A divergence shows what was expected, what was found and the events around it`() throws {
    let result = judge(
      Comparison(kinds: [.servo], tolerance: .microseconds(200)), expected: Self.three,
      found: [servo(100, 1), servo(5_300, 2), servo(9_000, 3)], end: Self.end)
    let divergence = try #require(result.divergence)
    #expect(
      divergence.message
        == "servo 45 (2 us) came 300 us late: expected at 0.005000 s, found at 0.005300 s "
        + "(tolerance 200 us)")
    #expect(divergence.traced.map(\.line) == [2, 3, 4])
    #expect(divergence.done.map(\.event).contains(servo(5_300, 2)))
    #expect(result.tally == Tally(matched: 2, moved: 1))
  }

  @Test
  func `The earlier of two divergences is reported, whichever is noticed first`() {
    let late = [Event(.zero + .microseconds(50), .tone(hertz: 900)), servo(100, 1)]
    let result = judge(
      Comparison(kinds: [.servo, .tone], tolerance: .microseconds(200)), expected: late,
      found: [servo(100, 2)], end: Self.end)
    #expect(result.divergence?.difference == .missing)
    #expect(result.divergence?.expected?.event.output == .tone(hertz: 900))
  }
}
