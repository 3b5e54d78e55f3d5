package import Turret

/// Numbers in messages for people. Files and JSON have formats of their own.
extension String {
  /// Writes a length of time in the unit that suits it: `200 us` below a millisecond, `20 ms` below
  /// a second, `1.5 s` above. It is exact below a millisecond, and rounded to a microsecond above.
  package init(readable interval: Interval) {
    let nanoseconds = interval.nanoseconds.magnitude
    let microseconds = (nanoseconds + 500) / 1_000
    let (value, unit) =
      switch microseconds {
      case ..<1_000: (nanoseconds, " us")
      case ..<1_000_000: (microseconds, " ms")
      default: (microseconds, " s")
      }
    let scale: UInt64 = microseconds < 1_000_000 ? 1_000 : 1_000_000
    var text: [UInt8] = []
    if interval < .zero { text.append(UInt8(ascii: "-")) }
    text.append(value / scale, digits: 1)
    let fraction = value % scale
    if fraction > 0 {
      text.append(UInt8(ascii: "."))
      text.append(fraction, digits: scale == 1_000 ? 3 : 6)
      while text.last == UInt8(ascii: "0") { text.removeLast() }
    }
    text.append(unit)
    self.init(decoding: text, as: UTF8.self)
  }

  /// Writes a number with its noun in the right form: `1 byte`, `2 bytes`.
  package init(counting number: Int, _ noun: String) {
    self = number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
