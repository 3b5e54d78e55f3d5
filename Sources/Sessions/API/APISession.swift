import Devices
import Traces
import Turret
import Verification

/// A session with a client: takes requests and the session's events, and returns what to do.
/// `APIRunner` carries it out.
///
///     open --the client's `end`, or any other end--> judged --status known--> over
struct APISession: Sendable {
  /// A client with more unread bytes than this receives no more events until it has read some.
  private static let backlogMax = 1 << 18
  /// The maximum number of events in one note.
  private static let noteMax = 1_000

  let setting: APISetting
  var record: SessionRecord
  var log: APILog
  var rules = APIRules()
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
  /// The request that ends the session.
  var endRequest: APIRequest.ID?
  /// Whether the session ends when its client disconnects.
  var endsWithClient = false

  init(_ setting: APISetting, log: APILog = APILog()) {
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
  }

  /// Returns the inputs that are due at `now`.
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
    var actions = answers.map(answer) + others.map { .write(.verdict($0)) }
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

  /// Handles the end of the client's connection. Its rules stay.
  mutating func left() -> [APIAction] {
    subscription = nil
    waitingForSketch = []
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
    return rules.finish(record, at: end).map(answer) + unanswered
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
