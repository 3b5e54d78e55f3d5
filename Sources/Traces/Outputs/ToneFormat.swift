import Sketches

extension OutputFormat {
  /// `"tone", 900`: hertz, 0 for silence. Two tones match within 1 % of the expected one.
  ///
  /// | `"tone", hertz` | the buzzer starts, or stops if the frequency is 0 | the start or stop |
  static let tone = OutputFormat(
    { output -> Double? in if case .tone(let hertz) = output { hertz } else { nil } },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the hertz")
      let hertz = try scanner.takeDecimal("hertz from 0 to 65535", limit: 65_535)
      return .tone(hertz: hertz)
    },
    write: { hertz, text in
      text.append(", ")
      text.appendShortest(hertz)
    },
    matches: { abs($0 - $1) <= $0 / 100 },
    describe: { $0 == 0 ? "silence" : "a tone of \(String(shortest: $0)) Hz" })
}
