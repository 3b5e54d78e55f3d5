import Turret

/// Splits what a sender sends into commands, by the grammar of its sketch: a letter, digits and `.`
/// for a number, or a single letter. A profile other than the bench's own has its own grammar.
struct CommandSplitter: Hashable {
  /// A pause this long breaks off a command.
  static let silence = Interval.milliseconds(500)

  private let sketch: SketchDescription
  private let profile: Profile?
  /// Finds the commands of the profile.
  private var recognizer: CommandRecognizer?
  /// How long a pause must be to break off a command.
  private let breakingPause: Interval
  /// The bytes that have begun a command, or are unknown, and can still continue; nil if there are
  /// none.
  private(set) var open: SentCommand?
  /// Everything that is complete or was broken off, in order of its end.
  private(set) var commands: [SentCommand] = []

  init(_ sketch: SketchDescription, _ profile: Profile? = nil) {
    self.sketch = sketch
    self.profile = profile
    recognizer = profile.map { CommandRecognizer($0) }
    breakingPause = max(Self.silence, profile?.pauseMax ?? .zero)
  }

  /// Takes a byte that begins to arrive at `instant`, in the session's event `event`.
  mutating func take(_ byte: UInt8, at instant: Instant, event: Int) {
    pass(to: instant)
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
    open = SentCommand(
      text: [byte], form: .unknown, begin: instant, last: instant, event: event)
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

  /// Forgets all commands but the last `count`.
  mutating func keepLast(_ count: Int) {
    if commands.count > count { commands.removeFirst(commands.count - count) }
  }

  /// Notes that no more bytes follow.
  mutating func finish() {
    takePause()
    breakOff()
  }

  /// When the open command ends, or is broken off, unless it continues; nil if there is none.
  var deadline: Instant? { open.map { $0.last + (recognizer?.pause ?? breakingPause) } }

  private func isNumber(_ command: SentCommand) -> Bool {
    sketch.beginsNumber(command.text[0])
  }

  private func goesOn(_ command: SentCommand, with byte: UInt8) -> Bool {
    if isNumber(command) {
      return (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".")
    }
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
    if meaning == .space { return }
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
      open = SentCommand(
        text: [], form: .unknown, begin: instant, last: instant, event: event)
    }
    open?.last = instant
    // A pattern that states the end of a command must find it.
    if open?.text.count == SentCommand.textMax { open?.text.removeLast() }
    open?.text.append(byte)
  }

  private mutating func close(_ form: SentCommand.Form) {
    guard var command = open else { return }
    command.form = form
    commands.append(command)
    open = nil
  }
}
