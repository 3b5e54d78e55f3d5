import Sketches

extension OutputFormat {
  /// `"pin", "D7", 1`: the pin and its level, 0 or 1.
  ///
  /// | `"pin", pin, level` | the sketch changes the level of a pin to 0 or 1: what the pin drives
  /// or, of an input, the level that its pull-up or the outside gives it. A change that `set` or
  /// `analog` makes is not repeated as an event. Pins are named `"D0"` to `"D13"`, `"A0"` to
  /// `"A5"`; the channels of a servo driver `"pca9685@0x40:3"` | the change, in whole nanoseconds,
  /// rounded up |
  static let pin = OutputFormat(
    { output -> (pin: BoardPin, isHigh: Bool)? in
      if case .pin(let pin, let isHigh) = output { (pin, isHigh) } else { nil }
    },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the pin")
      let pin = try scanner.takePin()
      try scanner.take(",", "',' and the level")
      return .pin(pin, isHigh: try scanner.takeWhole("a level, 0 or 1", limit: 1) == 1)
    },
    write: { level, text in
      text.append(", ")
      text.appendQuoted(level.pin.name)
      text.append(", ")
      text.append(Int64(level.isHigh ? 1 : 0))
    },
    matches: { $0 == $1 },
    describe: { "\($0.pin.name) \($0.isHigh ? "high" : "low")" },
    isOn: { $0.isHigh })

  /// Returns the place of a servo other than the session's own, for a report.
  static func place(_ pin: BoardPin?) -> String { pin.map { " on \($0.name)" } ?? "" }
}

extension LineScanner {
  /// Takes a pin's name in quotes.
  mutating func takePin() throws(Failure) -> BoardPin {
    skipSpace()
    let offset = position
    let name = try takeText("a pin in quotes")
    guard let pin = BoardPin(name: name) else {
      throw Failure(
        offset: offset,
        message: "expected a pin (\(BoardPin.names)), found \(PlainText.quoted(name))")
    }
    return pin
  }
}

extension [UInt8] {
  /// Appends the pin of another servo with a comma before it.
  mutating func appendOther(_ pin: BoardPin?) {
    guard let pin else { return }
    append(", ")
    appendQuoted(pin.name)
  }
}
