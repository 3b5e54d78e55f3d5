import Sketches

extension OutputFormat {
  /// `"attached", 1500, "D9"`: microseconds, then the servo's pin. Two match within 3 us.
  ///
  /// | `"attached", us, pin` | pulses begin on a servo's pin, which is always named, also the
  /// session's own; only the emulated chip shows this and the next | see below |
  static let attached = OutputFormat(
    { output -> (microseconds: UInt16, pin: BoardPin)? in
      if case .attached(let microseconds, let pin) = output { (microseconds, pin) } else { nil }
    },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the microseconds")
      let microseconds = try scanner.takeWhole("microseconds from 0 to 65535", limit: 65_535)
      try scanner.take(",", "',' and the pin")
      return .attached(
        microseconds: UInt16(truncatingIfNeeded: microseconds), on: try scanner.takePin())
    },
    write: { start, text in
      text.append(", ")
      text.append(Int64(start.microseconds))
      text.appendOther(start.pin)
    },
    matches: { $0.pin == $1.pin && abs(Int32($0.microseconds) - Int32($1.microseconds)) <= 3 },
    describe: { "pulses of \($0.microseconds) us begin on \($0.pin.name)" })

  /// `"detached", "D9"`: the servo's pin, then `"high"` if it stays high.
  ///
  /// | `"detached", pin` | the pulses stop. With a further `"high"`, they stop in the middle of
  /// one, and the pin stays high: the end of that pulse is unknown. If the pin becomes low later,
  /// that is one more `"detached", pin` | see below |
  static let detached = OutputFormat(
    { output -> (pin: BoardPin, isHigh: Bool)? in
      if case .detached(let pin, let isHigh) = output { (pin, isHigh) } else { nil }
    },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the pin")
      let pin = try scanner.takePin()
      guard scanner.takeIf(",") else { return .detached(pin, isHigh: false) }
      scanner.skipSpace()
      let offset = scanner.position
      let level = try scanner.takeText("\"high\"")
      guard level == "high" else {
        throw LineScanner.Failure(
          offset: offset, message: "expected \"high\", found \(PlainText.quoted(level))")
      }
      return .detached(pin, isHigh: true)
    },
    write: { end, text in
      text.appendOther(end.pin)
      if end.isHigh {
        text.append(", ")
        text.appendQuoted("high")
      }
    },
    matches: { $0 == $1 },
    describe: { "the pulses stop on \($0.pin.name)\($0.isHigh ? ", which stays high" : "")" })
}
