package import Turret

/// One line of a trace after the header.
package struct Event: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Bytes to the board. The time is that of the first byte's start bit.
    case receive([UInt8])
    /// The sender's speed from now on, in bits a second.
    case baud(Int)
    /// The sender's format from now on.
    case format(LineFormat)
    /// The sender holds the line low for this long.
    case senderBreak(Interval)
    /// A restart of the board. The bootloader owns the line for this long.
    case reset(Interval)
    /// A level or a voltage that is applied to a pin from outside.
    case input(BoardInput)
    /// An output of the board.
    case output(Output)
    /// A note for the reader.
    case mark(String)
    /// An event whose kind starts with `x-`, kept as it is: its canonical text after the time.
    case other(String)
  }

  /// A line between the sender and the board.
  package enum Line: String, Hashable, Sendable, CaseIterable {
    /// To the board.
    case rx
    /// From the board.
    case tx
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

  /// Whether the event is an input of the board.
  package var isInput: Bool {
    switch kind {
    case .receive, .baud, .format, .senderBreak, .reset, .input: true
    case .output, .mark, .other: false
    }
  }

  /// Whether a device takes the event: an input, or that a byte of one had no stop bit.
  package var reachesDevice: Bool { isInput || kind.framingErrorToBoard != nil }

  /// The output; nil if the event is not one.
  package var output: Output? {
    if case .output(let output) = kind { output } else { nil }
  }
}

extension Event.Kind {
  /// Returns an event for bytes that a sender wrote while no board could take them. It is kept, but
  /// never compared.
  package static func unsent(_ bytes: [UInt8]) -> Event.Kind {
    var text: [UInt8] = []
    text.append("\"x-unsent\", ")
    text.appendQuoted(bytes: bytes)
    return .other(String(decoding: text, as: UTF8.self))
  }

  /// Returns an event for a break of a line that has just ended. The byte that was received at its
  /// beginning is a separate event.
  package static func lineBreak(on line: Event.Line = .rx, lasting time: Interval) -> Event.Kind {
    .other("\"x-break\", \"\(line.rawValue)\", \(String(shortest: time))")
  }

  /// Returns an event for a byte whose stop bit was missing. The byte is a separate event.
  package static func framingError(on line: Event.Line, _ byte: UInt8) -> Event.Kind {
    var text: [UInt8] = []
    text.append("\"x-framing\", \"\(line.rawValue)\", ")
    text.appendQuoted(byte)
    return .other(String(decoding: text, as: UTF8.self))
  }

  /// The byte to the board whose stop bit was missing; nil for any other event.
  package var framingErrorToBoard: UInt8? {
    let kind = "\"x-framing\", \"rx\", "
    guard case .other(let text) = self, text.hasPrefix(kind) else { return nil }
    return Array(text.utf8.dropFirst(kind.utf8.count)).withUnsafeBytes { line -> UInt8? in
      var scanner = LineScanner(line)
      return try? scanner.takeByte()
    }
  }

  /// Returns an event for a hole in a recording of a line: what passed there is not known. Its time
  /// is the hole's beginning.
  package static func gap(on line: Event.Line, lasting time: Interval) -> Event.Kind {
    .other("\"x-gap\", \"\(line.rawValue)\", \(String(shortest: time))")
  }
}
