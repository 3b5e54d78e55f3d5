import Turret

/// What a sender sent to a sketch whose commands are not known: bytes, wherever they begin or end.
struct SentStream: Hashable, Sendable {
  private var bytes: [UInt8] = []
  /// When each byte began to arrive.
  private var times: [Instant] = []
  /// The session's event with each byte, counted from 0.
  private var events: [Int] = []

  mutating func append(_ byte: UInt8, at begin: Instant, event: Int) {
    bytes.append(byte)
    times.append(begin)
    events.append(event)
  }

  /// Returns the bytes that match a pattern first, from an index on, and the index after them. Each
  /// `*` stands for as few bytes as possible. Two matches have no byte in common.
  func match(_ pattern: TextPattern, from start: Int) -> (command: SentCommand, next: Int)? {
    guard let range = pattern.firstMatch(in: bytes, from: start), let last = range.last else {
      return nil
    }
    let command = SentCommand(
      text: Array(bytes[range].prefix(SentCommand.textMax)), form: .whole,
      begin: times[range.lowerBound], last: times[last], event: events[range.lowerBound])
    return (command, range.upperBound)
  }
}
