package import Sketches
package import Traces

/// A session's events, prepared for judging rules: the sender's commands, the board's outputs, and
/// the fates of the bytes.
///
/// The fates are those of the firmware's model, which is fed the session's inputs. On the model
/// itself they are the device's own. With a profile that is not one of the bench's own, no model is
/// fed, and the profile defines which bytes are a command.
///
/// What no judge needs any more is dropped (`drop`). Whatever has an index keeps it.
package struct SessionRecord: Sendable {
  /// How far a sender's speed can differ from the board's: by one part in this many.
  private static let speedErrorDivisor = 40

  let setup: SessionSetup
  /// The events but pulses and the courses of measured values, with their lines in the trace.
  private(set) var events: ArraySlice<Divergence.Neighbour> = []
  /// The session's own servo, whose events name no pin.
  private(set) var own: ServoRecord
  /// The servos that events name.
  private(set) var others: [BoardPin: ServoRecord] = [:]
  /// Other outputs by kind, each in order of time.
  private(set) var tones: ArraySlice<(time: Instant, hertz: Double)> = []
  private(set) var replies = ReplyText()
  /// When pulses began or stopped, by the kind of event and the pin.
  private(set) var pulseChanges: [OutputSequence: ArraySlice<Instant>] = [:]
  /// When each pin that is still high was left so in the middle of a servo's pulse.
  private(set) var leftHigh: [BoardPin: Instant] = [:]
  /// The pulses that were not as stored, and when they ended.
  private(set) var twitches: ArraySlice<(time: Instant, twitch: Twitch)> = []
  /// The longest pulse of them.
  private(set) var longestTwitch = Interval.zero
  /// Why bytes were lost, and when.
  private(set) var reasons: ArraySlice<(time: Instant, text: String)> = []
  /// The longest stretches with interrupts off, and turns of `loop`, so far.
  private(set) var longest: [LongTime] = []
  /// The first of what the program did with its memory that a correct one does not do.
  private(set) var memoryFault: (time: Instant, text: String)?
  /// The levels of the pins whose levels have changed, or that are watched later than from the
  /// start.
  private var pins: [BoardPin: PinRecord] = [:]
  /// What happened apart from the fates of bytes.
  private(set) var mishaps: ArraySlice<FoundMishap> = []
  private(set) var faults = FaultRecord()
  private(set) var tracking: TrackingRecord
  /// When the first byte of all, received or refused, began to arrive, and the last so far.
  private(set) var firstByte: Instant?
  package private(set) var lastByte: Instant?
  /// The wrong speed at which the sender wrote or read first; nil if there was none. It explains
  /// most of what fails after it.
  package private(set) var wrongSpeed: WrongSpeed?
  /// The number of bytes that were received or refused.
  private(set) var byteCount = 0
  private(set) var lastOutput: Instant?
  /// Whether a level or a voltage was applied to a pin.
  private(set) var hasInputs = false
  /// All events before this have been taken.
  package private(set) var complete = Instant.zero
  /// When the session ended; nil while it lasts.
  package private(set) var end: Instant?
  /// Nothing before this instant is kept, but for what was still going on.
  package private(set) var begin = Instant.zero
  /// Whether the session goes on, so that nothing can be said about its end.
  var isSettling = false
  /// What the sender meant and did not get of the bytes before one with this index.
  private var misunderstood: [Misunderstanding] = []
  private var understood = 0
  /// Commands that are no longer kept, for messages: the first with each text.
  private var droppedTexts: [SentCommand] = []

  private(set) var splitter: CommandSplitter
  /// The bytes of a session whose commands are not known; empty in any other.
  private(set) var sentBytes = SentStream()
  private var course: Course
  private var sender: OccupiedLine
  /// Bytes that wait for the end of a break on the line, each with when it was sent and the index
  /// of its event.
  private var held: [(byte: UInt8, sent: Instant, event: Int)] = []
  /// The speed that the program on the board has set, in bits a second, if that is known and not
  /// the session's.
  package var boardBaud: Int?
  /// The event in which each byte was received.
  private var byteEvents: ArraySlice<Int> = []
  /// The line of the last event.
  private var line = 1
  /// Whether the trace has no lines for pulses.
  package var hidesPulses = false
  /// Servo events that the model has not reached.
  private var unread: [(time: Instant, degrees: Int, pulse: Int)] = []
  /// How many of the bytes that the model took have been examined.
  private var takenCount = 0
  /// How much has been taken since something was dropped last: the number of events, and of the
  /// bytes in them.
  package private(set) var load = 0
  /// When the last event was, and when the record was last shortened.
  private var last = Instant.zero
  private var mark = Instant.zero

  package init(_ setup: SessionSetup) {
    self.setup = setup
    splitter = CommandSplitter(setup.firmware.sketch, setup.profile)
    splitter.whole = setup.listensAfter.map {
      WholeCommands(
        setup.profile ?? Profile(setup.firmware), baud: setup.baud, listensAfter: $0)
    }
    course = Course(setup)
    sender = OccupiedLine(baud: setup.baud)
    own = ServoRecord(setup.servo)
    tracking = TrackingRecord(view: setup.view)
  }

  /// What the sender probably meant and did not get; none if the fates are not the device's own.
  var misunderstandings: [Misunderstanding] {
    guard setup.reportsFates, setup.profile == nil else { return [] }
    var index = max(0, understood - course.firstFate)
    let rest = Misunderstanding.find(
      in: course.allBytes(), from: &index, firmware: setup.firmware)
    return Array((misunderstood + rest).prefix(Misunderstanding.keptMax))
  }

  /// Takes the session's next event, in order of time. `line` is its line in a trace; nil if it is
  /// the next one.
  package mutating func take(_ event: Event, line: Int? = nil) {
    if let line {
      self.line = line
    } else if !hidesPulses || event.output?.kind != .pulse {
      self.line += 1
    }
    load += 1
    last = event.time
    takeHeld(by: event.time)
    if event.isShown { events.append(.init(event, line: self.line)) }
    tracking.take(event)
    if setup.profile == nil { course.take(event) }
    switch event.kind {
    case .receive(let bytes): receive(bytes, at: event.time)
    case .baud(let baud):
      sender.baud = baud
      splitter.whole?.isAtSpeed = baud == setup.baud
    case .format(let format): sender.format = format
    case .senderBreak(let length):
      sender.sendBreak(lasting: length, at: event.time)
      takeHeld(by: event.time)
    case .reset(let deadTime):
      faults.restart(at: event.time, deadTime: deadTime)
      splitter.restart(at: event.time, deadTime: deadTime)
      add(.reset, at: event.time, "the board restarted")
    case .output(let output): take(output, at: event.time)
    case .refused(let message): refuse(message, at: event.time)
    case .input: hasInputs = true
    case .fault(let strike):
      faults.take(strike, at: event.time, event: events.endIndex - 1)
      if strike.kind == .brownOut {
        add(.brownOut, at: event.time, "the supply's voltage fell, and the board restarted")
      }
      guard strike.isLoss, !strike.isReturn else { break }
      add(.lost, at: event.time, "\(strike.sentence) (\(strike.kind.rawValue))")
    case .twitch(let twitch):
      twitches.append((event.time, twitch))
      longestTwitch = max(longestTwitch, .microseconds(Int64(twitch.measured)))
      add(
        .twitch, at: event.time,
        "a pulse of \(twitch.measured) us on \(twitch.pin.name), where \(twitch.stored) us were "
          + "stored, ended")
    case .run(.why(let text)): reasons.append((event.time, text))
    case .run(.longest(let span, let length, let text)):
      longest.append(LongTime(span: span, length: length, time: event.time, text: text))
    case .run(.memory(_, let text)): memoryFault = memoryFault ?? (event.time, text)
    case .framingError, .unsent, .lineBreak, .gap, .shaft, .truth, .supply, .missed, .mark, .other:
      break
    }
  }

  /// Notes that all events before `instant` have been taken.
  package mutating func advance(to instant: Instant) {
    guard instant > complete else { return }
    complete = instant
    takeHeld(by: instant)
    splitter.pass(to: instant)
    replies.pass(to: instant)
    if setup.profile == nil { course.advance(to: instant) }
    readServo()
    if !setup.observes.contains(.pulse) {
      own.followWrites(to: instant)
      for pin in others.keys { others[pin]?.followWrites(to: instant) }
    }
  }

  package mutating func finish(at end: Instant) {
    advance(to: end)
    splitter.finish()
    replies.finish()
    self.end = end
  }

  // MARK: What there is

  /// The sender's commands and other bytes that are kept, in order; none if its commands are not
  /// known.
  var commands: ArraySlice<SentCommand> { splitter.commands }

  /// Returns the first command that matches a pattern, or is the beginning of a match that was
  /// broken off, from a place on, and the place after it. If the commands are not known, any bytes
  /// that match are one. A place is the index of a command or, then, of a byte.
  func attempt(at pattern: TextPattern, from place: Int) -> (command: SentCommand, next: Int)? {
    if setup.undescribedSketch != nil { return match(pattern, from: place) }
    let first = max(commands.startIndex, min(place, commands.endIndex))
    let index = commands[first...].firstIndex { $0.isAttempt(at: pattern) && isJudged($0) }
    return index.map { (commands[$0], $0 + 1) }
  }

  /// Returns bytes that match a pattern. Of a session that a search made up, only those that begin
  /// where others of their kind would end.
  private func match(
    _ pattern: TextPattern, from place: Int
  ) -> (command: SentCommand, next: Int)? {
    var place = place
    while let found = sentBytes.match(pattern, from: place) {
      guard let listens = splitter.whole?.listens else { return found }
      let before = sentBytes.byte(before: found.next - found.command.text.count)
      if found.command.begin >= listens, before == nil || before == found.command.text.last {
        return found
      }
      place = found.next
    }
    return nil
  }

  /// Returns all such commands from a place on, each with a place from which it is the first.
  func attempts(
    at pattern: TextPattern, from start: Int = 0
  ) -> [(command: SentCommand, place: Int)] {
    var found: [(command: SentCommand, place: Int)] = []
    var place = start
    while let (command, next) = attempt(at: pattern, from: place) {
      found.append((command, place))
      place = next
    }
    return found
  }
  var activities: ActivityLog { course.activities }
  /// The fates of the bytes that are kept, in the model.
  var fates: [Ledger.Entry] { course.fates }

  /// Returns the event in which the byte with this fate was received, counted from 0; nil if it is
  /// not known.
  func event(ofFate index: Int) -> Int? {
    let byte = course.firstFate + index
    return byteEvents.indices.contains(byte) ? byteEvents[byte] : nil
  }

  /// Returns what is known of a servo. `pin`: as events name it; nil for the session's own.
  func servo(on pin: BoardPin?) -> ServoRecord {
    guard let pin else { return own }
    return others[pin] ?? ServoRecord(setup.servo)
  }

  /// Returns what is known of the servo that a rule names.
  func servo(named name: String?) -> ServoRecord { servo(on: pin(ofServo: name)) }

  /// Returns the pin that a servo's events name; nil for the session's own servo.
  func pin(ofServo name: String?) -> BoardPin? {
    setup.pin(ofServo: name).flatMap { $0 == setup.ownServo ? nil : $0 }
  }

  /// Returns the levels of a pin that a rule names.
  func pin(named name: String) -> PinRecord { levels(of: setup.pin(named: name)) }

  /// Returns the levels of a pin, nil for none.
  func levels(of pin: BoardPin?) -> PinRecord { pin.flatMap { pins[$0] } ?? PinRecord() }

  /// Whether the session shows the levels of a pin.
  package func shows(_ pin: BoardPin) -> Bool {
    if pins[pin] != nil || setup.namedPins.contains(pin) { return true }
    switch setup.pins {
    case .some(let shown): return shown.contains(pin)
    // All but the serial port's and those of servos.
    case .all: return pin.arduino ?? 0 > 1 && pin != setup.ownServo && others[pin] == nil
    }
  }

  /// Notes that the levels of pins are shown from an instant on.
  package mutating func watch(_ watched: Set<BoardPin>, from instant: Instant) {
    for pin in watched where !shows(pin) { pins[pin] = PinRecord(since: instant) }
  }

  // MARK: Taking events

  private mutating func receive(_ bytes: [UInt8], at instant: Instant) {
    for byte in bytes {
      if sender.isInBreak(at: instant) {
        held.append((byte, instant, events.endIndex - 1))
      } else {
        take(byte, sentAt: instant, in: events.endIndex - 1)
      }
    }
    load += bytes.count
    byteCount += bytes.count
    let board = boardBaud ?? setup.baud
    if isWrong(for: setup.baud), isWrong(for: board), !bytes.isEmpty {
      note(WrongSpeed(.writing, sender: sender.baud, board: board))
      add(
        .wrongSpeed, at: instant,
        "the board listens at \(board) baud, and the sender wrote at \(sender.baud) baud")
    }
  }

  private func isWrong(for board: Int) -> Bool {
    abs(sender.baud - board) * Self.speedErrorDivisor > board
  }

  /// Takes a wrong speed of the sender's. One of those at which it writes counts more than one at
  /// which it reads.
  package mutating func note(_ wrong: WrongSpeed) {
    if wrongSpeed == nil || wrong.direction == .writing && wrongSpeed?.direction == .reading {
      wrongSpeed = wrong
    }
  }

  private mutating func take(_ byte: UInt8, sentAt instant: Instant, in event: Int) {
    let begin = sender.send(at: instant)
    firstByte = firstByte ?? begin
    lastByte = begin
    byteEvents.append(event)
    if setup.undescribedSketch == nil {
      splitter.take(byte, at: begin, event: event)
    } else {
      sentBytes.append(byte, at: begin, event: event)
    }
  }

  /// Takes the bytes that waited for the end of a break, if it ended by an instant. A break can end
  /// earlier than it was to, so their times are not known before.
  private mutating func takeHeld(by instant: Instant) {
    guard !held.isEmpty, !sender.isInBreak(at: instant) else { return }
    let bytes = held
    held = []
    for (byte, sent, event) in bytes { take(byte, sentAt: sent, in: event) }
  }

  private mutating func refuse(_ message: RefusedMessage, at instant: Instant) {
    byteCount += message.bytes.count
    load += message.bytes.count
    if !message.bytes.isEmpty {
      firstByte = firstByte ?? instant
      lastByte = max(lastByte ?? instant, instant)
    }
    if setup.undescribedSketch == nil {
      splitter.take(message: message.bytes, at: instant, event: events.endIndex - 1)
    }
    if message.why.isJudged { add(.refused, at: instant, "\(message.text) was refused") }
  }

  private mutating func add(
    _ mishap: Mishap, at instant: Instant, _ text: String, loss: Output.Loss? = nil
  ) {
    mishaps.append(
      FoundMishap(
        mishap: mishap, time: instant, text: text, event: events.endIndex - 1, loss: loss))
  }

  private mutating func take(_ output: Output, at instant: Instant) {
    if output.kind != .pulse { lastOutput = instant }
    if case .lost(let byte, let why) = output {
      splitter.whole?.lose()
      // A model listens from its start on.
      let isUnheard = why == .booting && !setup.reportsFates
      let cause =
        isUnheard ? ": the bootloader owned the line, or the sketch's port was closed" : ""
      add(
        .lost, at: instant, "\(ByteText.quoted([byte])) was lost (\(why.rawValue)\(cause))",
        loss: why)
    }
    switch output {
    case .servo(let degrees, let pulse, nil): unread.append((instant, Int(degrees), Int(pulse)))
    case .pulse(let width, let pin):
      if let pin {
        others[pin, default: ServoRecord(setup.servo)].take(pulse: width, at: instant)
      } else {
        own.take(pulse: width, at: instant)
      }
    case .tone(let hertz): tones.append((instant, hertz))
    case .pin(let pin, let isHigh):
      pins[pin, default: PinRecord()].take(isHigh: isHigh, at: instant)
    case .transmit(let byte): replies.take(byte, at: instant)
    case .attached(_, let pin):
      pulseChanges[OutputSequence(kind: .attached, pin: pin), default: []].append(instant)
      leftHigh[pin] = nil
    case .detached(let pin, let isHigh):
      pulseChanges[OutputSequence(kind: .detached, pin: pin), default: []].append(instant)
      leftHigh[pin] = isHigh ? instant : nil
    case .servo(let degrees, let pulse, let pin?):
      others[pin, default: ServoRecord(setup.servo)].writes.append(
        ServoWrite(time: instant, degrees: Int(degrees), pulse: Int(pulse), isStep: false))
    // Lost bytes, and kinds that no rule is about.
    default: break
    }
  }

  /// Adds the servo events that the model has reached, and the aims that changed nothing.
  private mutating func readServo() {
    var count = 0
    while count < unread.count, unread[count].time <= complete {
      readAims(before: unread[count].time)
      let write = unread[count]
      own.writes.append(
        ServoWrite(
          time: write.time, degrees: write.degrees, pulse: write.pulse,
          isStep: setup.profile == nil && course.activities.isStep(at: write.time)))
      count += 1
    }
    unread.removeFirst(count)
    readAims(before: complete)
  }

  /// An aim at the commanded angle has no event.
  private mutating func readAims(before instant: Instant) {
    while takenCount < course.taken.endIndex, course.taken[takenCount].time < instant {
      let taken = course.taken[takenCount]
      takenCount += 1
      guard let aim = course.aims[taken.byte], let last = own.writes.last,
        last.pulse == Int(aim.pulse)
      else { continue }
      own.writes.append(
        ServoWrite(
          time: taken.time.roundedUpToMicrosecond, degrees: last.degrees, pulse: last.pulse,
          isStep: false))
    }
  }
}

// Forgetting what no judge needs.
extension SessionRecord {
  /// How much is taken until something is dropped: the number of events, and of the bytes in them.
  /// At least as much is kept of what is over.
  package static let stretch = 1 << 16
  /// The number of commands with different texts that are kept for messages.
  private static let textsMax = 1_000
  /// The number of bytes that are kept before the instant, in the midst of which a match can begin.
  private static let bytesMax = 4_096

  /// Settles what was over when the record was last shortened, and forgets it, but for the last
  /// `tail` of each kind. By then it has been followed by a whole stretch of events. `settle` is
  /// given the record and the instant; it returns from when on the record must be kept.
  package mutating func shorten(tail: Int, _ settle: (SessionRecord, Instant) -> Instant) {
    // Something can still happen at the last event's instant.
    advance(to: max(.zero, last - .nanoseconds(1)))
    // Right after an aim, only what follows shows whether that was a step of a sweep.
    if case .aiming? = activity { return }
    isSettling = true
    let needed = settle(self, mark)
    isSettling = false
    mark = last
    drop(before: needed, tail: tail)
  }

  private mutating func drop(before instant: Instant, tail: Int) {
    load = 0
    guard instant > begin else { return }
    begin = instant
    keepTexts(before: instant)
    splitter.drop(before: instant, tail: tail)
    sentBytes.drop(before: sentBytes.first(from: instant) - Self.bytesMax)
    events.drop(tail: max(tail, Self.eventsMax)) { $0.event.time < instant }
    own.drop(before: instant, tail: tail)
    for pin in others.keys { others[pin]?.drop(before: instant, tail: tail) }
    tones.drop(tail: tail) { $0.time < instant }
    twitches.drop(tail: tail) { $0.time < instant }
    reasons.drop(tail: tail) { $0.time < instant }
    replies.drop(before: instant, tail: tail)
    for key in pulseChanges.keys { pulseChanges[key]?.drop(tail: tail) { $0 < instant } }
    for pin in pins.keys { pins[pin]?.drop(before: instant, tail: tail) }
    mishaps.drop(tail: 0) { $0.time < instant }
    faults.drop(before: instant)
    guard setup.profile == nil else { return }
    keepMisunderstood(before: instant)
    course.drop(before: instant)
    byteEvents = byteEvents[min(course.firstFate, byteEvents.endIndex)...]
  }

  private mutating func keepMisunderstood(before instant: Instant) {
    guard setup.reportsFates, misunderstood.count < Misunderstanding.keptMax else { return }
    var index = max(0, understood - course.firstFate)
    misunderstood += Misunderstanding.find(
      in: course.fates, from: &index, before: instant, firmware: setup.firmware)
    understood = course.firstFate + index
  }

  private mutating func keepTexts(before instant: Instant) {
    guard droppedTexts.count < Self.textsMax else { return }
    var known = Set(droppedTexts.map { $0.text })
    for command in commands where command.last < instant && droppedTexts.count < Self.textsMax {
      if known.insert(command.text).inserted { droppedTexts.append(command) }
    }
  }

  /// The commands that messages name: those that are kept, and the first of the others.
  var namedCommands: [SentCommand] { droppedTexts + commands }
}

// The state of the session so far.
extension SessionRecord {
  /// When silence breaks off a command or ends a line from the board; nil if nothing is open.
  package var silenceDeadline: Instant? {
    [splitter.deadline, replies.deadline].compactMap { $0 }.min()
  }

  /// What the sketch does, in the model; nil if that is unknown.
  package var activity: Activity? {
    doing(at: complete)?.period.activity
  }

  package var isSweeping: Bool { isSweeping(at: complete) }

  func isSweeping(at instant: Instant) -> Bool {
    setup.profile == nil && activities.isSweeping(at: instant)
  }

  /// The angle of the modelled shaft, in degrees.
  package var shaftDegrees: Double { own.shaft.degrees(at: complete) }
}

/// A board's answers as lines of text.
struct ReplyText: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    /// Without CR and LF; at most `lengthMax` bytes.
    var text: [UInt8]
    /// When its last byte began.
    var time: Instant
  }

  /// A line without LF is over after this time.
  static let silence = CommandSplitter.silence
  static let lengthMax = 1_024

  private(set) var lines: ArraySlice<Line> = []
  private var open: Line?

  mutating func take(_ byte: UInt8, at instant: Instant) {
    pass(to: instant)
    var line = open ?? Line(text: [], time: instant)
    line.time = instant
    open = line
    if byte == 0x0A { return finish() }
    if line.text.count < Self.lengthMax { open?.text.append(byte) }
  }

  /// When the open line is over unless it continues; nil if there is none.
  var deadline: Instant? { open.map { $0.time + Self.silence } }

  /// Whether a line is open that can still turn out to have ended by an instant.
  func isOpen(by instant: Instant) -> Bool { open.map { $0.time <= instant } ?? false }

  /// Notes that no byte has begun before `instant`.
  mutating func pass(to instant: Instant) {
    if let open, instant - open.time >= Self.silence { finish() }
  }

  mutating func drop(before instant: Instant, tail: Int) {
    lines.drop(tail: tail) { $0.time < instant }
  }

  /// Notes that no more bytes follow.
  mutating func finish() {
    guard var line = open else { return }
    if line.text.last == 0x0D { line.text.removeLast() }
    lines.append(line)
    open = nil
  }
}

extension Event {
  /// Whether it is shown around one that broke a rule.
  fileprivate var isShown: Bool {
    switch kind {
    case .output(let output): output.kind != .pulse
    case .shaft, .truth, .supply, .run: false
    default: true
    }
  }
}
