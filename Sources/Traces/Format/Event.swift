package import Sketches

/// One line of a trace after the header.
package struct Event: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    // The kinds with bytes or text come first, which makes the code that copies an event smaller.

    /// Bytes to the board. The time is that of the first byte's start bit.
    case receive([UInt8])
    /// Bytes that a sender wrote while no board could take them.
    case unsent([UInt8])
    /// What a network client sent and the bench refused.
    case refused(RefusedMessage)
    /// A fault that was requested for the session has struck.
    case fault(FaultStrike)
    case mark(String)
    /// An event whose kind starts with `x-` and is not known, or has other values than its kind. It
    /// is kept as it is: its canonical text after the time.
    case other(String)
    /// The sender's speed from now on, in bits a second.
    case baud(Int)
    /// The sender's format from now on.
    case format(LineFormat)
    /// The sender holds the line low for this long.
    case senderBreak(Interval)
    /// A restart of the board. The bootloader owns the line for this long.
    case reset(Interval)
    indirect case input(BoardInput)
    case output(Output)
    /// The stop bit of a byte was missing. The byte is an event of its own.
    case framingError(on: Line, UInt8)
    /// A break of a line has just ended. The byte that was received at its beginning is an event of
    /// its own.
    case lineBreak(lasting: Interval, on: Line = .rx)
    /// A hole in a recording of a line: what passed there is not known. The time is the hole's
    /// beginning.
    case gap(lasting: Interval, on: Line)
    /// The angle at which a virtual servo's shaft starts or stops turning, in degrees. The pin is
    /// nil for the session's own servo.
    case shaft(Double, on: BoardPin? = nil)
    /// Where the face is that a turret should follow, in degrees of the servo; nil while it cannot
    /// be seen. Between two of these events its way is a straight line, unless they have the same
    /// time. The pin is nil for the session's own servo; otherwise it is that of the one that
    /// tilts.
    case truth(Double?, on: BoardPin? = nil)
    /// The voltage of the rail that feeds the servos, and the current drawn from it.
    case supply(volts: Double, amperes: Double)
    /// A pulse that has just ended was not as the sketch had stored.
    case twitch(Twitch)
    case run(RunNote)
    /// This many events were left out, because their reader is too slow.
    case missed(Int)
  }

  /// The known kinds of event that are not the board's and start with `x-`. They are kept, but only
  /// refusals are compared. The raw value is the trace format's word for the kind.
  package enum Extra: String, Sendable, CaseIterable {
    case refused = "x-refused"
    case unsent = "x-unsent"
    case framingError = "x-framing"
    case lineBreak = "x-break"
    case gap = "x-gap"
    case shaft = "x-shaft"
    case missed = "x-missed"
    case fault = "x-fault"
    case truth = "x-truth"
    case supply = "x-supply"
    case twitch = "x-twitch"
    case why = "x-why"
    case longest = "x-longest"
    case memory = "x-memory"
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

  /// Whether the event is an input of the board, which a device takes.
  package var isInput: Bool {
    switch kind {
    case .receive, .framingError(on: .rx, _), .baud, .format, .senderBreak, .reset, .input: true
    default: false
    }
  }

  /// Whether it says that a byte on its way to the board has a low stop bit.
  package var lacksStopBit: Bool {
    if case .framingError(on: .rx, _) = kind { true } else { false }
  }

  /// Whether a device reports it beside its outputs, so that another one replaces it.
  package var isReported: Bool {
    switch kind {
    case .twitch, .run: true
    default: false
    }
  }

  package var twitch: Twitch? {
    if case .twitch(let twitch) = kind { twitch } else { nil }
  }

  package var output: Output? {
    if case .output(let output) = kind { output } else { nil }
  }
}

extension Event.Kind {
  /// Which of the kinds that start with `x-` it is; nil for any other kind, and an unknown one.
  package var extra: Event.Extra? {
    switch self {
    case .refused: .refused
    case .unsent: .unsent
    case .framingError: .framingError
    case .lineBreak: .lineBreak
    case .gap: .gap
    case .shaft: .shaft
    case .missed: .missed
    case .fault: .fault
    case .truth: .truth
    case .supply: .supply
    case .twitch: .twitch
    case .run(.why): .why
    case .run(.longest): .longest
    case .run(.memory): .memory
    default: nil
    }
  }
}

extension Event {
  /// The event as in a trace, with at least six decimal places in its time.
  package var json: JSONValue {
    var line: [UInt8] = []
    line.appendLine(self)
    guard case .array(var items)? = try? JSONValue.contents(of: line, path: "event") else {
      return .null
    }
    items[0] = .number(String(canonical: time))
    return .array(items)
  }
}

extension Event {
  /// Parses a line with or without a time, such as `["set", "D2", 1]`. `path` is used in messages.
  package init(untimed line: [UInt8], path: String) throws(TraceError) {
    self = try LineScanner.read(line, path: path) { (scanner) throws(LineScanner.Failure) in
      var parser = EventParser(scanner.bytes)
      let event = try parser.parseUntimed()
      scanner.position = scanner.bytes.count
      return event
    }
  }
}
