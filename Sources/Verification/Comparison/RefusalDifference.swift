package import Traces
package import Turret

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
