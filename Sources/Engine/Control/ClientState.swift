import Sketches

/// The arbiter's state for a client that can send commands.
struct ClientState: Hashable, Sendable {
  /// Over TCP, silence of this length ends a run of bytes that are not a command.
  private static let silence = Interval.milliseconds(100)

  let transport: Transport
  /// Whether it counts for control. A WebSocket does, because of its request. A bare TCP connection
  /// does from its first command on, or in raw mode from its first byte: until then it might be a
  /// browser's, which any page can cause, or a program's that only listens.
  var isSender: Bool
  private var parser: CommandParser
  private var gatherer: RefusalGatherer
  /// The time by which its unfinished number must be finished.
  private(set) var numberDeadline: Instant?
  /// The time at which the present run of refused bytes ends.
  private(set) var silenceDeadline: Instant?
  /// Whether it is answered with text: its last message was text.
  var usesText = true
  /// Whether it has been notified, since control last changed, that another client is in control.
  var isToldOfControl = false
  /// Whether it has been notified, since the board was disconnected, that there is no board.
  var isToldOfBoard = false

  init(_ transport: Transport, parser: CommandParser) {
    self.transport = transport
    isSender = transport == .webSocket
    self.parser = parser
    gatherer = RefusalGatherer(endsAtLines: transport == .tcp)
  }

  /// When it must be advanced; nil if nothing is due until it sends something.
  var deadline: Instant? {
    guard let silenceDeadline else { return numberDeadline }
    return numberDeadline.map { min($0, silenceDeadline) } ?? silenceDeadline
  }

  /// Parses its bytes. A message is complete in itself. The reads of a TCP connection are not, so a
  /// run of refused bytes continues in the next one.
  mutating func take(_ bytes: [UInt8], at time: Instant) -> [Parsed] {
    let beginnings = parser.beginnings
    let found = parser.take(bytes, into: &gatherer, isWhole: transport != .tcp)
    if !parser.isOpen {
      numberDeadline = nil
    } else if parser.beginnings != beginnings {
      numberDeadline = time + CommandParser.openTimeMax
    }
    silenceDeadline = gatherer.isOpen ? time + Self.silence : nil
    return found
  }

  /// Finishes what has timed out.
  mutating func finishOverdue(at time: Instant) -> [Parsed] {
    var found: [Parsed] = []
    if let silenceDeadline, silenceDeadline <= time { found += finishRun() }
    if let numberDeadline, numberDeadline <= time { found += finishNumber() }
    return found
  }

  /// Ends everything it has begun, because it sends nothing more. A command that a pause ends is
  /// complete; any other is abandoned.
  mutating func finish() -> [Parsed] { finishRun() + finishNumber() }

  private mutating func finishRun() -> [Parsed] {
    silenceDeadline = nil
    return gatherer.finish()
  }

  private mutating func finishNumber() -> [Parsed] {
    numberDeadline = nil
    return parser.finish().map { [$0] } ?? []
  }
}

/// How a client is connected to the bench.
package enum Transport: String, Hashable, Sendable, CaseIterable {
  case webSocket = "websocket"
  case tcp
}
