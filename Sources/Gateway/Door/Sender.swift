import Bench

/// A client that may send commands, as the door keeps it.
struct Sender {
  let client: any Client
  private var parser: CommandParser
  /// By when the number that it has begun must be finished.
  private(set) var numberDeadline: HostTime?
  /// In which kind of message it is answered: its own last one.
  var kind = MessageKind.text
  /// Whether it was told since control changed that another has it.
  var isToldOfControl = false
  /// Whether it was told since the board went that there is none.
  var isToldOfBoard = false
  private var noticesMissed = 0

  init(client: any Client, parser: CommandParser) {
    self.client = client
    self.parser = parser
  }

  /// What its bytes turn out to be.
  mutating func take(_ bytes: [UInt8], at time: HostTime) -> [Parsed] {
    let wasOpen = parser.isOpen
    let found = parser.take(bytes)
    if !parser.isOpen {
      numberDeadline = nil
    } else if !wasOpen || bytes.contains(UInt8(ascii: "X")) {
      numberDeadline = time + CommandParser.openTimeMax
    }
    return found
  }

  /// The number that it has begun comes to nothing.
  mutating func finishNumber() -> Refusal? {
    numberDeadline = nil
    return parser.finish()
  }

  /// What the board has sent. Raw bytes are not left out: a client that takes none comes to its limit and
  /// is closed.
  func reply(_ bytes: [UInt8], isRaw: Bool) {
    guard isRaw || client.isWritable else { return }
    client.send(bytes, as: bytes.allSatisfy { $0 < 0x80 } ? kind : .binary)
  }

  mutating func tell(_ notice: Notice) {
    guard client.isWritable else {
      noticesMissed += 1
      return
    }
    if noticesMissed > 0 {
      send(.missed(noticesMissed))
      noticesMissed = 0
    }
    send(notice)
  }

  private func send(_ notice: Notice) {
    let line = client.transport == .tcp ? [UInt8(ascii: "\n")] : []
    client.send(notice.json + line, as: .text)
  }
}
