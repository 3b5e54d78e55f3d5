package import Devices
package import Judging
package import Sketches
package import Traces

/// A session's client: takes its requests and the session's events, and returns what the session
/// does.
///
///     open --the client's `end`, or any other end--> judged --status known--> over
package struct APISession: Sendable {
  /// A client with more unread bytes than this receives no more events until it has read some.
  private static let backlogMax = 1 << 18
  /// The maximum number of events in one note.
  private static let noteMax = 1_000

  package internal(set) var setting: APISetting
  var record: SessionRecord
  var log: APILog
  var rules = APIRules()
  /// The verdicts that have become known since the client was last answered.
  private var known: [APIAction] = []
  /// The inputs that are due later, in order of time.
  var scheduled: [(time: Instant, input: Event.Kind)] = []
  var scheduledBytes = 0
  /// The index of the next event for the subscriber; nil without a subscription.
  var subscription: Int?
  /// The requests that wait until the sketch listens.
  var waitingForSketch: [APIRequest.ID] = []
  var dtr = false
  var rts = false
  var baud: Int
  /// Whether a request has ended the session, and that request, if its client is still connected.
  var isEnding = false
  var endRequest: APIRequest.ID?
  /// Whether the session ends when its client disconnects.
  var endsWithClient = false

  package init(_ setting: APISetting, log: APILog = APILog()) {
    self.setting = setting
    self.log = log
    record = SessionRecord(setting.setup)
    baud = setting.setup.baud
  }

  // MARK: The session

  /// Takes the session's next event.
  mutating func take(_ event: Event) {
    log.take(event)
    record.take(event)
    rules.take(event)
    if record.load >= SessionRecord.stretch { shorten(at: event.time) }
  }

  /// Forgets what no rule needs any more.
  private mutating func shorten(at now: Instant) {
    record.advance(to: max(.zero, now - .nanoseconds(1)))
    let (awaited, whole) = rules.decide(record)
    known += awaited.map(answer) + whole.map { .write(.verdict($0)) }
    record.shorten(tail: rules.tail) { rules.settle($0, before: $1) }
  }

  mutating func due(by now: Instant) -> [APIAction] {
    guard let first = scheduled.first, first.time <= now else { return [] }
    let count = scheduled.firstIndex { $0.time > now } ?? scheduled.count
    defer { scheduled.removeFirst(count) }
    return scheduled[..<count].map { item in
      scheduledBytes -= item.input.byteCount
      return .input(item.input, at: item.time, for: nil)
    }
  }

  /// When the next input is due; nil if none is.
  var nextSend: Instant? { scheduled.first?.time }

  /// When something is due or decided even if nothing happens; nil if never.
  var nextDeadline: Instant? {
    let decided = rules.areAwaited ? [rules.deadline, record.silenceDeadline] : []
    let next = decided.compactMap { $0 }.filter { $0 >= record.complete }.min()
    // An output can still follow at the instant itself.
    return [nextSend, next.map { $0 + .microseconds(1) }].compactMap { $0 }.min()
  }

  /// Returns what has become known by a moment.
  mutating func advance(_ moment: APIMoment) -> [APIAction] {
    guard record.end == nil else { return [] }
    record.advance(to: moment.settled)
    let (answers, others) = rules.decide(record)
    var actions = known + answers.map(answer) + others.map { .write(.verdict($0)) }
    known = []
    if isListening(moment) {
      for id in waitingForSketch { actions.append(done(id, at: moment.now)) }
      waitingForSketch = []
    }
    return actions + events(moment)
  }

  func isListening(_ moment: APIMoment) -> Bool {
    guard let activity = moment.activity ?? record.activity else { return true }
    return activity != .startingUp
  }

  func answer(_ verdict: APIVerdict) -> APIAction {
    .write(.answer(verdict.id, .verdict(verdict.outcome)))
  }

  /// Returns the next events for the subscriber.
  mutating func events(_ moment: APIMoment) -> [APIAction] {
    guard let next = subscription, next < log.end, moment.backlog <= Self.backlogMax else {
      return []
    }
    let (first, lines) = log.events(from: next, max: Self.noteMax)
    let lost: [APIAction] = first > next ? [.write(.lost(first - next))] : []
    subscription = first + lines.count
    return lost + [.write(.events(APIEvents(first: first, lines: lines)))]
  }

  /// Whether events wait for a client that reads slowly.
  var isBehind: Bool { subscription.map { $0 < log.end } ?? false }

  /// Returns the answer to a request that has been carried out at an instant.
  func done(_ id: APIRequest.ID, at time: Instant) -> APIAction {
    .write(.answer(id, .done(at: time)))
  }

  // MARK: The client

  /// Handles the end of the client's connection. Its rules stay. `isLast`: no other can follow, as
  /// on standard input, whose client still reads what is written.
  mutating func left(isLast: Bool) -> [APIAction] {
    subscription = nil
    waitingForSketch = []
    if !isLast { endRequest = nil }
    rules.clientLeft()
    defer { endsWithClient = false }
    return endsWithClient ? [.end] : []
  }

  // MARK: The end

  /// Judges the session, which ended at an instant. Returns the last answers. The last message
  /// reports the other rules.
  mutating func finish(at end: Instant, backlog: Int) -> [APIAction] {
    guard record.end == nil else { return [] }
    record.finish(at: end)
    let tooEarly = "the session ended before the sketch listened"
    let unanswered = waitingForSketch.map { id in
      APIAction.write(.refusal(APIRequest.Mistake(id: id, message: tooEarly)))
    }
    waitingForSketch = []
    defer { known = [] }
    return known + rules.finish(record, at: end).map(answer) + unanswered
      + events(APIMoment(now: end, settled: end, baud: baud, backlog: backlog))
  }

  /// Returns the last message: the answer to the request that ended the session, or a note. The
  /// program ends with `status`.
  func over(status: ExitStatus) -> APIMessage {
    let end = APIEnd(
      time: record.end ?? record.complete, status: status, heldCount: rules.heldCount,
      failedCount: rules.failedCount, rules: rules.decided)
    return endRequest.map { .answer($0, .over(end)) } ?? .over(end)
  }
}

// Carrying out requests.
extension APISession {
  typealias Fault = APIRequest.Fault

  /// Takes a line. Returns the answer and what else to do.
  mutating func handle(_ line: APILines.Line, _ moment: APIMoment) -> [APIAction] {
    do throws(APIRequest.Mistake) {
      guard case .text(let text) = line else {
        throw APIRequest.Mistake(
          id: nil, message: "expected a line of at most \(APILines.lengthMax) bytes")
      }
      let (id, request) = try APIRequest.parse(text)
      return take(request, id, moment)
    } catch {
      return [.write(.refusal(error))]
    }
  }

  /// Takes a request. Returns the answer and what else to do.
  mutating func take(
    _ request: APIRequest, _ id: APIRequest.ID, _ moment: APIMoment
  ) -> [APIAction] {
    do throws(Fault) {
      return try handle(request, id, moment)
    } catch {
      return [.write(.refusal(APIRequest.Mistake(id: id, message: error.message)))]
    }
  }

  private mutating func handle(
    _ request: APIRequest, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Fault) -> [APIAction] {
    if isEnding { throw Fault("the session is ending") }
    switch request {
    case .hello(let ends):
      endsWithClient = ends
      return [.write(.answer(id, .hello(greeting(moment))))]
    case .ready:
      if isListening(moment) { return [done(id, at: moment.now)] }
      guard !setting.isVirtual else {
        throw Fault("the sketch is not listening yet; \"run\" lets virtual time pass")
      }
      guard waitingForSketch.count < APIRules.countMax else {
        throw Fault("\(APIRules.countMax) requests are already waiting for the sketch")
      }
      waitingForSketch.append(id)
      return []
    case .send(let bytes, at: let time):
      guard let time else { return try send(bytes, id, moment) }
      return try schedule(.receive(bytes), at: time, id, moment)
    case .input(let input, at: let time):
      if let reason = setting.capabilities.refusal(of: input) { throw Fault(reason) }
      guard let time else { return [.input(.input(input), at: nil, for: id)] }
      return try schedule(.input(input), at: time, id, moment)
    case .speed(let baud):
      self.baud = baud
      return [.input(.baud(baud), at: nil, for: id)]
    case .format(let format): return [.input(.format(format), at: nil, for: id)]
    case .lineBreak(let length): return [.input(.senderBreak(length), at: nil, for: id)]
    case .lines(let dtr, let rts): return set(dtr: dtr, rts: rts, id, moment)
    case .reset(let dead): return [.input(.reset(dead ?? setting.deadTime), at: nil, for: id)]
    case .expect(let rule, let patience): return try expect(rule, patience, id, moment)
    case .state:
      record.advance(to: moment.settled)
      return [.write(.answer(id, .state(state(moment))))]
    case .counts: return [.write(.answer(id, .counts(counts(moment))))]
    case .events(let from, let max):
      return [.write(.answer(id, .events(events(from: from, max: max))))]
    case .subscribe(let from):
      let first = min(from ?? log.end, log.end)
      subscription = first
      return [.write(.answer(id, .subscribed(from: first)))] + events(moment)
    case .unsubscribe:
      subscription = nil
      return [.write(.answer(id, .unsubscribed))]
    case .explain, .plot, .trace: return [try account(request, id, moment)]
    case .run(let until): return try run(until: until, id, moment)
    case .end:
      isEnding = true
      endRequest = id
      return [.end]
    }
  }

  // MARK: Inputs

  /// The maximum number of bytes that wait for the line.
  private static let waitingMax = 1 << 14

  private func send(
    _ bytes: [UInt8], _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Fault) -> [APIAction] {
    guard moment.onTheWay + bytes.count <= Self.waitingMax else {
      throw Fault(
        "\(moment.onTheWay) bytes are already waiting for the line, and with these there would be "
          + "more than \(Self.waitingMax); send them later")
    }
    return [.input(.receive(bytes), at: nil, for: id)]
  }

  /// The maximum numbers of scheduled bytes, and of requests that schedule something.
  private static let scheduledBytesMax = 1 << 20
  private static let scheduledMax = 10_000

  private mutating func schedule(
    _ input: Event.Kind, at time: Instant, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Fault) -> [APIAction] {
    guard time > moment.now else {
      throw Fault(
        "expected \"at\" to be later than now, \(String(canonical: moment.now)), found "
          + String(canonical: time))
    }
    guard scheduled.count < Self.scheduledMax,
      scheduledBytes + input.byteCount <= Self.scheduledBytesMax
    else {
      throw Fault(
        "at most \(Self.scheduledMax) requests and \(Self.scheduledBytesMax) bytes can wait for "
          + "their time")
    }
    let index = scheduled.firstIndex { $0.time > time } ?? scheduled.count
    scheduled.insert((time, input), at: index)
    scheduledBytes += input.byteCount
    return [done(id, at: time)]
  }

  /// Sets or releases modem lines. Setting DTR after it was released restarts an Uno.
  private mutating func set(
    dtr: Bool?, rts: Bool?, _ id: APIRequest.ID, _ moment: APIMoment
  ) -> [APIAction] {
    let restarts = !self.dtr && dtr == true
    self.dtr = dtr ?? self.dtr
    self.rts = rts ?? self.rts
    if restarts { return [.input(.reset(setting.deadTime), at: nil, for: id)] }
    return [done(id, at: moment.now)]
  }

  private func run(
    until: Instant, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Fault) -> [APIAction] {
    guard setting.isVirtual else {
      throw Fault("time passes by itself in this session; --virtual starts one in virtual time")
    }
    guard until > moment.now else {
      throw Fault(
        "expected \"until\" to be later than now, \(String(canonical: moment.now)), found "
          + String(canonical: until))
    }
    let longest = Interval.seconds(86_400)
    guard until - moment.now <= longest else {
      throw Fault("at most a day can pass in one request, found \(String(canonical: until))")
    }
    return [.run(until: until, for: id)]
  }

  // MARK: Rules

  private mutating func expect(
    _ rule: Rule, _ patience: Interval?, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Fault) -> [APIAction] {
    guard rules.openCount < APIRules.countMax else {
      throw Fault("\(APIRules.countMax) rules are not decided yet; a session can have no more")
    }
    if let word = rule.requirement.runWord, setting.capabilities.recordsRuns,
      !setting.setup.isRecorded
    {
      guard setting.isVirtual, moment.now == .zero else { throw Fault(unrecorded(word)) }
      return [.record(rule, for: id)]
    }
    if let objection = rule.objection(in: setting.setup) ?? rules.objection(to: rule, record) {
      throw Fault(objection)
    }
    record.advance(to: moment.settled)
    if case .golden = rule.requirement { return [.open(rule, for: id)] }
    let watching = watch(rule, moment)
    if let verdict = rules.add(rule, id, record, patience) { return watching + [answer(verdict)] }
    let (answers, others) = rules.decide(record)
    return watching + answers.map(answer) + others.map { .write(.verdict($0)) }
  }

  /// Why a rule cannot be judged because the session's beginning was not recorded.
  private func unrecorded(_ word: String) -> String {
    let begin = "\"\(word)\" cannot be judged: "
    guard setting.isVirtual else {
      return begin + "in real time, how the program runs is recorded from the start only if the "
        + "file of \"run --rules FILE\" has such a rule; in virtual time, a client can state it "
        + "before time passes"
    }
    return begin + "how the program ran until now was not recorded; state the rule before time "
      + "passes"
  }

  /// Watches the pins that a rule names and that the session does not show yet, from now on.
  private mutating func watch(_ rule: Rule, _ moment: APIMoment) -> [APIAction] {
    guard setting.setup.observes.contains(.pin) else { return [] }
    let pins = setting.setup.pins(of: [rule]).filter { !record.shows($0) }
    guard !pins.isEmpty else { return [] }
    record.watch(pins, from: moment.now)
    return [.watch(pins)]
  }

  /// Takes a rule whose traces have been opened. Returns the answer.
  mutating func add(_ judge: SessionRules, _ id: APIRequest.ID) -> [APIAction] {
    var judge = judge
    do throws(TraceError) {
      var reader = try TraceReader(text: try whole(until: nil), path: "session")
      while let event = try reader.next() { judge.take(event) }
      return [answer(rules.add(judge, id))]
    } catch {
      return [.write(.refusal(APIRequest.Mistake(id: id, message: error.description)))]
    }
  }

  /// Returns the trace so far. With `end`, its header states the session's duration.
  func whole(until end: Instant?) throws(TraceError) -> [UInt8] {
    guard log.isWhole else {
      throw TraceError(
        .tooLong, path: "session",
        "its beginning is no longer kept: it has more than \(log.textMax) bytes of events; "
          + "--record keeps all of it")
    }
    var header = setting.header
    if let end { header.set(duration: end - .zero) }
    return log.trace(header)
  }
}

extension Event.Kind {
  /// The number of bytes that it sends.
  var byteCount: Int { if case .receive(let bytes) = self { bytes.count } else { 0 } }
}

// Answers to requests that change nothing.
extension APISession {
  func greeting(_ moment: APIMoment) -> APIGreeting {
    APIGreeting(
      time: moment.now, isVirtual: setting.isVirtual, device: setting.device,
      firmware: setting.header.sketchName, baud: setting.setup.baud,
      shows: setting.setup.observes.sorted { $0.name < $1.name },
      environment: setting.environment.map { .init(name: $0.name, value: $0.value) })
  }

  func state(_ moment: APIMoment) -> APIState {
    let activity = moment.activity ?? record.activity
    let counts = moment.counts
    return APIState(
      time: moment.now, servo: counts.degrees.map { Int($0) },
      pulse: counts.microseconds.map { Int($0) },
      shaft: (record.shaftDegrees * 10).rounded() / 10,
      isSweeping: activity?.isScanning ?? record.isSweeping, activity: activity,
      isReady: isListening(moment), tone: counts.tone, onTheLine: moment.onTheWay,
      waiting: moment.waiting, baud: moment.baud)
  }

  func counts(_ moment: APIMoment) -> APICounts {
    APICounts(
      time: moment.now, counts: moment.counts, commands: moment.commands, events: log.end,
      openRules: rules.openCount)
  }

  func events(from index: Int, max: Int) -> APIEvents {
    let (first, lines) = log.events(from: index, max: max)
    return APIEvents(first: first, lines: lines, lost: Swift.max(0, first - index))
  }

  // MARK: Accounts of the whole session

  /// The maximum number of bytes in an explanation.
  private static let explainedMax = 100_000

  /// Returns the explanation, the picture or the trace of the session so far.
  private func account(
    _ request: APIRequest, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Fault) -> APIAction {
    do throws(TraceError) {
      let text = try whole(until: moment.settled)
      switch request {
      case .trace: return .write(.answer(id, .trace(text)))
      case .plot: return .plot(text, for: id)
      default:
        guard moment.counts.received <= Self.explainedMax else {
          throw TraceError(
            .tooLong, path: "session",
            "more than \(Self.explainedMax) bytes cannot be explained here; "
              + "use \"sentrybench explain\" on a recording")
        }
        return .write(.answer(id, .explanation(try explanation(of: text))))
      }
    } catch {
      throw Fault(error.description)
    }
  }

  private func explanation(of text: [UInt8]) throws(TraceError) -> APIExplanation {
    let account = try SessionAccount(
      text, path: "session", firmware: setting.setup.firmware, timing: setting.setup.timing)
    let wrongSpeed = record.wrongSpeed.map { [$0.text] } ?? []
    return APIExplanation(lines: wrongSpeed + account.lines, bytes: account.jsonLines)
  }
}

/// The properties of a client's session.
package struct APISetting: Sendable {
  package var header: Header
  package var setup: SessionSetup
  /// The device's name.
  package var device: String
  /// The environment of a sender.
  package var environment: [(name: String, value: String)] = []
  /// Whether time passes only when the client requests it.
  package var isVirtual = false
  /// What the device can do.
  package var capabilities = DeviceCapabilities.virtual(observing: [], reportsFates: false)
  /// How long the bootloader owns the line after a restart by DTR.
  package var deadTime = Interval.seconds(1)

  package init(header: Header, setup: SessionSetup, device: String) {
    self.header = header
    self.setup = setup
    self.device = device
  }
}

/// What a session is when a request is handled.
struct APIMoment: Sendable {
  var now: Instant
  /// The earliest time that a later event can have.
  var settled: Instant
  /// Nil if the device does not show it.
  var activity: Activity?
  var counts = LiveCounts()
  /// The number of commands that the sketch has taken; nil if unknown.
  var commands: Int?
  /// The number of the sender's bytes that have not reached the board.
  var onTheWay = 0
  /// The number of bytes in the ring; nil if unknown.
  var waiting: Int?
  /// The sender's speed in bits a second.
  var baud: Int
  /// The number of bytes of messages that the client has not read.
  var backlog = 0
}

/// What a session does for its client.
enum APIAction: Hashable, Sendable {
  /// Write a message to the client.
  case write(APIMessage)
  /// Give the device an input, at an instant or now, and answer the request with its time.
  case input(Event.Kind, at: Instant?, for: APIRequest.ID?)
  /// Report the levels of these pins from now on.
  case watch(Set<BoardPin>)
  /// Record how the program runs, and take the rule that needs it.
  case record(Rule, for: APIRequest.ID)
  /// Let virtual time pass, and answer the request.
  case run(until: Instant, for: APIRequest.ID)
  /// Draw the trace, and answer the request.
  case plot([UInt8], for: APIRequest.ID)
  /// Open the traces that the rule names, and add it.
  case open(Rule, for: APIRequest.ID)
  /// End the session.
  case end
}
