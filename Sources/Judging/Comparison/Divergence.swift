package import Sketches
package import Traces

/// The first place where a device's output differs from what its trace expects.
package struct Divergence: Hashable, Sendable {
  package enum Difference: String, Hashable, Sendable {
    case value, time, missing, extra
    /// In a live session: the received bytes differ.
    case bytes
    /// In a live session: the time between two bytes or commands of the sender differs.
    case gap
    /// In a live session: the network refused something else.
    case refused
  }

  /// A line near the divergence: an event of the trace or an output of the device. What the board
  /// sends without a pause, up to a line's end, is one.
  package struct Neighbour: Hashable, Sendable {
    package var event: Event
    /// The trace's line, of the first byte if there are several; nil for the device's output.
    package var line: Int?
    /// The other bytes that the board sent, with their times.
    private var rest: [Event] = []

    /// The most bytes of a line, and the longest pause in it.
    private static let bytesMax = 256
    static let pauseMax = Interval.milliseconds(20)

    package init(_ event: Event, line: Int?) {
      self.event = event
      self.line = line
    }

    /// Adds a byte that the board sent if it continues this line. Returns whether it does.
    mutating func join(_ next: Event) -> Bool {
      let last = rest.last ?? event
      guard case .output(.transmit) = next.kind, case .output(.transmit(let byte)) = last.kind,
        byte != 0x0A, next.time - last.time <= Self.pauseMax, rest.count + 1 < Self.bytesMax
      else { return false }
      rest.append(next)
      return true
    }

    /// Whether an event is this one, or a byte in it.
    func contains(_ event: Event?) -> Bool {
      self.event == event || !rest.isEmpty && rest.contains { $0 == event }
    }

    /// The event as a line of a trace, without the line feed.
    package var text: String {
      guard !rest.isEmpty else { return event.line }
      let bytes = ([event] + rest).compactMap { event -> UInt8? in
        if case .output(.transmit(let byte)) = event.kind { byte } else { nil }
      }
      var line: [UInt8] = []
      line.appendLine(sent: bytes, at: event.time)
      return String(decoding: line.dropLast(), as: UTF8.self)
    }
  }

  package var difference: Difference
  package var expected: Expectation?
  package var found: Event?
  /// The trace's line where the divergence was noticed.
  package var line: Int
  package var tolerance: Interval
  /// The difference, if it is in the bytes.
  package var bytes: ByteDifference?
  /// The difference, if it is in a gap of the sender.
  package var gap: GapDifference?
  /// The difference, if it is in what the network refused.
  package var refusal: RefusalDifference?
  /// The trace's events and the device's outputs around the divergence, each in order.
  package var traced: [Neighbour] = []
  package var done: [Neighbour] = []

  /// The virtual time of the divergence.
  package var time: Instant { expected?.event.time ?? found?.time ?? .zero }

  package init(
    _ difference: Difference, expected: Expectation?, found: Event?, line: Int, tolerance: Interval
  ) {
    self.difference = difference
    self.expected = expected
    self.found = found
    self.line = line
    self.tolerance = tolerance
  }

  /// Creates a divergence for bytes that differ in a live session, noticed at `time`. `line` is
  /// the line of the differing byte in the trace.
  package init(_ bytes: ByteDifference, at time: Instant, line: Int, tolerance: Interval) {
    self.init(
      .bytes, expected: Expectation(Event(time, .receive(bytes.expected)), line: line),
      found: Event(time, .receive(bytes.found)), line: line, tolerance: tolerance)
    self.bytes = bytes
  }

  /// Creates a divergence for a gap in a live session, whose last byte arrived at `time`. `line` is
  /// the line of that byte in the trace.
  init(_ gap: GapDifference, at time: Instant, line: Int, tolerance: Interval) {
    let wanted = (time - gap.found + gap.expected).roundedUpToMicrosecond
    self.init(
      .gap, expected: Expectation(Event(wanted, .receive(gap.after)), line: line),
      found: Event(time, .receive(gap.after)), line: line, tolerance: tolerance)
    self.gap = gap
  }

  /// Creates a divergence for what the network refused in a live session that ended at `end`.
  /// `line` is the trace's last line.
  package init(
    _ refusal: RefusalDifference, endingAt end: Instant, line: Int, tolerance: Interval
  ) {
    let time = refusal.found?.time ?? end
    self.init(
      .refused,
      expected: refusal.expected.map {
        Expectation(Event(time, .refused($0.message)), line: $0.line)
      },
      found: refusal.found.map { Event($0.time, .refused($0.message)) },
      line: refusal.expected?.line ?? line, tolerance: tolerance)
    self.refusal = refusal
  }

  /// The divergence in one sentence: what was expected, and what was found.
  package var message: String {
    if let bytes { return bytes.message + " at \(Self.seconds(time))" }
    if let gap {
      return gap.message + " at \(Self.seconds(time)) (--gaps \(String(readable: tolerance)))"
    }
    if let refusal { return refusal.message(at: Self.seconds(time)) }
    switch (difference, expected, found) {
    case (.time, let expected?, let found?):
      let late = found.time - expected.event.time
      let direction = late > .zero ? "late" : "early"
      return "\(name(expected.event)) came \(String(readable: late.magnitude)) \(direction): "
        + "expected at \(Self.seconds(expected.event.time)), "
        + "found at \(Self.seconds(found.time)) "
        + "(tolerance \(String(readable: tolerance)))"
    case (_, let expected?, let found?):
      return "expected \(name(expected.event)) at \(Self.seconds(expected.event.time)), "
        + "found \(name(found)) at \(Self.seconds(found.time))"
    case (_, let expected?, nil):
      return "expected \(name(expected.event)) at \(Self.seconds(expected.event.time)), "
        + "found none"
    case (_, nil, let found?):
      let kind = found.output?.kind.name ?? "output"
      return "expected no \(kind) event here, "
        + "found \(name(found)) at \(Self.seconds(found.time))"
    case (_, nil, nil):
      return "the two differ"
    }
  }

  private func name(_ event: Event) -> String {
    event.output.map { $0.description } ?? "nothing"
  }

  /// Formats an instant for messages.
  package static func seconds(_ instant: Instant) -> String { String(canonical: instant) + " s" }
}
