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

/// Decides which client is in control. If any clients count for it, one of them is in control:
/// under `first` the one that counted first, under `latest` the one that did so last. The others
/// only watch.
struct ControlAssignment: Hashable, Sendable {
  enum Change: Hashable, Sendable {
    case gained(ClientID)
    /// Another client took control; this client is still connected.
    case lost(ClientID)
    /// The controller left, so the turret does what was chosen for this case. Precedes the next
    /// `gained`.
    case abandoned
  }

  let policy: ControlPolicy
  /// The clients that count, in the order in which they began to.
  private var present: [ClientID] = []

  init(policy: ControlPolicy) { self.policy = policy }

  /// The client in control; nil if none counts.
  var controller: ClientID? {
    switch policy {
    case .first: present.first
    case .latest: present.last
    }
  }

  /// Adds a client. Has no effect if it is already present.
  mutating func join(_ client: ClientID) -> [Change] {
    guard !present.contains(client) else { return [] }
    let old = controller
    present.append(client)
    guard controller == client else { return [] }
    return (old.map { [.lost($0)] } ?? []) + [.gained(client)]
  }

  /// Removes a client for any reason. Has no effect if it is not present.
  mutating func leave(_ client: ClientID) -> [Change] {
    let old = controller
    present.removeAll { $0 == client }
    guard old == client else { return [] }
    return [.abandoned] + (controller.map { [.gained($0)] } ?? [])
  }
}

/// The commands that wait for the cable, and the last lasting command, for a board that is
/// connected again.
struct PendingCommands: Sendable {
  /// A command that determines what the turret does from now on.
  private struct Lasting: Hashable {
    var command: Command
    /// The client that sent it; nil for the bench itself.
    var from: ClientID?
  }

  var queue = CommandQueue()
  /// The last lasting command, or with a profile the last one of each form, in order.
  private var lasting: [Lasting] = []
  /// The same for those that were sent over the cable.
  private var lastingSent: [Lasting] = []

  /// The last commands that determine what the turret does from now on, in order.
  var lastLasting: [Command] { lasting.map { $0.command } }

  /// Keeps a command for later, because there is no board now. A `client` of nil is the bench
  /// itself.
  mutating func remember(_ command: Command, from client: ClientID?) {
    Self.remember(command, from: client, in: &lasting)
  }

  /// Adds a client's command.
  mutating func put(
    _ command: Command, from client: ClientID, at time: Instant
  ) -> CommandQueue.Outcome {
    let outcome = queue.put(command, from: client, at: time)
    if outcome != .overflow { remember(command, from: client) }
    return outcome
  }

  /// Adds a command of the bench itself. It takes precedence over the commands of a client that has
  /// left; the commands dropped to make room for it are returned. With `isLast`, no command
  /// follows, and it is sent after everything that waits.
  mutating func putOwn(_ command: Command, isLast: Bool) -> [CommandQueue.Entry] {
    remember(command, from: nil)
    let dropped = isLast || queue.hasRoom(for: command) ? [] : queue.removeAll()
    _ = queue.put(command, from: nil, isLast: isLast)
    return dropped
  }

  /// Removes and returns the next command for the cable.
  mutating func next() -> CommandQueue.Entry? {
    guard let entry = queue.next() else { return nil }
    Self.remember(entry.command, from: entry.from, in: &lastingSent)
    return entry
  }

  private static func remember(
    _ command: Command, from client: ClientID?, in list: inout [Lasting]
  ) {
    guard command.isLasting else { return }
    list.removeAll { $0.command.isSuperseded(by: command) }
    list.append(Lasting(command: command, from: client))
  }

  /// Removes and returns one client's waiting commands. Of its lasting commands, only those that
  /// were sent still count.
  mutating func removeAll(from client: ClientID) -> [CommandQueue.Entry] {
    if lasting.contains(where: { $0.from == client }) { lasting = lastingSent }
    return queue.removeAll(from: client)
  }
}

/// Whether the board can take bytes: whether its sketch is listening, and when the line has carried
/// the bytes passed to it.
///
///     listening ──gone──▶ gone ──back──▶ booting ──advance──▶ listening
///
/// If the profile defines what the sketch sends once it is listening, the board counts as booting
/// until it has sent that.
struct BoardAvailability: Hashable, Sendable {
  private enum State: Hashable {
    case listening
    /// The board is connected again, and its bootloader owns the line until then.
    case booting(until: Instant)
    case gone
  }

  /// If the line should be free but is not, it is checked again after this time. A board that
  /// accepts nothing is checked less and less often, down to once per `retryMax`.
  private static let retry = Interval.microseconds(100)
  private static let retryMax = Interval.milliseconds(10)
  /// A sketch that does not report that it is listening is assumed to be after this time.
  static let bootMax = Interval.seconds(10)

  private let byteTime: Interval
  private var state = State.listening
  /// When the line will have carried everything passed to it.
  private var free: Instant
  /// Until when nothing can follow the last command, because a pause ends it.
  private var pauseEnd: Instant
  /// What the sketch sends once it is listening; empty if nothing.
  private let boot: [UInt8]
  /// The last bytes that the sketch has sent, at most as many as in `boot`.
  private var heard: [UInt8] = []

  init(baud: Int, boot: [UInt8] = [], at time: Instant) {
    byteTime = ByteClock.byteTime(baud: baud)
    free = time
    pauseEnd = time
    self.boot = boot
    if !boot.isEmpty { state = .booting(until: time + Self.bootMax) }
  }

  var isListening: Bool { state == .listening }
  var isGone: Bool { state == .gone }

  mutating func gone() { state = .gone }

  /// The board is connected again. Its sketch listens after `bootTime`; if `boot` is not empty,
  /// once it has sent that.
  mutating func back(bootTime: Interval, at time: Instant) {
    state = .booting(until: time + (boot.isEmpty ? bootTime : max(bootTime, Self.bootMax)))
    heard = []
    free = time
    pauseEnd = time
  }

  /// Takes bytes that the board has sent.
  mutating func hear(_ bytes: [UInt8]) {
    guard case .booting = state, !boot.isEmpty else { return }
    for byte in bytes {
      if heard.count == boot.count { heard.removeFirst() }
      heard.append(byte)
      if heard == boot { state = .listening }
    }
  }

  mutating func advance(to time: Instant) {
    if case .booting(let end) = state, end <= time { state = .listening }
  }

  /// Records that `count` bytes have been passed on. `pause`: for how long nothing can follow them.
  mutating func carry(_ count: Int, pause: Interval? = nil, at time: Instant) {
    free = max(free, time) + .nanoseconds(Int64(count) * byteTime.nanoseconds)
    if let pause { pauseEnd = free + pause }
  }

  /// Whether the pause after the last command is over.
  func isPauseOver(at time: Instant) -> Bool { pauseEnd <= time }

  /// When it must be checked again; nil if nothing is expected to change.
  func deadline(at time: Instant, isWaitedFor: Bool) -> Instant? {
    switch state {
    case .booting(let end): end
    case .listening: isWaitedFor ? max(free, pauseEnd, time + retry(at: time)) : nil
    case .gone: nil
    }
  }

  private func retry(at time: Instant) -> Interval {
    let late = Interval.nanoseconds((time - free).nanoseconds / 8)
    return min(max(late, Self.retry), Self.retryMax)
  }
}

/// A sender's bytes that are passed to the board unchanged, and the state in which they leave its
/// sketch.
struct RawBytes: Hashable, Sendable {
  /// How many can wait before the sender is held.
  static let countMax = 65_536
  /// Larger amounts are not sent in pieces smaller than this. A full line frees its room byte by
  /// byte, and each piece becomes an event of the session.
  static let pieceMin = 4_096

  /// How long the bytes of a client that has left can wait for the line: as long as Linux waits for
  /// a serial port that is being closed (`closing_wait` of setserial(8)).
  static let leftTime = Interval.seconds(30)

  private var bytes: [UInt8] = []
  /// How many of them have been sent.
  private var sent = 0
  /// How many of the waiting ones are of clients that have left; they come first.
  private(set) var leftCount = 0
  private let settings: ArbiterSettings
  /// Parses the bytes passed on; nil if nothing depends on their meaning.
  private var parser: CommandParser?

  init(_ settings: ArbiterSettings) {
    self.settings = settings
    // One of the bench's own commands can follow them.
    if settings.disconnectCommand != nil { parser = settings.makeParser() }
  }

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }
  /// The bytes that have not been sent.
  var waiting: [UInt8] { Array(bytes[sent...]) }
  /// Whether the sender must be held, and whether it can be resumed.
  var isFull: Bool { count >= Self.countMax }
  var isLow: Bool { count < Self.countMax / 2 }

  mutating func put(_ more: [UInt8]) {
    if isEmpty {
      bytes = more
    } else {
      bytes.removeFirst(sent)
      bytes += more
    }
    sent = 0
  }

  /// The next bytes, at most `room`; nil if there are none, or too little room.
  mutating func next(room: Int) -> [UInt8]? {
    guard !isEmpty, room >= min(count, Self.pieceMin) else { return nil }
    let next = sent == 0 && count <= room ? bytes : Array(bytes[sent...].prefix(room))
    sent += next.count
    leftCount = max(leftCount - next.count, 0)
    if isEmpty { removeAll() }
    _ = parser?.take(next)
    return next
  }

  /// The bytes to send so that the board receives a complete command after the raw bytes.
  mutating func next(command: [UInt8]) -> [UInt8] {
    // An unfinished number swallows one byte, so an extra first byte is sent for it. A command of
    // another profile is ended by the byte that ends commands, or by the pause before this one.
    let profile = settings.profile
    let end = profile == nil ? command.first : profile?.pauseMax == nil ? command.last : nil
    let bytes = parser?.isOpen == true ? (end.map { [$0] } ?? []) + command : command
    _ = parser?.take(bytes)
    return bytes
  }

  /// The board is disconnected, so the waiting bytes are lost.
  mutating func removeAll() {
    bytes = []
    sent = 0
    leftCount = 0
  }

  /// The clients that sent the waiting bytes have left.
  mutating func leave() { leftCount = count }

  /// Removes and returns the bytes of clients that have left.
  mutating func removeLeft() -> [UInt8] {
    let left = Array(bytes[sent...].prefix(leftCount))
    sent += leftCount
    leftCount = 0
    if isEmpty { removeAll() }
    return left
  }

  /// The board has restarted.
  mutating func restart() { if parser != nil { parser = settings.makeParser() } }
}

/// Assembles a board's bytes into lines, so that a client gets an answer as one message.
struct ReplyLines: Hashable, Sendable {
  /// A longer line is sent in pieces.
  private static let bytesMax = 256
  /// An unfinished line is passed on if nothing has followed for this long.
  private static let restTime = Interval.milliseconds(50)

  private var begun: [UInt8] = []
  /// When the unfinished line is passed on; nil if there is none.
  private(set) var deadline: Instant?

  /// Takes bytes, and returns the lines that they complete, including line feeds.
  mutating func take(_ bytes: [UInt8], at time: Instant) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      begun.append(byte)
      if byte == UInt8(ascii: "\n") || begun.count == Self.bytesMax {
        lines.append(begun)
        begun = []
      }
    }
    deadline = begun.isEmpty ? nil : time + Self.restTime
    return lines
  }

  /// Removes and returns a line that has waited too long for its end.
  mutating func takeOverdue(at time: Instant) -> [UInt8]? {
    guard let deadline, deadline <= time else { return nil }
    defer { begun = [] }
    self.deadline = nil
    return begun
  }
}
