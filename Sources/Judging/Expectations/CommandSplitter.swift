package import Sketches
package import Traces

/// Splits what a sender sends into commands, by the grammar of its sketch: a letter, digits and `.`
/// for a number, or a single letter. A profile other than the bench's own has its own grammar.
struct CommandSplitter: Hashable {
  /// A pause this long breaks off a command.
  static let silence = Interval.milliseconds(500)

  private let sketch: SketchDescription
  private let profile: Profile?
  private var recognizer: CommandRecognizer?
  /// How long a pause must be to break off a command.
  private let breakingPause: Interval
  /// The bytes that have begun a command, or are unknown, and can still continue; nil if there are
  /// none.
  private(set) var open: SentCommand?
  /// Whether the last byte was white space between commands, and when it was taken.
  private var isSpace = false
  private var last = Instant.zero
  /// What is complete or was broken off, in order of its end, as far as it is kept.
  private(set) var commands: ArraySlice<SentCommand> = []
  /// Tells which of them are attempts, in a session that a search made up; nil in any other, in
  /// which all are.
  var whole: WholeCommands?

  init(_ sketch: SketchDescription, _ profile: Profile? = nil) {
    self.sketch = sketch
    self.profile = profile
    recognizer = profile.map { CommandRecognizer($0) }
    breakingPause = max(Self.silence, profile?.pauseMax ?? .zero)
  }

  /// Takes a byte that begins to arrive at `instant`, in the session's event `event`.
  mutating func take(_ byte: UInt8, at instant: Instant, event: Int) {
    pass(to: instant)
    defer { whole?.take(byte, at: instant, isSpace: isSpace) }
    (isSpace, last) = (false, instant)
    if recognizer != nil { return takeOwn(byte, at: instant, event: event) }
    if let command = open, goesOn(command, with: byte) {
      let ends = isNumber(command) && byte == UInt8(ascii: ".")
      // A pattern such as X*. must find the end of a long number.
      if ends, command.text.count == SentCommand.textMax { open?.text.removeLast() }
      if ends || command.text.count < SentCommand.textMax { open?.text.append(byte) }
      open?.last = instant
      if ends { close(.whole) }
      return
    }
    breakOff()
    add(byte, at: instant, event: event)
    if sketch.letter(byte) != nil { close(.whole) }
  }

  /// Takes a message that arrived at `instant` and was not passed on.
  mutating func take(message: [UInt8], at instant: Instant, event: Int) {
    var splitter = CommandSplitter(sketch, profile)
    for byte in message { splitter.take(byte, at: instant, event: event) }
    splitter.finish()
    commands += splitter.commands
  }

  /// Notes that no byte has begun to arrive before `instant`.
  mutating func pass(to instant: Instant) {
    whole?.pass(silence: instant - last)
    guard let command = open else { return }
    let silence = instant - command.last
    if let pause = recognizer?.pause {
      if silence >= pause { takePause() }
    } else if silence >= breakingPause {
      breakOff()
    }
  }

  /// Ends the open command if a pause completes it.
  private mutating func takePause() {
    switch recognizer?.takePause() {
    case .refused?:
      open?.isRefused = true
      close(.whole)
    case .some: close(.whole)
    case nil: break
    }
  }

  mutating func keepLast(_ count: Int) { commands = commands.suffix(count) }

  /// Forgets the commands that were over before an instant, but for the last `tail`.
  mutating func drop(before instant: Instant, tail: Int) {
    commands.drop(tail: tail) { $0.last < instant }
  }

  /// Notes that no more bytes follow.
  mutating func finish() {
    takePause()
    breakOff()
  }

  /// Notes that the board restarts, in a session that a search made up. What was still arriving is
  /// no attempt.
  mutating func restart(at instant: Instant, deadTime: Interval) {
    guard let byteTime = whole?.byteTime else { return }
    breakOff()
    for index in commands.indices.reversed() {
      guard commands[index].last + byteTime >= instant else { break }
      commands[index].isAttempt = false
    }
    whole?.restart(at: instant, deadTime: deadTime, isArriving: last + byteTime > instant)
  }

  /// When the open command ends, or is broken off, unless it continues; nil if there is none.
  var deadline: Instant? { open.map { $0.last + (recognizer?.pause ?? breakingPause) } }

  private func isNumber(_ command: SentCommand) -> Bool {
    sketch.beginsNumber(command.text[0])
  }

  private func goesOn(_ command: SentCommand, with byte: UInt8) -> Bool {
    if isNumber(command) { return (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") }
    return sketch.letter(byte) == nil && !sketch.beginsNumber(byte)
  }

  private mutating func breakOff() {
    guard let command = open else { return }
    close(recognizer?.isOpen ?? isNumber(command) ? .brokenOff : .unknown)
    recognizer?.abandon()
  }

  /// Takes a byte by the grammar of the profile, whether or not it belongs to a command.
  private mutating func takeOwn(_ byte: UInt8, at instant: Instant, event: Int) {
    if recognizer?.breaksOff(byte) == true { breakOff() }
    let wasOpen = recognizer?.isOpen == true
    let meaning = recognizer?.take(byte) ?? .unknown
    // A command ends the unknown bytes before it, and so does white space.
    if !wasOpen, meaning != .unknown, open != nil { close(.unknown) }
    isSpace = meaning == .space
    if isSpace { return }
    add(byte, at: instant, event: event)
    switch meaning {
    case .open, .space, .unknown: break
    case .command: close(.whole)
    case .refused:
      open?.isRefused = true
      close(.whole)
    }
  }

  private mutating func add(_ byte: UInt8, at instant: Instant, event: Int) {
    if open == nil {
      whole?.begin(at: instant)
      open = SentCommand(text: [], form: .unknown, begin: instant, last: instant, event: event)
    }
    open?.last = instant
    // A pattern that states the end of a command must find it.
    if open?.text.count == SentCommand.textMax { open?.text.removeLast() }
    open?.text.append(byte)
  }

  private mutating func close(_ form: SentCommand.Form) {
    guard var command = open else { return }
    command.form = form
    command.isAttempt = whole?.ends(command) ?? true
    commands.append(command)
    open = nil
  }
}

/// One command as its sender wrote it, whatever the sketch made of it; or other bytes, which do not
/// begin a command.
package struct SentCommand: Hashable, Sendable {
  package enum Form: Hashable, Sendable {
    case whole
    /// The beginning of one. Another byte, silence or the end of the session broke it off.
    case brokenOff
    /// Not a command.
    case unknown
  }

  /// At most `textMax` bytes: the first ones, and the byte that ends a longer command.
  package var text: [UInt8]
  package var form: Form
  /// Whether its profile does not allow its numbers.
  package var isRefused = false
  /// When its first and its last byte began to arrive.
  package var begin: Instant
  package var last: Instant
  /// Its first event in the session, counted from 0.
  package var event: Int
  /// Whether rules are judged by it: see `WholeCommands`.
  var isAttempt = true

  static let textMax = 64

  package var quoted: String { PlainText.quoted(String(latin1: text)) }
}

extension String {
  /// Creates a text from bytes, each a character from U+0000 to U+00FF.
  package init(latin1 bytes: some Sequence<UInt8>) {
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    self = String(scalars)
  }
}

/// What a sender sent to a sketch whose commands are not known: bytes, wherever they begin or end.
struct SentStream: Hashable, Sendable {
  private var bytes: ArraySlice<UInt8> = []
  /// When each byte began to arrive.
  private var times: ArraySlice<Instant> = []
  /// The session's event with each byte, counted from 0.
  private var events: ArraySlice<Int> = []

  mutating func append(_ byte: UInt8, at begin: Instant, event: Int) {
    bytes.append(byte)
    times.append(begin)
    events.append(event)
  }

  mutating func drop(before index: Int) {
    bytes = bytes[max(index, bytes.startIndex)...]
    times = times[bytes.startIndex...]
    events = events[bytes.startIndex...]
  }

  /// The byte before an index; nil for the first.
  func byte(before index: Int) -> UInt8? {
    index > bytes.startIndex && index <= bytes.endIndex ? bytes[index - 1] : nil
  }

  /// The index of the first byte that began to arrive at an instant or later.
  func first(from instant: Instant) -> Int { times.partitioningIndex { $0 >= instant } }

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

/// The last commands that a sender has sent in a session in progress, by the grammar of a profile.
package struct SentCommandLog: Hashable, Sendable {
  private var splitter: CommandSplitter
  private var line: OccupiedLine
  /// The number of commands that are kept.
  private let countMax: Int

  /// `profile`: nil for the grammar of the firmware's sketch. `baud`: the sender's speed in bits a
  /// second.
  package init(_ firmware: Firmware, _ profile: Profile?, baud: Int, keeping countMax: Int = 64) {
    self.countMax = countMax
    splitter = CommandSplitter(firmware.sketch, profile)
    line = OccupiedLine(baud: baud)
  }

  /// Takes the session's next event, in order of time.
  package mutating func take(_ event: Event) {
    switch event.kind {
    case .baud(let baud): line.baud = baud
    case .format(let format): line.format = format
    case .senderBreak(let length): line.sendBreak(lasting: length, at: event.time)
    case .receive(let bytes):
      for byte in bytes { splitter.take(byte, at: line.send(at: event.time), event: 0) }
      splitter.keepLast(countMax)
    default: break
    }
  }

  /// Notes that no byte has begun to arrive before `instant`.
  package mutating func pass(to instant: Instant) { splitter.pass(to: instant) }

  /// Notes that no more bytes follow.
  mutating func finish() { splitter.finish() }

  /// The commands that are complete or were broken off, newest last.
  package var commands: ArraySlice<SentCommand> { splitter.commands }
  /// The command that has begun and can still continue; nil if there is none.
  package var open: SentCommand? { splitter.open }
}
