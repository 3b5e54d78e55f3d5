import Devices
import Turret

/// What the arbiter knows of a client that may send commands.
struct Sender: Hashable, Sendable {
  /// Over TCP a run of bytes that are not a command ends at the latest after this silence.
  private static let silence = Interval.milliseconds(100)

  let transport: Transport
  /// Whether anything has come from it. Over WebSocket its request has. Over bare TCP it could be a
  /// browser's connection until then, which is refused when it begins to speak.
  var hasSpoken: Bool
  private var parser: CommandParser
  private var gatherer: RefusalGatherer
  /// By when the number that it has begun must be finished.
  private(set) var numberDeadline: HostTime?
  /// When the run of refused bytes that is under way counts as ended.
  private(set) var silenceDeadline: HostTime?
  /// In which kind of message it is answered: its own last one.
  var kind = MessageKind.text
  /// Whether it was told since control changed that another has it.
  var isToldOfControl = false
  /// Whether it was told since the board went that there is none.
  var isToldOfBoard = false

  init(_ transport: Transport, parser: CommandParser) {
    self.transport = transport
    hasSpoken = transport == .webSocket
    self.parser = parser
    gatherer = RefusalGatherer(endsAtLines: transport == .tcp)
  }

  /// When it is to be looked at again; nil: not until it sends something.
  var deadline: HostTime? {
    guard let silenceDeadline else { return numberDeadline }
    return numberDeadline.map { min($0, silenceDeadline) } ?? silenceDeadline
  }

  /// What its bytes turn out to be. A message is a whole; the reads of a TCP connection are not,
  /// and so a run of refused bytes goes on in the next one.
  mutating func take(_ bytes: [UInt8], at time: HostTime) -> [Parsed] {
    let wasOpen = parser.isOpen
    let found = parser.take(bytes, into: &gatherer, isWhole: transport != .tcp)
    if !parser.isOpen {
      numberDeadline = nil
    } else if !wasOpen || bytes.contains(UInt8(ascii: "X")) {
      numberDeadline = time + CommandParser.openTimeMax
    }
    silenceDeadline = gatherer.isOpen ? time + Self.silence : nil
    return found
  }

  /// What has come to its end by itself.
  mutating func finishOverdue(at time: HostTime) -> [Refusal] {
    var found: [Refusal] = []
    if let silenceDeadline, silenceDeadline <= time { found += finishRun() }
    if let numberDeadline, numberDeadline <= time { found += finishNumber() }
    return found
  }

  /// It sends nothing more: whatever it has begun comes to nothing.
  mutating func finish() -> [Refusal] { finishRun() + finishNumber() }

  private mutating func finishRun() -> [Refusal] {
    silenceDeadline = nil
    return gatherer.finish().compactMap { parsed in
      if case .refused(let refusal) = parsed { refusal } else { nil }
    }
  }

  private mutating func finishNumber() -> [Refusal] {
    numberDeadline = nil
    return parser.finish().map { [$0] } ?? []
  }
}
