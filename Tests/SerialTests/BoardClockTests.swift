import Sketches
import TestSupport
import Testing

@testable import Serial

@Suite struct BoardClockTests {
  static let lineTime = Interval.microseconds(11_459)

  /// Lines of a board whose clock starts `offset` into the session and is slow by `drift`. Each is
  /// up to `jitter` late, and one in eight is nearly on time.
  struct Case: Sendable, CustomStringConvertible {
    var drift: Double
    var jitter: Interval
    var interval: Interval
    var worst: Interval
    var first: UInt32 = 200
    var description: String { "\(drift) \(jitter) \(interval) \(first)" }
  }

  static let cases = [0, 50e-6, -50e-6, 5_000e-6, -5_000e-6].flatMap { drift in
    [
      Case(drift: drift, jitter: .zero, interval: .milliseconds(15), worst: .milliseconds(11)),
      Case(
        drift: drift, jitter: .milliseconds(2), interval: .milliseconds(15),
        worst: .milliseconds(12)),
      Case(
        drift: drift, jitter: .milliseconds(4), interval: .milliseconds(400),
        worst: .milliseconds(15)),
      // The clock wraps after 3 s.
      Case(
        drift: drift, jitter: .milliseconds(2), interval: .milliseconds(15),
        worst: .milliseconds(12), first: .max - 3_000_000),
    ]
  }

  @Test(arguments: cases)
  func `An event is mapped close to its time, never after its line or before the last event`(
    _ given: Case
  ) {
    var random = SeededGenerator(seed: 11)
    var clock = BoardClock(lineTime: Self.lineTime)
    let offset = Interval.milliseconds(730)
    var last = Instant.zero
    var arrivalBefore = Instant.zero
    for index in 0..<800 {
      let board = Int64(index) * given.interval.nanoseconds
      let passed = Double(board) * (1 + given.drift)
      let truth = Instant.zero + offset + .nanoseconds(Int64(passed))
      let late = Int64.random(in: 0...max(given.jitter.nanoseconds, 1), using: &random)
      let arrival = max(
        arrivalBefore, truth + Self.lineTime + .nanoseconds(index % 8 == 0 ? late / 50 : late))
      arrivalBefore = arrival
      let micros = given.first &+ UInt32(truncatingIfNeeded: board / 1_000)
      let mapped = clock.map(micros, arrival: arrival)
      #expect(mapped <= arrival - Self.lineTime)
      #expect(mapped >= last)
      #expect((mapped - truth).magnitude <= given.worst, "line \(index): \(mapped - truth)")
      last = mapped
    }
  }

  @Test func `The drift is known and the jitter removed after five seconds of a sweep`() {
    var random = SeededGenerator(seed: 5)
    var clock = BoardClock(lineTime: Self.lineTime)
    for index in 0..<2_000 {
      let board = Int64(index) * 15_000
      let truth = Instant.zero + .nanoseconds(Int64(Double(board) * 1_003))
      let late = Interval.microseconds(Int64.random(in: 0...3_000, using: &random))
      let mapped = clock.map(UInt32(board), arrival: truth + Self.lineTime + late)
      if index > 333 { #expect((mapped - truth).magnitude < .microseconds(1_500)) }
    }
  }

  @Test func `A single line is mapped to its arrival minus its time on the wire`() {
    var clock = BoardClock(lineTime: Self.lineTime)
    let arrival = Instant.zero + .seconds(3)
    #expect(clock.map(17, arrival: arrival) == arrival - Self.lineTime)
  }

  @Test func `Hours without a line are counted in whole wraps of the board's clock`() {
    var clock = BoardClock(lineTime: Self.lineTime)
    let begin = Instant.zero + .seconds(1)
    _ = clock.map(0, arrival: begin + Self.lineTime)
    // Three wraps of 2^32 us and a second.
    let later = begin + .microseconds(3 << 32) + .seconds(1)
    let mapped = clock.map(1_000_000, arrival: later + Self.lineTime)
    #expect((mapped - later).magnitude < .microseconds(1))
  }

  @Test func `A restarted board is followed from its new start`() {
    var clock = BoardClock(lineTime: Self.lineTime)
    var arrival = Instant.zero + .seconds(20)
    for index in 0..<50 {
      arrival += .milliseconds(15)
      _ = clock.map(UInt32(20_000_000 + index * 15_000), arrival: arrival)
    }
    arrival += .seconds(2)
    #expect(clock.map(900_000, arrival: arrival) == arrival - Self.lineTime)
  }
}
