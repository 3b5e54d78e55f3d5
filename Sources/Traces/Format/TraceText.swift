package import Turret

/// The canonical text of a trace.
extension [UInt8] {
  /// Appends the header's line.
  package mutating func appendLine(_ header: Header) {
    JSONValue.object(header.members).append(to: &self)
    append(UInt8(ascii: "\n"))
  }

  /// Appends the event's line.
  package mutating func appendLine(_ event: Event) {
    append(UInt8(ascii: "["))
    append(event.time)
    switch event.kind {
    case .receive(let bytes):
      append(", \"rx\", ")
      appendQuoted(bytes: bytes)
    case .baud(let baud):
      append(", \"baud\", ")
      append(Int64(baud))
    case .reset(let deadTime):
      append(", \"reset\", ")
      appendShortest(deadTime)
    case .mark(let text):
      append(", \"mark\", ")
      appendQuoted(text)
    case .other(let text):
      append(", ")
      append(text)
    case .output(let output):
      append(", ")
      append(output)
    }
    append("]\n")
  }

  /// Appends an output as it stands in an event after the time.
  package mutating func append(_ output: Output) {
    switch output {
    case .servo(let degrees, let microseconds):
      append("\"servo\", ")
      append(Int64(degrees))
      append(", ")
      append(Int64(microseconds))
    case .pulse(let microseconds):
      append("\"pulse\", ")
      appendShortest(microseconds)
    case .tone(let hertz):
      append("\"tone\", ")
      appendShortest(hertz)
    case .transmit(let byte):
      append("\"tx\", ")
      appendQuoted(bytes: [byte])
    case .lost(let byte, let why):
      append("\"lost\", ")
      appendQuoted(bytes: [byte])
      append(", ")
      appendQuoted(why.rawValue)
    }
  }
}
