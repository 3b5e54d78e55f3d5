import Turret

extension OutputFormat {
  /// `"pulse", 1472`: microseconds. Two pulses match within 3 us.
  static let pulse = OutputFormat(
    { output -> Double? in if case .pulse(let microseconds) = output { microseconds } else { nil }
    },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the microseconds")
      let microseconds = try scanner.takeDecimal("microseconds from 0 to 65535", limit: 65_535)
      return .pulse(microseconds: microseconds)
    },
    write: { microseconds, text in
      text.append(", ")
      text.appendShortest(microseconds)
    },
    matches: { abs($0 - $1) <= 3 },
    describe: { "a pulse of \(String(shortest: $0)) us" })
}
