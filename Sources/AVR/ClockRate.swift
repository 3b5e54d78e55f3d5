/// The frequency of a chip's clock.
package struct ClockRate: RawRepresentable, Hashable, Sendable, Codable {
  /// The frequencies at which the parts work, in hertz (data sheet, "Speed Grades").
  package static let range: ClosedRange<UInt32> = 1_000_000...20_000_000
  /// The crystal of an Uno.
  package static let uno = ClockRate(unchecked: 16_000_000)

  package let hertz: UInt32
  package var rawValue: UInt32 { hertz }

  private init(unchecked hertz: UInt32) { self.hertz = hertz }

  /// Returns nil outside `range`.
  package init?(hertz: UInt32) {
    guard Self.range.contains(hertz) else { return nil }
    self.init(unchecked: hertz)
  }

  package init?(rawValue: UInt32) { self.init(hertz: rawValue) }

  /// For messages, such as `7.3728 MHz`.
  package var name: String {
    let (whole, rest) = hertz.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest > 0 else { return "\(whole) MHz" }
    var digits = Array(String(rest + 1_000_000).utf8.dropFirst())
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return "\(whole).\(String(decoding: digits, as: UTF8.self)) MHz"
  }

  /// Returns the number of whole clock cycles in a time.
  package func cycles(inMicroseconds microseconds: UInt64) -> UInt64 {
    microseconds * UInt64(hertz) / 1_000_000
  }
}
