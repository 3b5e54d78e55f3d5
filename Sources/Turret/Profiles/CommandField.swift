/// A number in a command: its name and its range.
package struct CommandField: Hashable, Sendable {
  package var name: String
  /// The smallest and the largest value. With decimals, they are in units of the last one: with two
  /// decimals, 150 is 1.50.
  package var range: ClosedRange<Int32>
  /// The largest number of digits after the decimal point; 0 if it has no point.
  package var decimals: Int

  /// The largest number of decimals.
  package static let decimalsMax = 6

  package init(_ name: String, _ range: ClosedRange<Int32>, decimals: Int = 0) {
    self.name = name
    self.range = range
    self.decimals = decimals
  }

  /// The largest number of digits that it can have, with its decimals. Leading zeros count.
  package var digitsMax: Int {
    var rest = max(range.lowerBound.magnitude, range.upperBound.magnitude)
    var digits = 1
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return max(digits, decimals + 1)
  }

  /// Returns a value in decimal digits, with all decimals.
  package func text(of value: Int32) -> String {
    guard decimals > 0 else { return "\(value)" }
    var digits = Array("\(value.magnitude)".utf8)
    while digits.count <= decimals { digits.insert(UInt8(ascii: "0"), at: 0) }
    digits.insert(UInt8(ascii: "."), at: digits.count - decimals)
    return (value < 0 ? "-" : "") + String(decoding: digits, as: UTF8.self)
  }

  /// The range as a profile states it: `0..180`, `-1.50..1.50`.
  package var rangeText: String { "\(text(of: range.lowerBound))..\(text(of: range.upperBound))" }

  /// The name with the range, for a sentence: `pan is 0 to 180`.
  package var sentence: String {
    "\(name) is \(text(of: range.lowerBound)) to \(text(of: range.upperBound))"
  }
}
