package import Sketches

/// The canonical text of a trace.
extension [UInt8] {
  package mutating func appendLine(_ header: Header) {
    JSONValue.object(header.members).append(to: &self)
    append(UInt8(ascii: "\n"))
  }

  package mutating func appendLine(_ event: Event) {
    // Most lines then need no further allocation.
    if capacity == 0 { reserveCapacity(64) }
    append(UInt8(ascii: "["))
    append(event.time)
    switch event.kind {
    case .receive(let bytes):
      append(", \"rx\", ")
      appendQuoted(bytes: bytes)
    case .baud(let baud):
      append(", \"baud\", ")
      append(Int64(baud))
    case .format(let format):
      append(", \"format\", ")
      appendQuoted(format.description)
    case .senderBreak(let length):
      append(", \"break\", ")
      appendShortest(length)
    case .reset(let deadTime):
      append(", \"reset\", ")
      appendShortest(deadTime)
    case .input(let input):
      append(", ")
      append(input)
    case .mark(let text):
      append(", \"mark\", ")
      appendQuoted(text)
    case .output(let output):
      append(", ")
      append(output)
    case .refused, .unsent, .fault, .framingError, .lineBreak, .gap, .shaft, .truth, .supply,
      .twitch, .run, .missed, .other:
      append(", ")
      append(extra: event.kind)
    }
    append("]\n")
  }

  /// Appends several bytes that the board sent as one line, for people: in a trace, each of them
  /// has a line of its own.
  package mutating func appendLine(sent bytes: [UInt8], at time: Instant) {
    append(UInt8(ascii: "["))
    append(time)
    append(", \"tx\", ")
    appendQuoted(bytes: bytes)
    append("]\n")
  }

  /// Appends an event whose kind starts with `x-` as it follows the time.
  mutating func append(extra kind: Event.Kind) {
    if let extra = kind.extra {
      appendQuoted(extra.rawValue)
      append(", ")
    }
    switch kind {
    case .refused(let message): append(message)
    case .unsent(let bytes): appendQuoted(bytes: bytes)
    case .framingError(let line, let byte):
      append(line)
      appendQuoted(byte)
    case .lineBreak(let length, let line), .gap(let length, let line):
      append(line)
      appendShortest(length)
    case .shaft(let degrees, let pin):
      appendShortest(degrees)
      appendOther(pin)
    case .truth(let degrees, let pin):
      if let degrees { appendShortest(degrees) } else { append("null") }
      appendOther(pin)
    case .supply(let volts, let amperes):
      appendShortest(volts)
      append(", ")
      appendShortest(amperes)
    case .twitch(let twitch):
      appendQuoted(twitch.pin.name)
      append(", ")
      append(Int64(twitch.stored))
      append(", ")
      append(Int64(twitch.measured))
      guard let why = twitch.why else { break }
      append(", ")
      appendQuoted(why)
    case .run(.why(let text)): appendQuoted(text)
    case .run(.memory(let fault, let text)):
      appendQuoted(fault.rawValue)
      append(", ")
      appendQuoted(text)
    case .run(.longest(let span, let length, let text)):
      appendQuoted(span.rawValue)
      append(", ")
      appendShortest(length)
      append(", ")
      appendQuoted(text)
    case .missed(let count): append(Int64(count))
    case .fault(let strike):
      appendQuoted(strike.kind.rawValue)
      append(", ")
      appendQuoted(strike.place.rawValue)
      guard !strike.took.isEmpty || !strike.gave.isEmpty else { break }
      append(", ")
      appendQuoted(bytes: strike.took)
      append(", ")
      appendQuoted(bytes: strike.gave)
    case .other(let text): append(text)
    default: break
    }
  }

  private mutating func append(_ line: Event.Line) {
    appendQuoted(line.rawValue)
    append(", ")
  }
}
