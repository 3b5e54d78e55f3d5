import Sketches
import Traces

/// What an iPhone's app says that it sent: lines with the phone's time and a message that is one of
/// the turret's commands, or ends with one. These are the same entry:
///
///     2026-11-20 18:03:11.204 X90.
///     2026-11-20 18:03:11.204817+0100 Sentry[4121:7215] sent X90.
///     2026-11-20 18:03:11.204817+0100 0x1c2f  Default  0x0  4121  0  Sentry: [sub:cat] sent X90.
///     2026-11-20 18:03:11.204817+0100  localhost Sentry[4121]: [sub:cat] sent X90.
///     2026-11-20 18:03:11.204 Df Sentry[4121:1c2f] [sub:cat] sent X90.
///     default  18:03:11.204817+0100  Sentry  sent X90.
///     {"timestamp":"2026-11-20 18:03:11.204817+0100","eventMessage":"sent X90."}
///
/// Source of the formats: `NSLog` and Xcode's console, `log show` with its styles `default`,
/// `syslog`, `compact`, `json` and `ndjson`, lines copied from Console.
///
/// | `iphone-app` | an app's own file, Xcode, Console, `log show` | 1 us to 1 s | 100 ms, assumed |
struct IPhoneAppLog: LineLogReader {
  static let format = LogFormat(
    kind: .iphoneApp, source: "iPhone app's log", clock: .local, portNoun: "process",
    slack: 10_000_000)
  /// How long a command takes to the board at most, as assumed: a log has nothing of the network.
  private static let delayMax: Int64 = 100_000_000

  private(set) var ports: [LogPort] = []
  private(set) var clock = format.clock
  private(set) var resolution: Int64 = 1
  var uncertainty: Int64 { max(Self.delayMax, resolution) }

  /// The entry of `log show --style json` that has begun; nil for other styles.
  private var entry: JSONEntry?
  private let acceptsNoByte: Bool
  /// The lines that say that they send commands, those that only name some, and the others.
  private var sending = LineCount()
  private var naming = LineCount()
  private var others = LineCount()
  /// The last words before commands with numbers, of lines that only name them.
  private var leads: Set<String> = []
  private static let leadsMax = 64

  init(_ options: CaptureOptions) { acceptsNoByte = options.acceptsNoByte }

  var notes: [String] {
    var notes = [
      "This is the phone's side, or that of another sender with such a log: what it says that it "
        + "sent, by its own clock. A gateway or the cable can have changed it. When the bytes were "
        + "on the line is not known; a delay of at most "
        + "\(String(readable: Interval(nanoseconds: uncertainty))) is assumed."
    ]
    if naming.count > 0, sending.count == 0 {
      notes.append("No line says that it sends; those that only name a command are taken.")
    } else if let sentence = naming.leftOut("only name a command", "only names a command") {
      notes.append(sentence)
    }
    if let sentence = others.leftOut("name no command as sent", "names no command as sent") {
      notes.append(sentence)
    }
    return notes
  }

  // MARK: Recognition

  /// Recognizes a log by the system's heading, or if most lines have a time and the system's own
  /// columns, or a time and some say that a command was sent.
  static func recognize(_ head: CaptureHead) -> Recognition {
    if head.isJSONLog || head.recognitionByAnyLine(isHeading) == .certain { return .certain }
    if head.recognitionByMostLines({ PhoneLine($0)?.process.isEmpty == false }) == .certain {
      return .certain
    }
    guard head.recognitionByMostLines({ PhoneLine($0) != nil }) == .certain else { return .no }
    return head.recognitionByAnyLine(recognizes)
  }

  /// Whether a line says that a command was sent.
  static func recognizes(_ line: LineCursor) -> Bool {
    PhoneLine(line).flatMap { SaidCommands($0.message) }?.isDoubtful == false
  }

  /// Whether a line is the first of `log show`.
  private static func isHeading(_ line: LineCursor) -> Bool {
    var cursor = line
    guard cursor.take("Timestamp "), cursor.skipBlanks() > 0 else { return false }
    return cursor.take("Thread ") || cursor.take("Ty ") || cursor.take("(process)[PID]")
  }

  // MARK: Reading

  mutating func begin(_ file: CaptureFile) throws(CaptureError) {
    entry = CaptureHead(try file.bytes(at: 0, count: 16)).beginsAsJSON ? JSONEntry() : nil
  }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    if entry != nil {
      guard let ended = entry?.take(line), let message = ended.message else { return }
      try message.withBytes { (message) throws(CaptureError) in
        try ended.stamp.withBytes { (stamp) throws(CaptureError) in
          var cursor = LineCursor(stamp)
          try take(Stamp(&cursor), ended.process, message, at: ended.number, give)
        }
      }
      return
    }
    guard !line.bytes.trimmed.isEmpty, !Self.isHeading(line) else { return }
    let parts = PhoneLine(line)
    try take(
      parts?.stamp, parts?.process ?? "", parts?.message ?? line.bytes, at: line.number, give)
  }

  private mutating func take(
    _ stamp: Stamp?, _ process: String, _ message: UnsafeRawBufferPointer, at number: Int,
    _ give: LogRecord.Take
  ) throws(CaptureError) {
    guard let stamp, let said = SaidCommands(message),
      !said.isDoubtful || leads.contains(said.lead)
    else { return others.add(number) }
    let isNaming = !said.isSure && !said.isDoubtful && !said.lead.isEmpty
    if isNaming, leads.count < Self.leadsMax { leads.insert(said.lead) }
    if sending.count + naming.count == 0 { clock = stamp.clock }
    if said.isSure { sending.add(number) } else { naming.add(number) }
    resolution = max(resolution, stamp.resolution)
    let place = CaptureError.Place.line(number)
    var record = LogRecord()
    record.begin(stamp.time, port: try port(process, isSure: said.isSure, at: place), at: place)
    record.clock = stamp.clock
    record.bytes = said.bytes
    try give(record)
  }

  /// Returns the port of a process. Its lines that only name a command have a port of their own,
  /// which is ignored if any line says that it sends.
  private mutating func port(
    _ process: String, isSure: Bool, at place: CaptureError.Place
  ) throws(CaptureError) -> Int {
    let named = "lines that only name a command"
    let name = isSure ? process : process.isEmpty ? named : "\(process), \(named)"
    let index = try ports.index(of: name, at: place, noun: "processes")
    ports[index].isSerial = isSure
    if !isSure { ports[index].alias = process }
    return index
  }

  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) {
    guard sending.count + naming.count > 0 || acceptsNoByte else {
      throw CaptureError(
        "expected a line with a time whose message is a command such as X90., or says that one was "
          + "sent, such as \"sent X90.\"; found none")
    }
  }
}

extension CaptureHead {
  /// Whether the file is the system's log as JSON, such as `log show --style ndjson` prints.
  package var isJSONLog: Bool {
    beginsAsJSON
      && recognitionByAnyLine({ JSONEntry.text(of: "\"eventMessage\"", in: $0) != nil }) == .certain
  }

  fileprivate var beginsAsJSON: Bool {
    let first = bytes.filter { $0 > 0x20 }.prefix(2)
    return first.first == 0x7b || first.elementsEqual([0x5b, 0x7b])
  }
}

/// When an entry was written, by the phone's clock.
private struct Stamp {
  /// In nanoseconds.
  let time: Int64
  let clock: LogFormat.Clock
  /// The smallest step of a stamp with as many decimals, in nanoseconds.
  let resolution: Int64

  /// Takes a date and a time, with decimals and an offset from UTC if there are any, or a time of
  /// day with decimals.
  init?(_ cursor: inout LineCursor) {
    var time: Int64
    var clock = LogFormat.Clock.local
    if let date = CivilTime.takeDateAndTime(&cursor, 0x2d) ?? CivilTime.takeDateAndTime(&cursor) {
      time = date
    } else if let timeOfDay = CivilTime.takeTimeOfDay(&cursor) {
      time = timeOfDay
      clock = .timeOfDay
    } else {
      return nil
    }
    var resolution = CivilTime.second
    if cursor.take(0x2e) || cursor.take(0x2c) || cursor.take(0x3a) {
      guard let fraction = cursor.takeFraction() else { return nil }
      time += fraction.billionths
      for _ in 0..<min(fraction.digits, 9) { resolution /= 10 }
    }
    // Without a date and decimals, too much else looks the same.
    guard clock == .local || resolution < CivilTime.second else { return nil }
    if let offset = CivilTime.takeOffset(&cursor), clock == .local {
      time -= offset
      clock = .absolute(isEpoch: true)
    }
    guard cursor.isAtEnd || cursor.peek() == 0x20 || cursor.peek() == 0x09 else { return nil }
    self.time = time
    self.clock = clock
    self.resolution = resolution
  }
}

/// A line with a time, apart from JSON.
private struct PhoneLine {
  let stamp: Stamp
  /// Empty if the line does not name it.
  private(set) var process = ""
  private(set) var message: UnsafeRawBufferPointer

  init?(_ line: LineCursor) {
    var cursor = line
    let isConsoles = Self.takeLevel(&cursor)
    guard let stamp = Stamp(&cursor) else { return nil }
    self.stamp = stamp
    cursor.skipBlanks()
    // Arduino's monitor, which has the time of day only.
    if stamp.clock == .timeOfDay, !isConsoles, cursor.rest.starts(with: "->") { return nil }
    if isConsoles {
      process = Self.takeColumn(&cursor).name
    } else if let name = Self.takeColumns(&cursor) ?? Self.takeTag(&cursor) {
      process = name
    }
    cursor.skipBlanks()
    // `(Library) [subsystem:category] `
    for (open, close): (UInt8, UInt8) in [(0x28, 0x29), (0x5b, 0x5d)] where cursor.peek() == open {
      var next = cursor
      _ = next.takeText(upTo: close)
      if next.take(close), next.skipBlanks() > 0 { cursor = next }
    }
    message = cursor.rest
  }

  /// Takes Console's column of levels.
  private static func takeLevel(_ cursor: inout LineCursor) -> Bool {
    let levels: [StaticString] = ["default", "info", "debug", "error", "fault"]
    var next = cursor
    guard levels.contains(where: { next.take($0) }), next.skipBlanks() > 0 else { return false }
    cursor = next
    return true
  }

  /// Takes the text before a tab or two blanks; the first word if there are none.
  private static func takeColumn(_ cursor: inout LineCursor) -> UnsafeRawBufferPointer {
    var next = cursor
    while !next.isAtEnd, next.peek() != 0x09, next.peek() != 0x20 || next.peek(1) != 0x20 {
      next.position += 1
    }
    if next.isAtEnd { return cursor.takeText(upTo: 0x20) }
    let column = UnsafeRawBufferPointer(rebasing: cursor.bytes[cursor.position..<next.position])
    cursor = next
    return column
  }

  /// Takes `0x1c2f     Default     0x0                  4121   0    Sentry:`. Returns the process.
  private static func takeColumns(_ cursor: inout LineCursor) -> String? {
    var next = cursor
    for column in 0..<5 {
      switch column {
      case 0, 2: guard next.take("0x") else { return nil }
      case 3, 4: guard let byte = next.peek(), byte.decimalDigit != nil else { return nil }
      default: break
      }
      _ = next.takeText(upTo: 0x20)
      guard next.skipBlanks() > 0 else { return nil }
    }
    let process = next.takeText(upTo: 0x3a)
    guard next.take(0x3a) else { return nil }
    cursor = next
    return process.name
  }

  /// Takes `Sentry[4121:7215]`, with `compact`'s type before it, or `localhost Sentry[4121]:`.
  /// Returns the process.
  private static func takeTag(_ cursor: inout LineCursor) -> String? {
    var next = cursor
    let name = next.takeText(upTo: 0x5b)
    guard let last = name.last, last != 0x20, name.count <= 200, next.take(0x5b),
      next.takeNumber() != nil
    else { return nil }
    var hasThread = false
    if next.take(0x3a) {
      while next.peek()?.hexDigit != nil { next.position += 1 }
      hasThread = true
    }
    guard next.take(0x5d), next.take(0x3a) || hasThread, next.isAtEnd || next.peek() == 0x20
    else { return nil }
    // The first word is the type or the computer.
    var word = LineCursor(name)
    let length = word.takeText(upTo: 0x20).count
    if !word.isAtEnd, hasThread ? length <= 2 : true {
      word.skipBlanks()
    } else {
      word.position = 0
    }
    cursor = next
    return word.rest.name
  }
}

/// An entry of `log show --style json` or `ndjson`, as far as it matters.
private struct JSONEntry {
  private(set) var number = 0
  private(set) var stamp: [UInt8] = []
  private(set) var message: [UInt8]?
  private(set) var process = ""

  /// Takes a line. Returns the entry that it ends, and begins the next one; nil if it ends none.
  mutating func take(_ line: LineCursor) -> JSONEntry? {
    if let text = Self.text(of: "\"timestamp\"", in: line) { stamp = text }
    if let text = Self.text(of: "\"eventMessage\"", in: line) {
      message = text
      number = line.number
    }
    if let path = Self.text(of: "\"processImagePath\"", in: line) {
      process = String(decoding: path.split(separator: 0x2f).last ?? [], as: UTF8.self)
    }
    // The entries of the style json end in the first column; what is in them is indented.
    let (first, last) = (line.bytes.first, line.bytes.trimmed.last)
    guard first == 0x7d || first == 0x7b && last == 0x7d else { return nil }
    let ended = self
    self = JSONEntry()
    return ended
  }

  /// Returns the text that a line has for a key; nil if there is none.
  static func text(of key: StaticString, in line: LineCursor) -> [UInt8]? {
    var cursor = line
    while !cursor.isAtEnd {
      _ = cursor.takeText(upTo: 0x22)
      guard cursor.take(key) else {
        cursor.position += 1
        continue
      }
      cursor.skipBlanks()
      guard cursor.take(0x3a) else { continue }
      cursor.skipBlanks()
      guard cursor.take(0x22) else { continue }
      return takeText(&cursor)
    }
    return nil
  }

  /// Takes a text up to its closing quote. A character that is not ASCII and written by its number
  /// becomes a byte that no command has.
  private static func takeText(_ cursor: inout LineCursor) -> [UInt8]? {
    var text: [UInt8] = []
    while let byte = cursor.peek() {
      cursor.position += 1
      if byte == 0x22 { return text }
      guard byte == 0x5c else {
        text.append(byte)
        continue
      }
      guard let escaped = cursor.peek() else { return nil }
      cursor.position += 1
      switch escaped {
      case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"),
        UInt8(ascii: "f"):
        text.append(UInt8(ascii: " "))
      case UInt8(ascii: "u"):
        guard let high = cursor.takeHexByte(), let low = cursor.takeHexByte() else { return nil }
        text.append(high == 0 && low >= 0x20 && low < 0x7f ? low : UInt8.max)
      default: text.append(escaped)
      }
    }
    return nil
  }
}

/// The commands at the end of a message that says that they were sent.
private struct SaidCommands {
  private(set) var bytes: [UInt8] = []
  /// Whether the message is only commands or has a word for sending, so that it does not only name
  /// them.
  let isSure: Bool
  /// Whether it is only a letter at the end of a sentence, which can be anything.
  let isDoubtful: Bool
  /// The last word before the commands, in lower case; empty if there is none.
  let lead: String

  /// The words of a message that is read, the last ones.
  private static let lengthMax = 1_000
  private static let letters = Set(Firmware.allCases.flatMap { $0.sketch.letters.keys })
  private static let aimLetters = Set(Firmware.allCases.flatMap { $0.sketch.aimLetters })

  private static let sendingWords: Set<String> = [
    "send", "sends", "sent", "sending", "resend", "resent", "resending", "write", "writes", "wrote",
    "writing", "written", "transmit", "transmits", "transmitted", "transmitting", "tx",
  ]
  /// Before a word for sending or after it, they say that it was not done.
  private static let refusingWords: Set<String> = [
    "not", "never", "without", "didnt", "dont", "doesnt", "cant", "cannot", "couldnt", "wont",
    "wouldnt", "isnt", "wasnt", "unable", "fail", "fails", "failed", "failure", "failing", "error",
    "drop", "drops", "dropped", "dropping", "skip", "skips", "skipped", "skipping", "suppress",
    "suppressed", "suppressing", "ignore", "ignored", "ignoring", "discard", "discarded",
    "discarding", "cancel", "canceled", "cancelled", "queue", "queued", "queueing", "enqueued",
    "pending", "waiting", "would", "will", "should", "refused", "rejected", "timeout", "invalid",
    "unknown", "duplicate", "same", "unchanged", "last",
  ]
  /// After a word for sending or without one, they say that the command came from elsewhere.
  private static let receivingWords: Set<String> = [
    "receive", "received", "receives", "receiving", "recv", "rx", "got", "incoming", "echo",
    "echoed", "ack", "acked", "acknowledged", "answer", "answered", "reply", "response", "read",
    "expected",
  ]
  /// How many words before the one for sending can say that it was not done.
  private static let refusingReach = 4

  /// Nil if the message does not say that commands were sent.
  init?(_ message: UnsafeRawBufferPointer) {
    var text = UnsafeRawBufferPointer(rebasing: message.suffix(Self.lengthMax))
    let lineEnd = Self.takeLineEnd(of: &text)
    var end = text.count
    var hasNumber = false
    var isMarked = false
    var hasLetterBefore = false
    var found: [Range<Int>] = []
    var isOpen = false
    while let word = Self.lastWord(text, before: end, isLast: found.isEmpty),
      let kind = Self.kind(of: text, word), kind != .open || found.isEmpty
    {
      if found.isEmpty {
        hasNumber = kind != .letter
        isOpen = kind == .open
        isMarked = word.lowerBound > 0 && !Self.isBlank(text[word.lowerBound - 1])
      } else if kind == .letter {
        hasLetterBefore = true
      }
      found.append(word)
      end = word.lowerBound
      guard found.count < 64 else { return nil }
    }
    guard !found.isEmpty else { return nil }
    for word in found.reversed() { bytes += text[word] }
    bytes += lineEnd
    let before = UnsafeRawBufferPointer(rebasing: text[..<end]).trimmed
    let words = Self.words(before)
    let sends = words.lastIndex { Self.sendingWords.contains($0) }
    let after = words[(sends.map { $0 + 1 } ?? 0)...]
    let reach = words[..<(sends ?? 0)].suffix(Self.refusingReach)
    let clause = reach.split(separator: "", omittingEmptySubsequences: false).last ?? []
    guard !Self.pointsBack(before),
      !after.contains(where: {
        Self.refusingWords.contains($0) || Self.receivingWords.contains($0)
      }), !clause.contains(where: { Self.refusingWords.contains($0) })
    else { return nil }
    // A sign or two, such as an arrow, are no words of another language.
    isSure =
      sends != nil || before.last == 0x3e || before.count <= 8 && words.allSatisfy { $0.isEmpty }
    // Without its full stop it could be any number, unless the line says that it was sent.
    guard isSure || !isOpen else { return nil }
    isDoubtful = !isSure && !isMarked && (!hasNumber || hasLetterBefore)
    lead = words.last ?? ""
  }

  /// Whether a text ends with an arrow from elsewhere, such as `<-`.
  private static func pointsBack(_ text: UnsafeRawBufferPointer) -> Bool {
    let arrow: [UInt8] = [0xe2, 0x86, 0x90]
    return text.last { $0 != 0x2d && $0 != 0x3d } == 0x3c || text.suffix(3).elementsEqual(arrow)
  }

  /// `open` is a number whose full stop is missing at its end.
  private enum Kind { case number, open, letter }

  /// Returns what a word is if it consists of commands: a letter, or several commands of which one
  /// has a number.
  private static func kind(of text: UnsafeRawBufferPointer, _ word: Range<Int>) -> Kind? {
    var index = word.lowerBound
    var hasNumber = false
    while index < word.upperBound {
      if aimLetters.contains(text[index]) {
        let start = index + 1
        index = start
        while index < word.upperBound, text[index].decimalDigit != nil { index += 1 }
        guard index > start else { return nil }
        guard index < word.upperBound else { return .open }
        guard text[index] == 0x2e else { return nil }
        hasNumber = true
      } else if !letters.contains(text[index]) {
        return nil
      }
      index += 1
    }
    return hasNumber ? .number : word.count == 1 ? .letter : nil
  }

  /// Removes the line end that a message writes as `\r` and `\n` after its last command, with the
  /// quotes and brackets after it, as in `Writing "X90.\r\n"`. Returns its bytes.
  private static func takeLineEnd(of text: inout UnsafeRawBufferPointer) -> [UInt8] {
    var end = text.count
    while end > 0, isBlank(text[end - 1]) || isBetween(text[end - 1]) || isBracket(text[end - 1]) {
      end -= 1
    }
    var bytes: [UInt8] = []
    while end >= 2, text[end - 2] == UInt8(ascii: "\\") {
      switch text[end - 1] {
      case UInt8(ascii: "n"): bytes.insert(0x0a, at: 0)
      case UInt8(ascii: "r"): bytes.insert(0x0d, at: 0)
      default: return []
      }
      end -= 2
    }
    if !bytes.isEmpty { text = UnsafeRawBufferPointer(rebasing: text[..<end]) }
    return bytes
  }

  /// Returns the last word before an index, without the quotes, brackets and commas after it; nil
  /// if another sign follows it. `isLast`: no command follows it.
  private static func lastWord(
    _ text: UnsafeRawBufferPointer, before end: Int, isLast: Bool
  ) -> Range<Int>? {
    var end = end
    while end > 0, !isPart(text[end - 1]) {
      let byte = text[end - 1]
      guard isBlank(byte) || isBetween(byte) || isLast && (isBracket(byte) || byte >= 0x80)
      else { return nil }
      end -= 1
    }
    var start = end
    while start > 0, isPart(text[start - 1]) { start -= 1 }
    return start < end ? start..<end : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Whether a byte can be a part of a word: a letter, a digit, or what commands have.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "?"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "+"):
      true
    default: byte.decimalDigit != nil || isLetter(byte)
    }
  }

  /// Quotes and commas.
  private static func isBetween(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x27, 0x60, 0x2c: true
    default: false
    }
  }

  private static func isBracket(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x28, 0x29, 0x5b, 0x5d, 0x7b, 0x7d, 0x3c, 0x3e: true
    default: false
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  /// Returns the words of a text in lower case, with an empty one where a clause ends. A capital
  /// within a word begins another, as in `didSend`, and an apostrophe is left out.
  private static func words(_ text: UnsafeRawBufferPointer) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    var wasLower = false
    func finish() {
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word.removeAll(keepingCapacity: true)
    }
    for byte in text where byte != 0x27 {
      let isLower = (0x61...0x7a).contains(byte)
      if !isLetter(byte) || wasLower && !isLower { finish() }
      switch byte {
      case 0x2c, 0x2e, 0x3a, 0x3b, 0x3e, 0x80...: words.append("")
      default: if isLetter(byte) { word.append(byte | 0x20) }
      }
      wasLower = isLower
    }
    finish()
    return words
  }
}
