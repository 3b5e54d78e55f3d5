import Traces

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
