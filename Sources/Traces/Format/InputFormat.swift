package import Sketches

extension BoardInput {
  /// The kinds of event that apply something to a pin, or tell a part something.
  package enum Kind: String, CaseIterable, Sendable {
    /// `"set", "D2", 1`
    case set
    /// `"analog", "A0", 2.5`
    case analog
    /// `"part", "hc-sr04@D7:D8", 0.35`
    case part
  }

  package var kind: Kind {
    switch self {
    case .level: .set
    case .voltage: .analog
    case .part: .part
    }
  }
}

extension BoardInput {
  /// A description of what `microvolts` parses, for messages.
  package static let voltsNoun = "volts from 0 to 5 with at most six places, for example 2.5"

  /// Parses what a part is told, as whole millionths; nil for anything else.
  package static func millionths(_ value: String) -> Int64? {
    try? LineScanner.read(Array(value.utf8), path: "") { (scanner) throws(LineScanner.Failure) in
      try scanner.takeMillionths()
    }
  }

  /// Parses a decimal number of volts as whole microvolts; nil for anything else.
  package static func microvolts(_ volts: String) -> Int32? {
    try? LineScanner.read(Array(volts.utf8), path: "") { (scanner) throws(LineScanner.Failure) in
      try scanner.takeMicrovolts()
    }
  }
}

extension [UInt8] {
  /// Appends an input as it follows the time in an event.
  package mutating func append(_ input: BoardInput) {
    appendQuoted(input.kind.rawValue)
    append(", ")
    appendQuoted(input.target)
    append(", ")
    switch input {
    case .level(_, let isHigh): append(UInt8(ascii: isHigh ? "1" : "0"))
    case .voltage(_, let microvolts):
      // Volts in billionths are written like seconds in nanoseconds.
      appendShortest(.nanoseconds(Int64(microvolts) * 1_000))
    case .part(_, let millionths): appendShortest(.nanoseconds(millionths * 1_000))
    }
  }
}

extension LineScanner {
  mutating func takeInput(_ kind: BoardInput.Kind) throws(Failure) -> BoardInput {
    if kind == .part { return try takePartInput() }
    let isAnalog = kind == .analog
    try take(",", "',' and the pin")
    skipSpace()
    let offset = position
    let name = try takeText("a pin in quotes")
    let analog = isAnalog ? BoardPin(analogName: name) : nil
    guard let pin = analog ?? BoardPin(name: name) else {
      throw Failure(
        offset: offset,
        message: "expected a pin (\(BoardPin.names)), found \(PlainText.quoted(name))")
    }
    guard analog != nil || pin.arduino != nil else {
      throw Failure(
        offset: offset, message: "expected a pin of the board, found \(PlainText.quoted(name))")
    }
    if isAnalog {
      try take(",", "',' and the volts")
      return .voltage(pin, microvolts: try takeMicrovolts())
    }
    try take(",", "',' and the level")
    return .level(pin, try takeWhole("a level, 0 or 1", limit: 1) == 1)
  }

  private mutating func takePartInput() throws(Failure) -> BoardInput {
    try take(",", "',' and the part")
    let noun = "a part, such as \(BoardPart.examples)"
    let part = try takeText("a part in quotes", expected: noun) { BoardPart($0) }
    try take(",", "',' and the part's value")
    return .part(part, millionths: try takeMillionths())
  }

  /// Takes what a part is told, as millionths of its unit.
  mutating func takeMillionths() throws(Failure) -> Int64 {
    skipSpace()
    let offset = position
    let billionths = try takeLength("the part's value, a number from 0").nanoseconds
    guard billionths % 1_000 == 0, billionths / 1_000 <= BoardInput.partMax else {
      throw Failure(
        offset: offset, message: "expected a value up to 1 000 000 with at most six places")
    }
    return billionths / 1_000
  }

  mutating func takeMicrovolts() throws(Failure) -> Int32 {
    skipSpace()
    let offset = position
    // Volts in billionths are read like seconds in nanoseconds.
    let billionths = try takeLength("volts from 0 to 5").nanoseconds
    guard billionths % 1_000 == 0 else {
      throw Failure(offset: offset, message: "expected volts with at most six places")
    }
    guard let microvolts = Int32(exactly: billionths / 1_000),
      BoardInput.voltages.contains(microvolts)
    else { throw Failure(offset: offset, message: "expected volts from 0 to 5") }
    return microvolts
  }
}
