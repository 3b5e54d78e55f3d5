/// A number in a command: its name and its range.
package struct CommandField: Hashable, Sendable {
  package var name: String
  package var range: ClosedRange<Int32>

  package init(_ name: String, _ range: ClosedRange<Int32>) {
    self.name = name
    self.range = range
  }

  /// The largest number of digits that it can have. Leading zeros count.
  package var digitsMax: Int {
    var rest = max(range.lowerBound.magnitude, range.upperBound.magnitude)
    var digits = 1
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return digits
  }

  /// The name with the range, for a sentence: `pan is 0 to 180`.
  package var sentence: String { "\(name) is \(range.lowerBound) to \(range.upperBound)" }
}
