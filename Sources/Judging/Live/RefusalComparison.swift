package import Sketches
package import Traces

/// Compares what the network refuses in a live session with the refusals in a trace, one by one.
struct RefusalComparison: Sendable {
  private let expected: [(message: RefusedMessage, line: Int)]
  private var next = 0
  /// The first message that differs; nil if there is none.
  private var found: RefusalDifference?
  /// How many commands were replaced and merged. They are not compared.
  private(set) var replaced = 0
  private(set) var merged = 0

  init(_ expected: [(message: RefusedMessage, line: Int)]) { self.expected = expected }

  /// Takes the session's next event, of any kind.
  mutating func take(_ event: Event) {
    guard case .refused(let message) = event.kind else { return }
    switch message.why {
    case .replaced: replaced += 1
    case .merged: merged += 1
    default: compare(message, event)
    }
  }

  private mutating func compare(_ message: RefusedMessage, _ event: Event) {
    guard found == nil else { return }
    let wanted = next < expected.count ? expected[next] : nil
    if let wanted, wanted.message == message {
      next += 1
    } else {
      found = RefusalDifference(
        expected: wanted.map { .init($0.message, line: $0.line) },
        found: .init(message, time: event.time), position: next, expectedCount: expected.count)
    }
  }

  /// The first difference in a session that has ended; nil if there is none.
  var difference: RefusalDifference? {
    if let found { return found }
    guard next < expected.count else { return nil }
    return RefusalDifference(
      expected: .init(expected[next].message, line: expected[next].line), found: nil,
      position: next, expectedCount: expected.count)
  }
}

/// The first place where the network's refusals in a live session differ from those in its trace.
package struct RefusalDifference: Hashable, Sendable {
  package struct Expected: Hashable, Sendable {
    package var message: RefusedMessage
    package var line: Int

    package init(_ message: RefusedMessage, line: Int) {
      self.message = message
      self.line = line
    }
  }

  package struct Found: Hashable, Sendable {
    package var message: RefusedMessage
    package var time: Instant

    package init(_ message: RefusedMessage, time: Instant) {
      self.message = message
      self.time = time
    }
  }

  /// Nil if the trace has no more refusals.
  package var expected: Expected?
  /// Nil if the session has no more refusals.
  package var found: Found?
  /// The number of refusals before it, which are the same on both sides.
  package var position: Int
  /// The number of refusals in the trace.
  package var expectedCount: Int

  package init(expected: Expected?, found: Found?, position: Int, expectedCount: Int) {
    self.expected = expected
    self.found = found
    self.position = position
    self.expectedCount = expectedCount
  }

  /// Returns the difference in one sentence. `time` is when it was noticed, in words.
  func message(at time: String) -> String {
    switch (expected, found) {
    case (let expected?, let found?):
      return "refusal \(position + 1) of \(expectedCount) differs: "
        + "expected \(expected.message.text), the network refused \(found.message.text) at \(time)"
    case (nil, let found?):
      let count = expectedCount
      let after = count == 0 ? "no" : "only \(count)"
      return "the network refused \(found.message.text) at \(time): "
        + "the trace has \(after) refusal\(count == 1 ? "" : "s")"
    case (let expected?, nil):
      return "the network refused only \(position) of \(expectedCount) messages: "
        + "expected \(expected.message.text), and nothing more was refused until \(time)"
    case (nil, nil): return "the refusals differ"
    }
  }
}
