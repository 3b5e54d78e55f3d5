import Sketches

/// What becomes of `x-refused` events that another program has written.
package enum Refusals: Hashable, Sendable {
  /// One in another spelling is what it means. One that is not complete is kept as text.
  case read
  /// As `read`, but one that is not complete is an error.
  case checked
  /// All but those in the spelling of the bench are kept as text, so that a copy has them as they
  /// stood.
  case copied
}

struct EventParser {
  private var scanner: LineScanner
  private let refusals: Refusals
  /// The offset of the time in the line.
  private(set) var timeOffset = 0

  init(_ line: UnsafeRawBufferPointer, refusals: Refusals = .read) {
    scanner = LineScanner(line)
    self.refusals = refusals
  }

  typealias Failure = LineScanner.Failure

  mutating func parse() throws(Failure) -> Event {
    try scanner.take("[", "an event, which starts with '['")
    scanner.skipSpace()
    timeOffset = scanner.position
    let time = Instant(nanoseconds: try scanner.takeBillionths("a time in seconds"))
    try scanner.take(",", "',' and the kind of event")
    scanner.skipSpace()
    let offset = scanner.position
    let kind: Event.Kind
    if let word = scanner.takePlainString() {
      if word.isEqual(to: "servo") {
        kind = .output(try scanner.takeServo())
      } else if word.isEqual(to: "rx") {
        try scanner.take(",", "',' and the bytes")
        kind = .receive(try scanner.takeBytes("bytes in quotes"))
      } else {
        kind = try rareKind(String(decoding: word, as: UTF8.self), at: offset)
      }
    } else {
      kind = try rareKind(try scanner.takeText(Self.noun), at: offset)
    }
    return try finish(time, kind)
  }

  /// Parses an event that can lack its time, which is then 0.
  mutating func parseUntimed() throws(Failure) -> Event {
    var ahead = scanner
    try ahead.take("[", "an event, which starts with '['")
    ahead.skipSpace()
    guard ahead.peek() == UInt8(ascii: "\"") else { return try parse() }
    scanner = ahead
    let offset = scanner.position
    return try finish(.zero, try rareKind(try scanner.takeText(Self.noun), at: offset))
  }

  private static let noun: StaticString = "the kind of event in quotes"

  /// Parses the values of an event with that word, which begins at `offset`.
  private mutating func rareKind(
    _ word: String, at offset: Int
  ) throws(Failure) -> Event.Kind {
    switch word {
    // The fast path above takes this kind unless it is written with escapes.
    case "rx":
      try scanner.take(",", "',' and the bytes")
      return .receive(try scanner.takeBytes("bytes in quotes"))
    case "baud":
      try scanner.take(",", "',' and the speed")
      scanner.skipSpace()
      let offset = scanner.position
      let speed = try scanner.takeWhole("a speed in bits a second", limit: 1 << 40)
      // Int has 32 bits in WebAssembly.
      guard let baud = Int(exactly: speed), SerialLine.bauds.contains(baud) else {
        let (low, high) = (SerialLine.bauds.lowerBound, SerialLine.bauds.upperBound)
        throw Failure(
          offset: offset, message: "expected a speed from \(low) to \(high), found \(speed)")
      }
      return .baud(baud)
    case "format":
      try scanner.take(",", "',' and the sender's format")
      scanner.skipSpace()
      let offset = scanner.position
      let text = try scanner.takeText("the sender's format in quotes, such as \"8E1\"")
      guard let format = LineFormat(text) else {
        throw Failure(
          offset: offset,
          message: "expected a format such as \"8E1\": 5 to 9 data bits; N, E, O, M or S for the "
            + "parity; 1, 1.5 or 2 stop bits; found \(PlainText.quoted(text))")
      }
      return .format(format)
    case "break":
      try scanner.take(",", "',' and the seconds for which the line is low")
      return .senderBreak(try scanner.takeLength("the seconds for which the line is low"))
    case "reset":
      try scanner.take(",", "',' and the bootloader's seconds")
      return .reset(try scanner.takeLength("the bootloader's seconds"))
    case "mark":
      try scanner.take(",", "',' and the text")
      return .mark(try scanner.takeText("the text in quotes"))
    default:
      if let input = BoardInput.Kind(rawValue: word) {
        return .input(try scanner.takeInput(input))
      }
      if let output = Output.Kind(name: word) {
        return .output(try scanner.takeOutput(output))
      }
      guard word.hasPrefix("x-") else {
        let outputs = Output.Kind.allCases.map { "\"\($0.name)\", " }.joined()
        throw Failure(
          offset: offset,
          message: "expected a kind of event (\"rx\", \"baud\", \"format\", \"break\", "
            + "\"reset\", \"set\", \"analog\", \"part\", "
            + "\(outputs)\"mark\" or \"x-...\"), found \(PlainText.quoted(word))"
        )
      }
      return try extraKind(word)
    }
  }

  /// Parses the values of an event whose kind starts with `x-`. It is kept as text unless it is
  /// written in the same way from its values.
  private mutating func extraKind(_ word: String) throws(Failure) -> Event.Kind {
    var values = scanner
    var text: [UInt8] = []
    text.appendQuoted(word)
    while scanner.takeIf(",") {
      text.append(", ")
      try scanner.takeValue().append(to: &text)
    }
    if let extra = Event.Extra(rawValue: word) {
      do throws(Failure) {
        let kind = try values.takeValues(of: extra)
        try values.expectNext("]", "']' at the end of the event")
        var written: [UInt8] = []
        written.append(extra: kind)
        // What a refusal means counts, however another program has written it.
        if written == text || extra == .refused && refusals != .copied { return kind }
      } catch {
        if extra == .refused, refusals == .checked { throw error }
      }
    }
    return .other(String(decoding: text, as: UTF8.self))
  }

  private mutating func finish(_ time: Instant, _ kind: Event.Kind) throws(Failure) -> Event {
    try scanner.take("]", "']' at the end of the event")
    try scanner.takeEnd()
    return Event(time, kind)
  }
}

extension LineScanner {
  /// Takes the values of an event whose kind starts with `x-`, with the comma before them. Only the
  /// errors of a refusal are ever shown.
  fileprivate mutating func takeValues(of extra: Event.Extra) throws(Failure) -> Event.Kind {
    try take(",", "',' and the refused bytes")
    switch extra {
    case .refused: return .refused(try takeRefusal())
    case .unsent: return .unsent(try takeBytes("bytes"))
    case .framingError: return .framingError(on: try takeLine(), try takeByte())
    case .lineBreak, .gap:
      let line = try takeLine()
      let length = try takeLength("seconds")
      return extra == .gap
        ? .gap(lasting: length, on: line) : .lineBreak(lasting: length, on: line)
    case .shaft:
      let degrees = try takeDecimal("degrees", limit: .greatestFiniteMagnitude)
      return .shaft(degrees, on: takeIf(",") ? try takePin() : nil)
    case .truth:
      skipSpace()
      var degrees: Double?
      if peek() == UInt8(ascii: "n") {
        guard case .null = try takeValue() else { throw expected("degrees or null") }
      } else {
        degrees = try takeDecimal("degrees", limit: .greatestFiniteMagnitude)
      }
      return .truth(degrees, on: takeIf(",") ? try takePin() : nil)
    case .supply:
      let volts = try takeDecimal("volts", limit: .greatestFiniteMagnitude)
      try take(",", "','")
      let amperes = try takeDecimal("amperes", limit: .greatestFiniteMagnitude)
      return .supply(volts: volts, amperes: amperes)
    case .twitch:
      let pin = try takePin()
      try take(",", "','")
      let stored = try takeWhole("microseconds", limit: 65_535)
      try take(",", "','")
      var twitch = Twitch(
        on: pin, stored: UInt16(truncatingIfNeeded: stored),
        measured: try takeCount("microseconds"))
      if takeIf(",") { twitch.why = try takeText("why, in quotes") }
      // No bench writes one that is none.
      guard twitch.difference != 0 else { throw expected("another width than the stored one") }
      return .twitch(twitch)
    case .why: return .run(.why(try takeText("why, in quotes")))
    case .longest:
      let span = try takeWord("a kind of time", of: RunNote.Span.self)
      try take(",", "','")
      let length = try takeLength("seconds")
      try take(",", "','")
      return .run(.longest(span, length, try takeText("where, in quotes")))
    case .memory:
      let fault = try takeWord("a kind of fault", of: RunNote.MemoryFault.self)
      try take(",", "','")
      return .run(.memory(fault, try takeText("where, in quotes")))
    case .missed: return .missed(Int(clamping: try takeCount("a number")))
    case .fault: return .fault(try takeStrike())
    }
  }

  @inline(never)
  private mutating func takeStrike() throws(Failure) -> FaultStrike {
    let kind = try takeWord("a fault", of: FaultStrike.Kind.self)
    try take(",", "','")
    let place = try takeWord("a place", of: FaultStrike.Place.self)
    guard takeIf(",") else { return FaultStrike(kind, at: place) }
    let took = try takeBytes("bytes")
    try take(",", "','")
    return FaultStrike(kind, at: place, took: took, gave: try takeBytes("bytes"))
  }

  @inline(never)
  private mutating func takeLine() throws(Failure) -> Event.Line {
    let line = try takeWord("a line", of: Event.Line.self)
    try take(",", "','")
    return line
  }
}
