import Sketches

extension OutputFormat {
  /// `"servo", 90, 1472`: degrees and microseconds, then the pin of another servo.
  ///
  /// | `"servo", degrees, us` | the commanded pulse *changed*. Degrees (0 to 180) are the angle
  /// that the servo library reads back; the pulse is in whole microseconds, 0 to 65535. The initial
  /// width set by a library's constructor is not an event | when the sketch stored it |
  /// | `"servo", degrees, us, pin`, `"pulse", us, pin` | the same for a servo other than the
  /// session's own (`--pin`, by default D9): `"D10"` | the same |
  static let servo = OutputFormat(
    { output -> (degrees: UInt8, microseconds: UInt16, pin: BoardPin?)? in
      if case .servo(let degrees, let microseconds, let pin) = output {
        (degrees, microseconds, pin)
      } else {
        nil
      }
    },
    read: { scanner throws(LineScanner.Failure) in try scanner.takeServo() },
    write: { servo, text in
      text.append(", ")
      text.appendServo(degrees: servo.degrees, microseconds: servo.microseconds, on: servo.pin)
    },
    matches: { $0 == $1 },
    describe: { "servo \($0.degrees) (\($0.microseconds) us)\(OutputFormat.place($0.pin))" })
}

// Reading and writing are separate functions because this is by far the most frequent kind.

extension [UInt8] {
  /// Appends a servo event's values, without a comma before the first.
  mutating func appendServo(degrees: UInt8, microseconds: UInt16, on pin: BoardPin?) {
    append(Int64(degrees))
    append(", ")
    append(Int64(microseconds))
    appendOther(pin)
  }
}

extension LineScanner {
  /// Takes a servo event's values.
  mutating func takeServo() throws(Failure) -> Output {
    try take(",", "',' and the degrees")
    let degrees = try takeWhole("degrees from 0 to 180", limit: 180)
    try take(",", "',' and the microseconds")
    let microseconds = try takeWhole("microseconds from 0 to 65535", limit: 65_535)
    return .servo(
      degrees: UInt8(truncatingIfNeeded: degrees),
      microseconds: UInt16(truncatingIfNeeded: microseconds), on: takeIf(",") ? try takePin() : nil)
  }
}
