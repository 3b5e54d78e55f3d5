import Engine

/// Counts the messages that a client misses because it does not read, and reports their number with
/// the next one.
struct MissedMessages: Hashable, Sendable {
  private var count = 0

  /// The messages to send to the client now, in order.
  mutating func pass(_ message: ClientMessage, isWritable: Bool) -> [ClientMessage] {
    guard isWritable else {
      count += 1
      return []
    }
    defer { count = 0 }
    return count > 0 ? [.missed(count), message] : [message]
  }
}
