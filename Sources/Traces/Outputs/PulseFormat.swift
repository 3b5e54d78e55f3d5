import Sketches

extension OutputFormat {
  /// `"pulse", 1472`: microseconds, then the pin of another servo. Two pulses match within 3 us.
  ///
  /// | `"pulse", us` | one pulse on the servo's pin; its width can be fractional |
  /// the rising edge |
  static let pulse = OutputFormat(
    { output -> (microseconds: Double, pin: BoardPin?)? in
      if case .pulse(let microseconds, let pin) = output { (microseconds, pin) } else { nil }
    },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the microseconds")
      let microseconds = try scanner.takeDecimal("microseconds from 0 to 65535", limit: 65_535)
      return .pulse(
        microseconds: microseconds, on: scanner.takeIf(",") ? try scanner.takePin() : nil)
    },
    write: { pulse, text in
      text.append(", ")
      text.appendShortest(pulse.microseconds)
      text.appendOther(pulse.pin)
    },
    matches: { $0.pin == $1.pin && abs($0.microseconds - $1.microseconds) <= 3 },
    describe: { "a pulse of \(String(shortest: $0.microseconds)) us\(OutputFormat.place($0.pin))" })
}
