import Sketches

/// Formats numbers for the view.
enum ScreenText {
  /// A count in groups of three digits: `1 204`.
  static func grouped(_ count: Int) -> String {
    var text = ""
    let digits = Array(String(count.magnitude))
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += " " }
      text.append(digit)
    }
    return count < 0 ? "-" + text : text
  }

  static func grouped(_ count: Int, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// A number with a fixed number of places, so that its width does not change: `118.6`.
  static func fixed(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "?" }
    let unit = (0..<places).reduce(1) { unit, _ in unit * 10 }
    let scaled = Int((value * Double(unit)).rounded())
    let sign = scaled < 0 ? "-" : ""
    let whole = sign + String(abs(scaled) / unit)
    guard places > 0 else { return whole }
    return whole + "." + String(abs(scaled) % unit, digits: places)
  }

  /// Milliseconds, in four characters up to a second: `0.21`, `12.4`.
  static func milliseconds(_ interval: Interval) -> String {
    let value = interval.seconds * 1_000
    return fixed(value, places: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
  }

  /// Whole seconds, from an hour on also in hours: `83 s`, `3 661 s (1:01:01)`.
  static func clock(_ instant: Instant) -> String {
    let seconds = instant.nanoseconds / 1_000_000_000
    guard seconds >= 3_600 else { return "\(seconds) s" }
    let (minutes, rest) = (String(seconds / 60 % 60, digits: 2), String(seconds % 60, digits: 2))
    return "\(grouped(Int(seconds))) s (\(seconds / 3_600):\(minutes):\(rest))"
  }

  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
  }

  static func rightAligned(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.unicodeScalars.count)) + text
  }

  /// Wraps a sentence into lines of at most this many cells, at spaces if possible. If `linesMax`
  /// lines are not enough, the last one is too long and the canvas marks it.
  static func wrapped(_ text: String, to width: Int, linesMax: Int) -> [String] {
    guard width > 0, linesMax > 0 else { return [] }
    var rest = Substring(text)
    var lines: [String] = []
    while lines.count < linesMax - 1, rest.unicodeScalars.count > width {
      let limit = rest.unicodeScalars.index(rest.startIndex, offsetBy: width)
      let space = rest.unicodeScalars[...limit].lastIndex(of: " ")
      let end = space.flatMap { $0 > rest.startIndex ? $0 : nil } ?? limit
      lines.append(String(rest.unicodeScalars[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return lines + [String(rest)]
  }
}
