import Sketches
import TestSupport
import Testing
import Traces

@testable import Devices
@testable import Judging

/// A sweep of the device whose steps take longer or shorter than the trace's.
struct SweepDriftTests {
  private static let step: Int64 = 15_060_330

  /// A sweep between 20 and 160 degrees from an instant in nanoseconds on. `later` is how much
  /// longer, in nanoseconds, the n-th step takes.
  private static func sweep(
    from start: Int64 = 1_500_000_000, steps: Int, later: (Int) -> Int64 = { _ in 0 }
  ) -> [Event] {
    var time = start
    return (0...steps).map { index in
      let place = (index + 70) % 280
      if index > 0 { time += step + later(index) }
      // Each end is written twice, which is one event.
      if index > 0, place == 1 || place == 141 { time += step }
      let degrees = place <= 140 ? 20 + place : 300 - place
      return Event(
        .zero + .nanoseconds(time),
        .servo(degrees: UInt8(degrees), microseconds: UInt16(544 + degrees * 10)))
    }
  }

  private static func drift(_ expected: [Event], _ found: [Event]) -> SweepDrift? {
    judge(
      Comparison(kinds: [.servo], tolerance: .microseconds(200)), expected: expected, found: found,
      end: .zero + .seconds(60)
    ).drift
  }

  /// Microseconds that each step takes longer, how many steps there are, and whether that is
  /// reported.
  static let drifts: [(Int64, Int, Bool)] = [
    (7, 200, true), (-7, 200, true), (2, 400, true), (60, 30, true), (-300, 30, true),
    (5_000, 100, true),
    // The sweep agrees.
    (0, 400, false), (1, 150, false),
    // The divergence is close to the end.
    (7, 32, false),
  ]

  @Test(arguments: drifts)
  func `A constant difference of each step is measured after the divergence`(
    _ microseconds: Int64, _ steps: Int, _ isReported: Bool
  ) throws {
    let expected = Self.sweep(steps: steps)
    let found = Self.sweep(steps: steps) { _ in microseconds * 1_000 }
    let drift = Self.drift(expected, found)
    #expect((drift != nil) == isReported)
    guard let drift else { return }
    #expect(drift.perStep == .microseconds(microseconds))
    #expect(drift.count >= 8 && drift.count <= steps)
    #expect(drift.expectedStep == .nanoseconds(Self.step))
  }

  @Test(arguments: UInt64(1)...8)
  func `Steps that vary as on the chip are measured to a microsecond`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // The chip's clock counts every 4 us: later steps compensate for the variation of a step.
    var jitter: [Int64] = [0]
    for _ in 0..<400 { jitter.append(Int64.random(in: -7_000...7_000, using: &generator)) }
    let found = Self.sweep(steps: 400) { 9_000 + jitter[$0] - jitter[$0 - 1] }
    let drift = try #require(Self.drift(Self.sweep(steps: 400), found), "seed \(seed)")
    #expect((drift.perStep - .microseconds(9)).magnitude < .microseconds(1), "seed \(seed)")
  }

  @Test func `What is not a constant difference is not reported`() {
    let expected = Self.sweep(steps: 200)
    // A single late step, a step that takes ever longer, and a sweep of other angles.
    #expect(Self.drift(expected, Self.sweep(steps: 200) { $0 == 50 ? 900_000 : 0 }) == nil)
    #expect(Self.drift(expected, Self.sweep(steps: 200) { Int64($0) * 1_000 }) == nil)
    #expect(Self.drift(expected, Array(expected.dropFirst(30))) == nil)
    // Aims, each later than the one before.
    let aims = (0..<100).map { servo(Int64($0) * 15_060, UInt16(544 + $0 * 10)) }
    let late = (0..<100).map { servo(Int64($0) * 15_080, UInt16(544 + $0 * 10)) }
    #expect(Self.drift(aims, late) == nil)
  }

  @Test func `Steps around an event without a partner are left out`() throws {
    let expected = Self.sweep(steps: 300)
    var found = Self.sweep(steps: 300) { _ in 20_000 }
    found.remove(at: 150)
    let drift = try #require(Self.drift(expected, found))
    #expect(drift.perStep == .microseconds(20))
  }

  /// The means of both sides and the model's step, in microseconds, and which side is the model's.
  static let sides: [(Int64, Int64, Int64?, SweepDrift.Side)] = [
    (15_060, 15_067, 15_060, .trace), (15_067, 15_060, 15_060, .device),
    (15_061, 15_067, 15_060, .trace), (15_060, 15_061, 15_061, .device),
    (15_070, 15_080, 15_060, .neither), (15_060, 15_067, nil, .neither),
  ]

  @Test(arguments: sides)
  func `The side that sweeps like the model is found`(
    _ expected: Int64, _ found: Int64, _ model: Int64?, _ side: SweepDrift.Side
  ) {
    let drift = SweepDrift(
      count: 100, expectedStep: .microseconds(expected), foundStep: .microseconds(found),
      modelStep: model.map { .microseconds($0) })
    #expect(drift.modelSide == side)
  }

  @Test func `A trace of another build is reported with the model's step`() throws {
    var timing = Firmware.classic.sketch.timing
    timing.step = timing.step + .microseconds(7)
    let header = Header(firmware: .classic, duration: nil, title: nil)
    var model = Model(.classic, timing: timing, for: header, showsPulses: false)
    model.send([UInt8(ascii: "L")], at: .zero + .milliseconds(1_500))
    var recorder = Recorder()
    model.advance(to: .zero + .seconds(9), into: &recorder)
    var text = Array(#"{"format": "sentry-trace", "version": 1, "firmware": "classic"}"#.utf8)
    text.append(UInt8(ascii: "\n"))
    let sent = Event(.zero + .milliseconds(1_500), .receive([UInt8(ascii: "L")]))
    let events = recorder.outputs.filter { $0.output.kind == .servo }
      .map { Event($0.time, $0.output) }
    for event in (events + [sent]).sorted(by: { $0.time < $1.time }) { text.appendLine(event) }
    var reader = try TraceReader(text: text, path: "a")
    let verdict = try Verification().verify(&reader)
    let drift = try #require(verdict.drift)
    #expect(!verdict.agrees)
    #expect(drift.modelSide == .device)
    #expect((drift.perStep + .microseconds(7)).magnitude < .nanoseconds(100))
  }
}
