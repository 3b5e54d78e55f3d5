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

  /// A line near the divergence: an event of the trace or an output of the device.
  package struct Neighbour: Hashable, Sendable {
    package var event: Event
    /// The trace's line; nil for the device's output.
    package var line: Int?

    package init(_ event: Event, line: Int?) {
      self.event = event
      self.line = line
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

/// The first place where the bytes of a live session differ from those of its trace.
package struct ByteDifference: Hashable, Sendable {
  private static let beforeCountMax = 12
  private static let restCountMax = 8

  /// The position of the difference, counted from 0.
  package var position: Int
  /// The number of bytes in the trace.
  package var expectedCount: Int
  /// The last few equal bytes.
  package var before: [UInt8]
  /// The next few bytes of the trace; empty at its end.
  package var expected: [UInt8]
  /// The next few bytes of the session.
  package var found: [UInt8]
  /// Whether the trace and the session continue after these bytes.
  private var isExpectedCut: Bool
  private var isFoundCut: Bool

  /// Nil if the bytes are the same.
  package init?(expected: [UInt8], found: [UInt8]) {
    let same = zip(expected, found).prefix { $0 == $1 }.count
    guard same < max(expected.count, found.count) else { return nil }
    position = same
    expectedCount = expected.count
    before = Array(expected[..<same].suffix(Self.beforeCountMax))
    self.expected = Array(expected[same...].prefix(Self.restCountMax))
    self.found = Array(found[same...].prefix(Self.restCountMax))
    isExpectedCut = expected.count - same > Self.restCountMax
    isFoundCut = found.count - same > Self.restCountMax
  }

  /// The difference in one sentence.
  package var message: String {
    let after = before.isEmpty ? "" : " after \(quoted(before, cutBefore: position > before.count))"
    if found.isEmpty {
      return "the sender stopped after \(position) of \(String(counting: expectedCount, "byte")): "
        + "expected \(quoted(expected, cutAfter: isExpectedCut))\(after), received nothing more"
    }
    if expected.isEmpty {
      return "the sender continued after the trace's \(String(counting: expectedCount, "byte")): "
        + "received \(quoted(found, cutAfter: isFoundCut))\(after)"
    }
    return "byte \(position + 1) of \(expectedCount) differs: "
      + "expected \(quoted(expected, cutAfter: isExpectedCut))\(after), "
      + "received \(quoted(found, cutAfter: isFoundCut))"
  }

  private func quoted(_ bytes: [UInt8], cutBefore: Bool = false, cutAfter: Bool = false) -> String {
    var text: [UInt8] = []
    text.appendQuoted(bytes: bytes)
    let quoted = String(decoding: text, as: UTF8.self).dropFirst().dropLast()
    return "\"\(cutBefore ? "..." : "")\(quoted)\(cutAfter ? "..." : "")\""
  }
}
