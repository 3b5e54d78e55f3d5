package import Turret

/// One line of a trace after the header.
package struct Event: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Bytes to the board; the time is the first one's start bit.
    case receive([UInt8])
    /// The sender's speed from here on, bits a second.
    case baud(Int)
    /// The board restarts; the bootloader owns the line for that long.
    case reset(Interval)
    /// What the board did.
    case output(Output)
    /// A note for people.
    case mark(String)
    /// An event whose kind starts with `x-`, carried along: its canonical text after the time.
    case other(String)
  }

  package var time: Instant
  package var kind: Kind

  package init(_ time: Instant, _ kind: Kind) {
    self.time = time
    self.kind = kind
  }

  package init(_ time: Instant, _ output: Output) {
    self.init(time, .output(output))
  }

  /// Whether the event goes into the board.
  package var isInput: Bool {
    switch kind {
    case .receive, .baud, .reset: true
    case .output, .mark, .other: false
    }
  }

  /// The output, where the event is one.
  package var output: Output? {
    if case .output(let output) = kind { output } else { nil }
  }
}

extension Event.Kind {
  /// Bytes that a sender wrote while there was no board to take them: carried along, never
  /// compared.
  package static func unsent(_ bytes: [UInt8]) -> Event.Kind {
    var text: [UInt8] = []
    text.append("\"x-unsent\", ")
    text.appendQuoted(bytes: bytes)
    return .other(String(decoding: text, as: UTF8.self))
  }
}
