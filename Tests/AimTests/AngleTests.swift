import Aim
import TestSupport
import Testing

@Suite struct AngleTests {
  @Test(
    arguments: [
      (0, 40, 140), (195, 90, 90), (390, 140, 40),
      (3.8, 40, 140), (3.95, 41, 139), (194.9, 89, 91), (226.2, 98, 82), (389.9, 139, 41),
      // Outside of the view: the nearer end of the range.
      (-0.1, 40, 140), (-1000, 40, 140), (390.1, 140, 40), (1e300, 140, 40), (-1e300, 40, 140),
      (.greatestFiniteMagnitude, nil, nil),
    ] as [(Double, Int?, Int?)])
  func `A view of 390 points maps linearly to angles from 40 to 140 degrees`(
    place: Double, degrees: Int?, mirrored: Int?
  ) {
    // The greatest number overflows when multiplied, but is still on the right.
    let wanted = place == .greatestFiniteMagnitude ? (140, 40) : (degrees, mirrored)
    #expect(LinearAngle(length: 390).degrees(at: place) == wanted.0)
    #expect(LinearAngle(length: 390, mirrored: true).degrees(at: place) == wanted.1)
  }

  /// In 400 points a degree is exactly 4 points.
  @Test(arguments: 1...100)
  func `The linear angle is truncated at every boundary`(step: Int) {
    let boundary = Double(4 * step)
    let angle = LinearAngle(length: 400)
    let mirrored = LinearAngle(length: 400, mirrored: true)
    #expect(angle.degrees(at: boundary) == 40 + step)
    #expect(angle.degrees(at: boundary - 1e-9) == 39 + step)
    #expect(mirrored.degrees(at: boundary) == 140 - step)
    #expect(mirrored.degrees(at: boundary - 1e-9) == 141 - step)
  }

  /// Places on a boundary in tenths of a point, where rounding decides: if divided first, 276.9 and
  /// 315.9 give one more and 304.2 one less; with one factor of 100 / 390 the others give one less.
  @Test(arguments: [(265.2, 108), (276.9, 110), (304.2, 118), (315.9, 120), (343.2, 128)])
  func `The order of arithmetic is the same as in the app`(place: Double, degrees: Int) {
    #expect(LinearAngle(length: 390).degrees(at: place) == degrees)
  }

  @Test(
    arguments: [
      (.nan, 390), (.infinity, 390), (-.infinity, 390), (1, 0), (1, -390), (1, .nan),
      (1, .infinity),
    ] as [(Double, Double)])
  func `Invalid numbers give no linear angle`(place: Double, length: Double) {
    #expect(LinearAngle(length: length).degrees(at: place) == nil)
  }

  /// In a view of 90 degrees the tangent of half is 1, so a quarter from the middle is atan(0.5) =
  /// 26.565.
  @Test(
    arguments: [
      (90, 0, 45), (90, 0.25, 63), (90, 0.5, 90), (90, 0.75, 117), (90, 1, 135),
      (60, 0, 60), (60, 1, 120), (60, 0.75, 106),  // atan(0.5 * 0.57735) = 16.10
      (120, 0.25, 49), (120, 1, 150),  // atan(0.5 * 1.73205) = 40.89
      (179.9, 0, 0), (179.9, 1, 180), (90, -1e300, 0), (90, 1e300, 180),
    ] as [(Double, Double, Int)])
  func `The true angle follows from the field of view`(fov: Double, place: Double, degrees: Int) {
    #expect(FieldOfViewAngle(fov: fov).degrees(at: place) == degrees)
    #expect(FieldOfViewAngle(fov: fov, mirrored: true).degrees(at: place) == 180 - degrees)
  }

  @Test(
    arguments: [
      (.nan, 0.5), (0, 0.5), (-60, 0.5), (180, 0.5), (.infinity, 0.5), (60, .nan),
      (60, .infinity), (60, -.infinity),
    ] as [(Double, Double)])
  func `Invalid numbers give no true angle`(fov: Double, place: Double) {
    #expect(FieldOfViewAngle(fov: fov).degrees(at: place) == nil)
    #expect(FieldOfViewAngle(fov: fov).offCentre(at: place) == nil)
  }

  /// The rounding changes at tan(d + 0.5) for a view of 90 degrees, where the tangent of half is 1.
  @Test func `The true angle is rounded to the nearest degree`() throws {
    let angle = FieldOfViewAngle(fov: 90)
    for step in 0...1000 {
      let place = Double(step) / 1000
      let degrees = try #require(angle.degrees(at: place))
      let off = try #require(angle.offCentre(at: place))
      #expect(abs(Double(degrees) - 90 - off) <= 0.5)
    }
  }

  /// With an odd field of view, the edges are at half a degree.
  @Test(arguments: 1..<180)
  func `The edges of a picture are rounded up from half a degree`(fov: Int) {
    let angle = FieldOfViewAngle(fov: Double(fov))
    #expect(angle.degrees(at: 1) == (180 + fov + 1) / 2)
    #expect(angle.degrees(at: 0) == (180 - fov + 1) / 2)
  }

  /// A view of 90 degrees across 200 pixels is 53.13 across 100, twice atan(0.5).
  @Test func `The other axis has its own field of view`() {
    let other = FieldOfViewAngle(fov: 90).acrossAxis(aspect: 0.5)
    #expect(abs(other.fov - 53.13010235415598) < 1e-9)
    #expect(other.degrees(at: 1) == 117)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `Angles are monotonic in x and stay within their ranges`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let length = Double.random(in: 1...4000, using: &random)
    let linear = LinearAngle(length: length)
    let back = LinearAngle(length: length, mirrored: true)
    let exact = FieldOfViewAngle(fov: .random(in: 0.1...179.9, using: &random))
    let places = (0..<300).map { _ in Double.random(in: -0.2...1.2, using: &random) }.sorted()
    let lines = places.compactMap { linear.degrees(at: $0 * length) }
    let backs = places.compactMap { back.degrees(at: $0 * length) }
    let exacts = places.compactMap(exact.degrees)
    #expect(lines == lines.sorted() && lines.count == 300)
    #expect(backs == backs.sorted(by: >) && backs.count == 300)
    #expect(exacts == exacts.sorted() && exacts.count == 300)
    #expect(lines.allSatisfy(LinearAngle.range.contains))
    #expect(backs.allSatisfy(LinearAngle.range.contains))
    #expect(exacts.allSatisfy(FieldOfViewAngle.range.contains))
  }
}
