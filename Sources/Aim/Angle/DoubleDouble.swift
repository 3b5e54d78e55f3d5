/// A number as the sum of two, the second at most half a unit in the last place of the first: about
/// 106 bits. Uses only standard additions, multiplications and divisions, so that every machine
/// gives the same result.
///
/// Accurate to a few units of 2^-104 for numbers from 2^-60 to 2^60. Outside that range parts of a
/// product could underflow or overflow.
struct DoubleDouble {
  var high: Double
  var low: Double

  init(_ high: Double, _ low: Double = 0) {
    self.high = high
    self.low = low
  }

  /// The exact sum of two numbers, the first of which is the greater one.
  private init(_ a: Double, plusSmaller b: Double) {
    high = a + b
    low = b - (high - a)
  }

  /// The nearest `Double`.
  var value: Double { high + low }

  static prefix func - (a: DoubleDouble) -> DoubleDouble { DoubleDouble(-a.high, -a.low) }

  static func + (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    // The rounding error of the sum of the high parts, whichever is greater.
    let sum = a.high + b.high
    let part = sum - a.high
    let error = (a.high - (sum - part)) + (b.high - part)
    return DoubleDouble(sum, plusSmaller: error + (a.low + b.low))
  }

  static func - (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble { a + -b }

  static func * (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    // The rounding error of the product of the high parts. Products of 26-bit halves are exact.
    let product = a.high * b.high
    let (x, y) = (halves(a.high), halves(b.high))
    let error = ((x.0 * y.0 - product) + x.0 * y.1 + x.1 * y.0) + x.1 * y.1
    return DoubleDouble(product, plusSmaller: error + (a.high * b.low + a.low * b.high))
  }

  static func / (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    let quotient = a.high / b.high
    let rest = a - DoubleDouble(quotient) * b
    return DoubleDouble(quotient, plusSmaller: rest.value / b.high)
  }

  /// The upper 26 bits, and the rest.
  private static func halves(_ a: Double) -> (Double, Double) {
    let shifted = 134_217_729 * a
    let upper = shifted - (shifted - a)
    return (upper, a - upper)
  }
}
