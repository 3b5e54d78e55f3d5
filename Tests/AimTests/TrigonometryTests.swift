import Foundation
import TestSupport
import Testing

@testable import Aim

/// Compares with the C library, whose own error can be one unit in the last place.
struct TrigonometryTests {
  /// The distance between two results, in units in the last place of the second.
  private static func distance(_ found: Double, _ wanted: Double) -> Double {
    abs(found - wanted) / wanted.ulp
  }

  /// The greatest distance over all arguments.
  private static func compare(
    _ arguments: some Sequence<Double>, _ ours: (Double) -> Double, _ theirs: (Double) -> Double
  ) -> Double {
    var worst = 0.0
    for argument in arguments {
      let off = distance(ours(argument), theirs(argument))
      // A distance that is not a number counts too.
      if !(off <= worst) { worst = off }
    }
    return worst
  }

  /// Half of every field of view, in tenths of a degree.
  private static let fields: [Double] = (1..<1_800).map { (tenths: Int) -> Double in
    Double(tenths) / 20 * .pi / 180
  }

  /// The arguments at which the method of calculation changes.
  private static let angleBorders: [Double] = [.pi / 4, .pi / 2, 0x1p-28]
  private static let tangentBorders: [Double] = [0, 0x1p-28, 1]

  /// These numbers and those next to them.
  private static func near(_ borders: [Double]) -> [Double] {
    var numbers = borders
    for border in borders {
      var (below, above) = (border, border)
      for _ in 0..<40 {
        (below, above) = (below.nextDown, above.nextUp)
        numbers += [below, above]
      }
    }
    return numbers
  }

  private static let drawnCount = Seeds.areRequested ? 1_000_000 : 100_000

  /// An angle that is small or close to a right angle, with an exponent of -60 or more.
  private static func angle(using random: inout SeededGenerator) -> Double {
    let exponent = Int.random(in: -60..<0, using: &random)
    let small = scalbn(Double.random(in: 1..<2, using: &random), exponent)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return min(small, .pi / 2)
    case 1: return max(.pi / 2 - small, 0)
    default: return .random(in: 0...(.pi / 2), using: &random)
    }
  }

  @Test func `The tangent is within three units in the last place of the C library's`() {
    var random = SeededGenerator(seed: 1)
    let drawn = (0..<Self.drawnCount).map { _ in Self.angle(using: &random) }
    let near = Self.near(Self.angleBorders).filter { abs($0) <= .pi / 2 }
    for arguments in [Self.fields, near, drawn] {
      let found = Self.compare(arguments, Trigonometry.tangent(of:), tan)
      #expect(found <= 3, "\(found)")
      let mirrored = Self.compare(arguments.map { -$0 }, Trigonometry.tangent(of:), tan)
      #expect(mirrored == found)
    }
  }

  @Test func `The arctangent is within five units in the last place of the C library's`() {
    var random = SeededGenerator(seed: 2)
    let drawn = (0..<Self.drawnCount).map { _ in
      scalbn(Double.random(in: 1..<2, using: &random), .random(in: -60...70, using: &random))
    }
    let even = (0..<20_000).map { Double($0) / 1_000 }
    for arguments in [even, Self.near(Self.tangentBorders), drawn] {
      let found = Self.compare(arguments, Trigonometry.arctangent(of:), atan)
      #expect(found <= 5, "\(found)")
      let mirrored = Self.compare(arguments.map { -$0 }, Trigonometry.arctangent(of:), atan)
      #expect(mirrored == found)
    }
  }

  @Test(
    arguments: [
      (0, 0), (.leastNonzeroMagnitude, .leastNonzeroMagnitude),
      (.leastNormalMagnitude.nextDown, .leastNormalMagnitude.nextDown), (1e-300, 1e-300),
      (.pi / 2, 16_331_239_353_195_370),
      ((.pi / 2).nextUp, nil), (2, nil), (1e22, nil), (.greatestFiniteMagnitude, nil),
      (.infinity, nil), (.nan, nil),
    ] as [(Double, Double?)])
  func `Special angles have exact tangents, and those beyond a right angle have none`(
    _ angle: Double, _ tangent: Double?
  ) {
    let found = Trigonometry.tangent(of: angle)
    let mirrored = Trigonometry.tangent(of: -angle)
    if let tangent {
      #expect(found.bitPattern == tangent.bitPattern)
      #expect(mirrored.bitPattern == (-tangent).bitPattern)
    } else {
      #expect(found.isNaN && mirrored.isNaN)
    }
  }

  @Test(
    arguments: [
      (0, 0), (.leastNonzeroMagnitude, .leastNonzeroMagnitude),
      (.leastNormalMagnitude.nextDown, .leastNormalMagnitude.nextDown), (1e-300, 1e-300),
      (1e17, .pi / 2), (1e300, .pi / 2), (.greatestFiniteMagnitude, .pi / 2),
      (.infinity, .pi / 2), (.nan, nil),
    ] as [(Double, Double?)])
  func `Special tangents, however large, give exact angles`(_ tangent: Double, _ angle: Double?) {
    let found = Trigonometry.arctangent(of: tangent)
    let mirrored = Trigonometry.arctangent(of: -tangent)
    if let angle {
      #expect(found.bitPattern == angle.bitPattern)
      #expect(mirrored.bitPattern == (-angle).bitPattern)
    } else {
      #expect(found.isNaN && mirrored.isNaN)
    }
  }

  @Test func `Converting degrees to a tangent and back returns the same degrees`() {
    for tenths in 1..<1_800 {
      let degrees = Double(tenths) / 20
      let back = Trigonometry.degrees(ofArctangent: Trigonometry.tangent(ofDegrees: degrees))
      #expect(abs(back - degrees) <= 1e-12 * degrees)
    }
  }
}
