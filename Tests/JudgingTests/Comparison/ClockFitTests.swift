import Judging
import Sketches
import Testing
import Traces

@Suite("Fitting a computer's clock to the board's")
struct ClockFitTests {
  /// Pairs a second apart, stamped late by an offset and a drift.
  static func pairs(_ count: Int, offset: Double, drift: Double) -> [(
    device: Instant, host: Instant
  )] {
    (0..<count).map { second in
      let device = Instant.zero + .seconds(Int64(second))
      let late = Int64(((offset + drift * Double(second)) * 1e9).rounded())
      return (device, device + .nanoseconds(late))
    }
  }

  @Test(arguments: [
    (0, 0), (0.012, 0), (0, 80e-6), (-0.03, -200e-6), (0.05, 0.005), (-0.05, -0.005),
  ])
  func `The fit finds offset and drift`(_ offset: Double, _ drift: Double) throws {
    let fit = try #require(ClockFit(Self.pairs(20, offset: offset, drift: drift)))
    #expect(abs(fit.offset - offset) < 1e-6)
    #expect(abs(fit.drift - drift) < 1e-7)
    let instant = Instant.zero + .seconds(10)
    let late = Double((fit.host(instant) - instant).nanoseconds) / 1e9
    #expect(abs(late - offset - 10 * drift) < 2e-6)
  }

  @Test(arguments: [(0, false), (2, false), (3, true)])
  func `Fewer than three pairs are not fitted`(_ count: Int, _ isFitted: Bool) {
    #expect((ClockFit(Self.pairs(count, offset: 0.01, drift: 0)) != nil) == isFitted)
  }

  @Test
  func `Jitter far from the start does not tilt the fitted line`() throws {
    let pairs = [2.0, 11, 3, 9].enumerated().map { (index, late) in
      let device = Instant.zero + .seconds(1_000) + .milliseconds(Int64(index) * 300)
      return (device: device, host: device + .microseconds(Int64(late * 1_000)))
    }
    let fit = try #require(ClockFit(pairs))
    for pair in pairs { #expect((fit.host(pair.device) - pair.host).magnitude < .milliseconds(6)) }
  }

  @Test
  func `The fit corrects at most 50 ms and 5 000 ppm`() throws {
    #expect(try #require(ClockFit(Self.pairs(9, offset: 0.2, drift: 0))).offset == 0.05)
    #expect(try #require(ClockFit(Self.pairs(9, offset: -0.2, drift: 0))).offset == -0.05)
    #expect(try #require(ClockFit(Self.pairs(9, offset: 0, drift: 0.02))).drift == 0.005)
    #expect(try #require(ClockFit(Self.pairs(9, offset: 0, drift: -0.02))).drift == -0.005)
  }

  @Test
  func `Pairs at one instant have an offset and no drift`() throws {
    let pair = (device: Instant.zero, host: Instant.zero + .milliseconds(10))
    let fit = try #require(ClockFit([pair, pair, pair]))
    #expect(fit.drift == 0)
    #expect(abs(fit.offset - 0.01) < 1e-9)
  }

  static let end = Instant.zero + .seconds(30)

  static func stamped(_ event: Event, offset: Double, drift: Double) -> Event {
    let late = ((offset + drift * event.time.seconds) * 1e9).rounded()
    return Event(event.time + .nanoseconds(Int64(late)), event.kind)
  }

  static func compare(_ count: Int, offset: Double, drift: Double, jitter: Int64 = 0)
    -> Comparison
  {
    let device = (1...count).map { servo(Int64($0) * 500_000, UInt16($0)) }
    let host = device.enumerated().map { index, event in
      var event = stamped(event, offset: offset, drift: drift)
      event.time += .microseconds(index % 2 == 0 ? jitter : -jitter)
      return event
    }
    return judge(
      Comparison(kinds: nil, tolerance: .milliseconds(2), times: .computer()), expected: host,
      found: device, end: end)
  }

  @Test
  func `A host's time stamps agree after the fit, even with jitter within the tolerance`() throws {
    let result = Self.compare(40, offset: 0.03, drift: 300e-6, jitter: 1_500)
    #expect(result.divergence == nil)
    #expect(result.tally == Tally(matched: 40))
    let fit = try #require(result.fit)
    #expect(abs(fit.offset - 0.03) < 5e-4)
    #expect(abs(fit.drift - 300e-6) < 5e-5)
  }

  @Test(arguments: [(40, 0.2, 0, 0), (40, 0, 0.02, 0), (40, 0, 0, 2_600), (2, 0.01, 0, 0)])
  func `Deviations that no clock explains diverge`(
    _ count: Int, _ offset: Double, _ drift: Double, _ jitter: Int64
  ) {
    #expect(Self.compare(count, offset: offset, drift: drift, jitter: jitter).divergence != nil)
  }

  @Test
  func `One fit serves all kinds together`() {
    let device = [
      servo(1_000_000, 1), Event(.zero + .seconds(2), .transmit(65)),
      Event(.zero + .seconds(3), .tone(hertz: 900)),
    ]
    let host = device.map { Self.stamped($0, offset: 0.02, drift: 0) }
    let result = judge(
      Comparison(kinds: nil, tolerance: .milliseconds(1), times: .computer()), expected: host,
      found: device, end: Self.end)
    #expect(result.divergence == nil)
    #expect(result.tally == Tally(matched: 3))
  }
}
