import Aim
import Testing

@Suite struct StripTests {
  static let picture = Size(400, 400)

  /// A strip 0.2 high and 0.05 wide, whose top is shifted by `lean`.
  static func strip(_ x: Double, lean: Double, low: Double = 0.4) -> Observation {
    let left = min(x, x + lean)
    return Observation(
      .rectangle, box: Box(left, low, 0.05 + abs(lean), 0.2),
      corners: [
        Point(x + lean, low + 0.2), Point(x + lean + 0.05, low + 0.2), Point(x + 0.05, low),
        Point(x, low),
      ])
  }

  static func pairs(_ strips: [Observation], _ pairing: StripPairing = StripPairing()) -> [[Int]] {
    pairing.pairs(in: strips, picture: picture).map { pair in
      [pair.left, pair.right].compactMap(strips.firstIndex)
    }
  }

  @Test(
    arguments: [
      (0.05, -0.05, true),  // towards each other
      (-0.05, 0.05, false),  // away
      (0, 0, false), (0.05, 0.05, false), (-0.05, -0.05, false),  // parallel
      (0.05, 0, true), (0, -0.05, true),  // only one leans
      (0, 0.05, false), (0.1, 0.05, true), (0.05, 0.1, false),
    ])
  func `Two strips form a pair if they lean towards each other`(
    left: Double, right: Double, isPair: Bool
  ) {
    let strips = [Self.strip(0.3, lean: left), Self.strip(0.6, lean: right)]
    #expect(Self.pairs(strips) == (isPair ? [[0, 1]] : []))
    #expect(Self.pairs(strips.reversed()) == (isPair ? [[1, 0]] : []))
  }

  /// From 0.325 and 0.625 with a lean of 0.05 per 0.2 of height, they meet 3 times 0.2 up, at 0.4 +
  /// 0.6.
  @Test func `A pair has a meeting point and a box`() throws {
    let strips = [Self.strip(0.3, lean: 0.05), Self.strip(0.6, lean: -0.05)]
    let pair = try #require(StripPairing().pairs(in: strips, picture: Self.picture).first)
    expect(pair.meeting, near: Point(0.475, 1))
    expect(pair.box, near: Box(0.3, 0.4, 0.35, 0.2))
    #expect(pair.observation.box == pair.box)
  }

  /// In a row of strips like / / \ \ the inner ones are a pair; in / \ / \ each two are one.
  @Test func `Only the next strip to the right can be a partner`() {
    let slash = 0.05
    let row = { (leans: [Double]) in
      leans.enumerated().map { Self.strip(0.1 + 0.2 * Double($0.offset), lean: $0.element) }
    }
    #expect(Self.pairs(row([slash, slash, -slash, -slash])) == [[1, 2]])
    #expect(Self.pairs(row([slash, -slash, slash, -slash])) == [[0, 1], [2, 3]])
    #expect(Self.pairs(row([-slash, slash, -slash, slash])) == [[1, 2]])
  }

  @Test func `Lying strips are compared along their long edges`() {
    // One 0.3 wide, 0.05 high and rising to the right, and one falling: they cross far above both.
    let rising = Observation(
      .rectangle, box: Box(0.1, 0.1, 0.3, 0.25),
      corners: [Point(0.1, 0.15), Point(0.4, 0.35), Point(0.4, 0.3), Point(0.1, 0.1)])
    let falling = Observation(
      .rectangle, box: Box(0.6, 0.1, 0.3, 0.25),
      corners: [Point(0.6, 0.35), Point(0.9, 0.15), Point(0.9, 0.1), Point(0.6, 0.3)])
    #expect(Self.pairs([rising, falling]) == [[0, 1]])
    #expect(Self.pairs([falling, rising].map { $0 }) == [[1, 0]])
  }

  @Test func `A strip without corners is upright, and parallel to others like it`() {
    let boxes = [0.2, 0.6].map { Observation(.rectangle, box: Box($0, 0.2, 0.1, 0.4)) }
    #expect(Self.pairs(boxes) == [])
    #expect(Self.pairs([boxes[0], Self.strip(0.6, lean: -0.05)]) == [[0, 1]])
    var odd = boxes[0]
    odd.corners = [Point(0, 0)]
    #expect(Self.pairs([odd, Self.strip(0.6, lean: -0.05)]) == [])
  }

  @Test func `Shape, height, gap and number limit the pairs`() {
    let strips = [Self.strip(0.3, lean: 0.05), Self.strip(0.6, lean: -0.05)]
    // Boxes of 0.1 x 0.2, with a gap from 0.4 to 0.55.
    #expect(Self.pairs(strips, StripPairing(ratio: 0.49...0.51)) == [[0, 1]])
    #expect(Self.pairs(strips, StripPairing(ratio: 0.51...1)) == [])
    #expect(Self.pairs(strips, StripPairing(leastHeight: 0.19)) == [[0, 1]])
    #expect(Self.pairs(strips, StripPairing(leastHeight: 0.21)) == [])
    #expect(Self.pairs(strips, StripPairing(gap: 0.14...0.16)) == [[0, 1]])
    #expect(Self.pairs(strips, StripPairing(gap: 0.16...1)) == [])
    #expect(Self.pairs(strips, StripPairing(gap: 0...0.14)) == [])
    #expect(Self.pairs(strips, StripPairing(most: 1)) == [])
    #expect(Self.pairs(strips, StripPairing(most: -1)) == [])
    #expect(Self.pairs(strips.map { Observation(.face, box: $0.box, corners: $0.corners) }) == [])
  }

  /// A distance of 10 at a quarter and 20 at a sixteenth: 5 / sqrt(share).
  @Test func `A regression through exact samples fits them exactly`() throws {
    let fit = try DistanceRegression(fitting: [
      DistanceSample(share: 0.25, distance: 10), DistanceSample(share: 0.0625, distance: 20),
      DistanceSample(share: 0.01, distance: 50),
    ])
    #expect(abs(fit.slope - 5) < 1e-9)
    #expect(abs(fit.offset) < 1e-9)
    #expect(abs((fit.distance(share: 0.04) ?? 0) - 25) < 1e-9)
  }

  /// Places 1, 2, 4 and distances 3, 4, 9: means 7/3 and 16/3, slope (29/3) / (14/3) = 29/14,
  /// offset 16/3 - 29/14 * 7/3 = 1/2.
  @Test func `A regression without an exact line minimizes the squared errors`() throws {
    let fit = try DistanceRegression(fitting: [
      DistanceSample(share: 1, distance: 3), DistanceSample(share: 0.25, distance: 4),
      DistanceSample(share: 0.0625, distance: 9),
    ])
    #expect(abs(fit.slope - 29.0 / 14) < 1e-9)
    #expect(abs(fit.offset - 0.5) < 1e-9)
  }

  @Test(
    arguments: [
      ([], .tooFewSamples), ([(0.5, 1)], .tooFewSamples),
      ([(0.5, 1), (0.5, 2)], .tooFewSamples),
      ([(0.5, 1), (0, 2)], .badSample(1)), ([(1.5, 1), (0.5, 2)], .badSample(0)),
      ([(.nan, 1), (0.5, 2)], .badSample(0)), ([(0.5, .infinity), (0.4, 1)], .badSample(0)),
      ([(0.5, -1), (0.4, 1)], .badSample(0)), ([(0.5, 2), (0.25, 1)], .notADistance),
    ] as [([(Double, Double)], AimError)])
  func `Samples that give no distance are refused`(samples: [(Double, Double)], error: AimError) {
    #expect(throws: error) {
      try DistanceRegression(
        fitting: samples.map { DistanceSample(share: $0.0, distance: $0.1) })
    }
  }

  @Test(arguments: [0, -0.1, 1.1, .nan, .infinity])
  func `An invalid share gives no distance`(share: Double) {
    #expect(DistanceRegression(slope: 5, offset: 0).distance(share: share) == nil)
  }

  @Test func `A distance is never negative`() {
    #expect(DistanceRegression(slope: 1, offset: -5).distance(share: 1) == 0)
  }
}
