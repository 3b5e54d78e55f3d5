/// The tangent and arctangent, which the standard library lacks, within a few units in the last
/// place. Uses only operations that IEEE 754 defines exactly, so that the program and the phone's
/// page get the same bits on every machine. Angles are rounded to whole degrees afterwards.
enum Trigonometry {
  static func tangent(ofDegrees degrees: Double) -> Double { tangent(of: degrees * .pi / 180) }

  static func degrees(ofArctangent tangent: Double) -> Double {
    arctangent(of: tangent) * 180 / .pi
  }

  /// The sine of an angle in full turns, to within 1e-14: by the tangent of its half.
  static func sine(ofTurns turns: Double) -> Double {
    let rest = turns - turns.rounded()
    guard abs(rest) < 0.5 else { return 0 }
    let half = tangent(of: rest * .pi)
    return 2 * half / (1 + half * half)
  }

  /// Smaller numbers are their own tangent and arctangent. The relative error, a third of the
  /// square, is below 2^-57.
  private static let negligible = 0x1p-28
  /// How much greater a right angle is than `Double.pi / 2`.
  private static let rightAngleRest = 6.123233995736766e-17

  /// The tangent of an angle from -`Double.pi / 2` to `Double.pi / 2`, in radians; otherwise NaN.
  static func tangent(of radians: Double) -> Double {
    let angle = abs(radians)
    guard angle <= .pi / 2 else { return .nan }
    guard angle >= negligible else { return radians }
    let isComplement = angle > .pi / 4
    let near = isComplement ? .pi / 2 - angle + rightAngleRest : angle
    // Lambert's continued fraction, x / (1 - x² / (3 - x² / (5 - ...))). What is left out is below
    // 2^-59 of the result.
    let square = near * near
    var divisor = 17.0
    for odd in [15.0, 13, 11, 9, 7, 5, 3, 1] { divisor = odd - square / divisor }
    let result = isComplement ? divisor / near : near / divisor
    return radians < 0 ? -result : result
  }

  /// The arctangent of any number, in radians; NaN for NaN.
  static func arctangent(of tangent: Double) -> Double {
    let size = abs(tangent)
    guard size >= negligible else { return tangent }
    let isComplement = size > 1
    // The tangent of a quarter of the angle, at most 0.199, by the formula of half angles.
    var small = isComplement ? 1 / size : size
    for _ in 0..<2 { small /= 1 + (1 + small * small).squareRoot() }
    // The Taylor series. The next term is below 2^-58 of the first.
    let square = small * small
    var sum = 0.0
    for odd in [23.0, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3] { sum = (1 / odd - sum) * square }
    let angle = 4 * (small - small * sum)
    let result = isComplement ? .pi / 2 - angle : angle
    return tangent < 0 ? -result : result
  }
}
