import Turret

/// Parses an event from its line.
struct EventParser {
  private var scanner: LineScanner
  /// The offset of the time in the line.
  private(set) var timeOffset = 0

  init(_ line: UnsafeRawBufferPointer) { scanner = LineScanner(line) }

  typealias Failure = LineScanner.Failure

  mutating func parse() throws(Failure) -> Event {
    try scanner.take("[", "an event, which starts with '['")
    scanner.skipSpace()
    timeOffset = scanner.position
    let time = Instant(nanoseconds: try scanner.takeBillionths("a time in seconds"))
    try scanner.take(",", "',' and the kind of event")
    scanner.skipSpace()
    let offset = scanner.position
    guard let word = scanner.takePlainString() else {
      return try parseRare(time, try scanner.takeText("the kind of event in quotes"), at: offset)
    }
    if word.isEqual(to: "servo") {
      return try finish(time, .output(try scanner.takeServo()))
    }
    if word.isEqual(to: "rx") {
      try scanner.take(",", "',' and the bytes")
      return try finish(time, .receive(try scanner.takeBytes("bytes in quotes")))
    }
    return try parseRare(time, String(decoding: word, as: UTF8.self), at: offset)
  }

  private mutating func parseRare(
    _ time: Instant, _ kind: String, at offset: Int
  ) throws(Failure) -> Event {
    switch kind {
    // The fast path above takes this kind unless it is written with escapes.
    case "rx":
      try scanner.take(",", "',' and the bytes")
      return try finish(time, .receive(try scanner.takeBytes("bytes in quotes")))
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
      return try finish(time, .baud(baud))
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
      return try finish(time, .format(format))
    case "break":
      try scanner.take(",", "',' and the seconds for which the line is low")
      let seconds = try scanner.takeBillionths("the seconds for which the line is low")
      return try finish(time, .senderBreak(Interval(nanoseconds: seconds)))
    case "reset":
      try scanner.take(",", "',' and the bootloader's seconds")
      let seconds = try scanner.takeBillionths("the bootloader's seconds")
      return try finish(time, .reset(Interval(nanoseconds: seconds)))
    case "mark":
      try scanner.take(",", "',' and the text")
      return try finish(time, .mark(try scanner.takeText("the text in quotes")))
    default:
      if let input = BoardInput.Kind(rawValue: kind) {
        return try finish(time, .input(try scanner.takeInput(input)))
      }
      if let output = Output.Kind(name: kind) {
        return try finish(time, .output(try output.format.read(&scanner)))
      }
      guard kind.hasPrefix("x-") else {
        let outputs = Output.Kind.allCases.map { "\"\($0.name)\", " }.joined()
        throw Failure(
          offset: offset,
          message: "expected a kind of event (\"rx\", \"baud\", \"format\", \"break\", "
            + "\"reset\", \"set\", "
            + "\"analog\", \(outputs)\"mark\" or \"x-...\"), found \(PlainText.quoted(kind))"
        )
      }
      var text: [UInt8] = []
      text.appendQuoted(kind)
      while scanner.takeIf(",") {
        text.append(", ")
        try scanner.takeValue().append(to: &text)
      }
      return try finish(time, .other(String(decoding: text, as: UTF8.self)))
    }
  }

  /// Parses an event that can lack its time, which is then 0.
  mutating func parseUntimed() throws(Failure) -> Event {
    var ahead = scanner
    try ahead.take("[", "an event, which starts with '['")
    ahead.skipSpace()
    guard ahead.peek() == UInt8(ascii: "\"") else { return try parse() }
    scanner = ahead
    let offset = scanner.position
    let kind = try scanner.takeText("the kind of event in quotes")
    return try parseRare(.zero, kind, at: offset)
  }

  @inline(__always)
  private mutating func finish(_ time: Instant, _ kind: Event.Kind) throws(Failure) -> Event {
    try scanner.take("]", "']' at the end of the event")
    try scanner.takeEnd()
    return Event(time, kind)
  }
}
