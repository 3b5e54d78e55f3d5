package import Sketches
package import Traces

/// What passed on the line to the board and back, for people who follow it: the last entries.
///
/// An entry is what belongs together on a line of text: bytes in one direction, up to a line feed,
/// a pause or a limit.
package struct SerialLog: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// The raw value is sent to dashboards.
    package enum Kind: String, Hashable, Sendable {
      /// Bytes to the board, whoever sent them.
      case sent
      /// Bytes from the board.
      case answered
      /// Bytes that were not sent: a client's that were refused, or any while the board was away.
      case refused
      /// The board restarted. It has no bytes.
      case reset
    }

    package var kind: Kind
    /// When its first byte began; for what the board sent, when it arrived at the computer.
    package var time: Instant
    package var bytes: [UInt8]
  }

  /// The most entries and bytes that are kept. A page keeps more lines, as they arrive.
  private static let countMax = 2_000
  private static let bytesMax = 1 << 16
  /// The longest entry in bytes, and the longest pause within one.
  private static let lengthMax = 128
  private static let pause = Interval.milliseconds(100)
  /// How long an answer can take.
  private static let patience = Interval.seconds(5)
  /// The most kinds of command of which it is known that they are answered.
  private static let answeredMax = 256

  /// The entries that are kept, oldest first.
  package private(set) var entries: [Entry] = []
  /// The number of the first of them, counted from the session's first entry.
  package private(set) var first = 0
  private var byteCount = 0
  /// Whether the last entry can become longer.
  private var isOpen = false
  private var lastTime = Instant.zero
  /// What was sent last, until it is answered, and when its first byte was.
  private var question: Entry?
  /// The commands that were answered, without their digits: `P120` and `P45` are alike.
  private var answered: Set<[UInt8]> = []

  package init() {}

  /// The number of the next entry.
  package var next: Int { first + entries.count }

  package mutating func take(_ event: Event) {
    switch event.kind {
    case .receive(let bytes):
      ask(bytes, at: event.time)
      put(.sent, bytes, at: event.time)
    case .unsent(let bytes): putWhole(.refused, bytes, at: event.time)
    // An aim that a newer one replaced was not refused.
    case .refused(let message) where message.why.isJudged:
      putWhole(.refused, message.bytes, at: event.time)
    case .reset: putWhole(.reset, [], at: event.time)
    case .output(.transmit(let byte)): take(transmitted: [byte], at: event.time)
    default: break
    }
  }

  /// Takes bytes from the board.
  package mutating func take(transmitted bytes: [UInt8], at time: Instant) {
    if let question {
      let key = Self.key(question.bytes)
      if answered.count < Self.answeredMax { answered.insert(key) }
      self.question = nil
    }
    put(.answered, bytes, at: time)
  }

  private mutating func ask(_ bytes: [UInt8], at time: Instant) {
    // The bytes of a line can arrive one by one, and the first command has waited for longest.
    guard let open = question else {
      question = Entry(kind: .sent, time: time, bytes: bytes)
      return
    }
    let isOver = open.bytes.last == UInt8(ascii: "\n")
    if !isOver, open.bytes.count < Self.lengthMax {
      question?.bytes += bytes
    } else if !answered.contains(Self.key(open.bytes)) {
      question = Entry(kind: .sent, time: time, bytes: bytes)
    }
  }

  private static func key(_ bytes: [UInt8]) -> [UInt8] {
    bytes.filter { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Returns what was not answered for 5 s although commands like it were answered before; nil if
  /// there is nothing.
  package func unanswered(at now: Instant) -> [UInt8]? {
    guard let question, now - question.time >= Self.patience,
      answered.contains(Self.key(question.bytes))
    else { return nil }
    return question.bytes
  }

  private mutating func putWhole(_ kind: Entry.Kind, _ bytes: [UInt8], at time: Instant) {
    isOpen = false
    put(kind, bytes, at: time)
    isOpen = false
  }

  private mutating func put(_ kind: Entry.Kind, _ bytes: [UInt8], at time: Instant) {
    defer { lastTime = time }
    var rest = bytes[...]
    repeat {
      let isJoined =
        isOpen && entries.last?.kind == kind && time - lastTime < Self.pause
        && (entries.last?.bytes.count ?? 0) < Self.lengthMax
      if !isJoined { entries.append(Entry(kind: kind, time: time, bytes: [])) }
      let last = entries.count - 1
      let room = rest.prefix(Self.lengthMax - entries[last].bytes.count)
      let end = room.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? room.endIndex
      entries[last].bytes += rest[..<end]
      byteCount += end - rest.startIndex
      isOpen = end == rest.endIndex && entries[last].bytes.last != UInt8(ascii: "\n")
      rest = rest[end...]
    } while !rest.isEmpty
    forget()
  }

  /// Forgets the oldest entries, many at once.
  private mutating func forget() {
    guard entries.count > Self.countMax * 2 || byteCount > Self.bytesMax * 2 else { return }
    var count = max(0, entries.count - Self.countMax)
    byteCount -= entries[..<count].reduce(0) { $0 + $1.bytes.count }
    while byteCount > Self.bytesMax, count < entries.count - 1 {
      byteCount -= entries[count].bytes.count
      count += 1
    }
    entries.removeFirst(count)
    first += count
  }

  package mutating func goBack(to time: Instant) {
    while let last = entries.last, last.time > time {
      byteCount -= last.bytes.count
      entries.removeLast()
    }
    isOpen = false
    question = nil
  }

  /// Returns the entries from a number on, as a JSON object for dashboards, and ends the last one:
  /// what follows is another. Without a number, all that are kept.
  package mutating func json(from number: Int?) -> JSONValue {
    isOpen = false
    let from = min(max(number ?? first, first), next)
    return .object([
      .init("from", .whole(from)),
      .init(
        "entries",
        .array(
          entries[(from - first)...].map { entry in
            .array([
              .seconds(entry.time), .string(entry.kind.rawValue), .string(Self.text(entry.bytes)),
            ])
          })),
    ])
  }

  /// The bytes as a text whose characters are the bytes.
  package static func text(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }
}

extension SerialLog {
  /// How a person sees bytes: text with signs for the bytes that are none, or hexadecimal.
  ///
  /// Signs for control characters take a cell each in a browser. A terminal cannot be relied on to
  /// have them, so there they are `\n`, as they would be typed.
  package static func shown(_ bytes: [UInt8], inHexadecimal: Bool) -> String {
    guard inHexadecimal else { return String(ByteText.quoted(bytes).dropFirst().dropLast()) }
    return bytes.map { String($0, radix: 16, digits: 2, uppercase: true) }.joined(separator: " ")
  }
}
