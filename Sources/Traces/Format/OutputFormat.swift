package import Sketches

// How traces and reports treat each kind of output: how it is read, written, compared and shown.

extension LineScanner {
  /// Takes the values of an output, each with the comma before it.
  ///
  /// | `"attached", us, pin` | pulses begin on a servo's pin, which is always named, also the
  /// session's own; only the emulated chip shows this and the next | see below |
  /// | `"detached", pin` | the pulses stop. With a further `"high"`, they stop in the middle of
  /// one, and the pin stays high: the end of that pulse is unknown. If the pin becomes low later,
  /// that is one more `"detached", pin` | see below |
  /// | `"lost", byte, why` | one byte that never reached the sketch: `"ring-full"`;
  /// `"uart-overrun"`; `"parity"`: the program discarded it; or `"booting"`: the bootloader owned
  /// the line, or the sketch's port was not open | the end of the stop bit |
  /// | `"pin", pin, level` | the sketch changes the level of a pin to 0 or 1: what the pin drives
  /// or, of an input, the level that its pull-up or the outside gives it. A change that `set` or
  /// `analog` makes is not repeated as an event. Pins are named `"D0"` to `"D13"`, `"A0"` to
  /// `"A5"`; the channels of a servo driver `"pca9685@0x40:3"` | the change, in whole nanoseconds,
  /// rounded up |
  /// | `"pulse", us` | one pulse on the servo's pin; its width can be fractional |
  /// the rising edge |
  /// | `"servo", degrees, us` | the commanded pulse *changed*. Degrees (0 to 180) are the angle
  /// that the servo library reads back; the pulse is in whole microseconds, 0 to 65535. The initial
  /// width set by a library's constructor is not an event | when the sketch stored it |
  /// | `"servo", degrees, us, pin`, `"pulse", us, pin` | the same for a servo other than the
  /// session's own (`--pin`, by default D9): `"D10"` | the same |
  /// | `"tone", hertz` | the buzzer starts, or stops if the frequency is 0 | the start or stop |
  /// | `"tx", byte` | one byte from the board, as the board sent it, at whatever speed a program
  /// reads it | the start bit |
  mutating func takeOutput(_ kind: Output.Kind) throws(Failure) -> Output {
    switch kind {
    case .servo: return try takeServo()
    case .pulse:
      try take(",", "',' and the microseconds")
      let microseconds = try takeDecimal("microseconds from 0 to 65535", limit: 65_535)
      return .pulse(microseconds: microseconds, on: takeIf(",") ? try takePin() : nil)
    case .tone:
      try take(",", "',' and the hertz")
      return .tone(hertz: try takeDecimal("hertz from 0 to 65535", limit: 65_535))
    case .transmit:
      try take(",", "',' and the byte")
      return .transmit(try takeByte())
    case .lost:
      try take(",", "',' and the byte")
      let byte = try takeByte()
      try take(",", "',' and why it was lost")
      let what: StaticString = "why the byte was lost, in quotes"
      return .lost(byte, try takeWord(what, of: Output.Loss.self, separator: " or "))
    case .pin:
      try take(",", "',' and the pin")
      let pin = try takePin()
      try take(",", "',' and the level")
      return .pin(pin, isHigh: try takeWhole("a level, 0 or 1", limit: 1) == 1)
    case .attached:
      try take(",", "',' and the microseconds")
      let microseconds = try takeWhole("microseconds from 0 to 65535", limit: 65_535)
      try take(",", "',' and the pin")
      return .attached(microseconds: UInt16(truncatingIfNeeded: microseconds), on: try takePin())
    case .detached:
      try take(",", "',' and the pin")
      let pin = try takePin()
      guard takeIf(",") else { return .detached(pin, isHigh: false) }
      let isHigh = try takeText("\"high\"", expected: "\"high\"") { $0 == "high" ? true : nil }
      return .detached(pin, isHigh: isHigh)
    }
  }

  /// Takes a servo event's values. This is by far the most frequent kind.
  mutating func takeServo() throws(Failure) -> Output {
    try take(",", "',' and the degrees")
    let degrees = try takeWhole("degrees from 0 to 180", limit: 180)
    try take(",", "',' and the microseconds")
    let microseconds = try takeWhole("microseconds from 0 to 65535", limit: 65_535)
    return .servo(
      degrees: UInt8(truncatingIfNeeded: degrees),
      microseconds: UInt16(truncatingIfNeeded: microseconds), on: takeIf(",") ? try takePin() : nil)
  }

  mutating func takePin() throws(Failure) -> BoardPin {
    try takeText("a pin in quotes", expected: "a pin (\(BoardPin.names))") { BoardPin(name: $0) }
  }
}

extension [UInt8] {
  /// Appends an output as it follows the time in an event.
  package mutating func append(_ output: Output) {
    append(UInt8(ascii: "\""))
    append(output.kind.word)
    append("\", ")
    switch output {
    case .servo(let degrees, let microseconds, let pin):
      append(Int64(degrees))
      append(", ")
      append(Int64(microseconds))
      appendOther(pin)
    case .pulse(let microseconds, let pin):
      appendShortest(microseconds)
      appendOther(pin)
    case .tone(let hertz): appendShortest(hertz)
    case .transmit(let byte): appendQuoted(byte)
    case .lost(let byte, let why):
      appendQuoted(byte)
      append(", ")
      appendQuoted(why.rawValue)
    case .pin(let pin, let isHigh):
      appendQuoted(pin.name)
      append(isHigh ? ", 1" : ", 0")
    case .attached(let microseconds, let pin):
      append(Int64(microseconds))
      appendOther(pin)
    case .detached(let pin, let isHigh):
      appendQuoted(pin.name)
      if isHigh { append(", \"high\"") }
    }
  }

  /// Appends the pin of another servo with a comma before it.
  mutating func appendOther(_ pin: BoardPin?) {
    guard let pin else { return }
    append(", ")
    appendQuoted(pin.name)
  }
}

extension Output.Kind {
  package init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}

extension Output {
  /// Whether a verification treats the two as equal: a pulse, also the first one, within 3 us, a
  /// tone within 1 % of the expected one, everything else exactly.
  package func matches(_ found: Output) -> Bool {
    switch (self, found) {
    case (.pulse(let expected, let pin), .pulse(let found, let other)):
      pin == other && abs(expected - found) <= 3
    case (.attached(let expected, let pin), .attached(let found, let other)):
      pin == other && abs(Int32(expected) - Int32(found)) <= 3
    case (.tone(let expected), .tone(let found)): abs(expected - found) <= expected / 100
    default: self == found
    }
  }

  /// Whether the output switches something on, such as an LED, or off; nil if it does not switch
  /// anything. Pictures show such outputs as rows of levels.
  package var isOn: Bool? { if case .pin(_, let isHigh) = self { isHigh } else { nil } }
}

extension Output: CustomStringConvertible {
  package var description: String {
    func place(_ pin: BoardPin?) -> String { pin.map { " on \($0.name)" } ?? "" }
    return switch self {
    case .servo(let degrees, let microseconds, let pin):
      "servo \(degrees) (\(microseconds) us)\(place(pin))"
    case .pulse(let microseconds, let pin):
      "a pulse of \(String(shortest: microseconds)) us\(place(pin))"
    case .tone(let hertz): hertz == 0 ? "silence" : "a tone of \(String(shortest: hertz)) Hz"
    case .transmit(let byte): "the byte \(ByteText.json(byte)) sent"
    case .lost(let byte, let why): "the byte \(ByteText.json(byte)) lost (\(why.rawValue))"
    case .pin(let pin, let isHigh): "\(pin.name) \(isHigh ? "high" : "low")"
    case .attached(let microseconds, let pin):
      "pulses of \(microseconds) us begin on \(pin.name)"
    case .detached(let pin, let isHigh):
      "the pulses stop on \(pin.name)\(isHigh ? ", which stays high" : "")"
    }
  }
}
