package import Sketches
import Traces
import TurretLink

/// The robot vision phone as a sender: decides when requests are sent, and which commands the
/// turret gets. When to connect is decided by its `Reconnection`. `VisionSender` carries out the
/// decisions. While a connection is open:
///
///     --ready--> asked --answer--> resting
///                  ^                  |
///                  '-- period over ---'
///
/// A connection on which an answer takes too long or has no end is given up. The wait after a
/// failure is reset by the next valid answer. If the phone closes between two answers, the next
/// connection follows when the next request is due.
///
/// The turret gets the angle of each reading, unless it was already the last command, and one `L`
/// when the target is lost. The target is lost if the phone reports so, if the connection breaks or
/// cannot be made, or if nothing new has arrived for too long: no valid answer, or only the same
/// reading. An invalid answer is nothing new, but does not itself mean a loss. Before the first
/// reading no command is sent, so the turret stays as it is until the phone is reachable.
struct VisionFollower {
  /// What is awaited on an open connection.
  private enum Phase {
    case resting(until: Instant)
    /// `isNudged`: a line end was sent after the request.
    case asked(at: Instant, isNudged: Bool)
  }

  /// How a phone expects its requests. Only `VISION` itself is documented.
  private enum Asking {
    case unknown
    /// It answers `VISION` without a line end.
    case bare
    /// It requires a complete line.
    case line
  }

  enum Event: Hashable {
    /// `end`: stops following. The turret is left as it is.
    case link(Reconnection.Event)
    case received([UInt8])
  }

  enum Action: Hashable {
    case link(Reconnection.Action)
    /// Write these bytes to the phone.
    case write(String)
    /// Send this command to the turret.
    case send(Command)
    case say(FollowRemark)
  }

  private static let closing = "the phone closed the connection"

  private let settings: FollowSettings
  private var connection: Reconnection
  /// nil without an open connection.
  private var phase: Phase?
  private var reader = VisionAnswerReader()
  private var asking = Asking.unknown
  /// The number of valid answers on this connection.
  private var answersHere = 0
  private var closesAfterAnswer = false
  private var malformedInARow = 0

  /// The last command for the turret; nil if there was none.
  private var lastCommand: Command?
  private var lastReading: VisionReading?
  /// Since when the reading has not changed.
  private var lastChange = Instant.zero
  /// When the target is lost because no answer arrives; nil if there is no target to lose.
  private var lossDeadline: Instant?

  private(set) var counts = FollowCounts()

  init(_ settings: FollowSettings, seed: UInt64?) {
    self.settings = settings
    connection = Reconnection(settings.connection, seed: seed)
  }

  /// When `.link(.passed)` must follow if nothing else happens; nil if nothing is awaited.
  var nextDeadline: Instant? {
    let own: [Instant?] =
      switch phase {
      case nil: []
      case .resting(let until)?: [until]
      case .asked(let asked, let isNudged)?:
        [
          asked + settings.answerTime, reader.nextDeadline,
          wantsNudge(isNudged) ? asked + settings.newlineTime : nil,
        ]
      }
    return (own + [connection.nextDeadline, lossDeadline]).compactMap(\.self).min()
  }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .link(.lost(let failure)) where phase != nil: return lost(failure, at: now)
    case .link(.passed): return pass(at: now)
    case .link(.end):
      phase = nil
      lossDeadline = nil
      return take(.end, at: now)
    case .link(let event): return take(event, at: now)
    case .received(let bytes): return receive(bytes, at: now)
    }
  }

  // MARK: The connection

  private mutating func take(_ event: Reconnection.Event, at now: Instant) -> [Action] {
    connection.handle(event, at: now).flatMap { action -> [Action] in
      switch action {
      case .ready: return opened(at: now)
      case .away(let why, let wait): return away(why, retryIn: wait)
      case .connect, .greet, .discard, .cut, .finish: return [.link(action)]
      }
    }
  }

  private mutating func opened(at now: Instant) -> [Action] {
    counts.connections += 1
    answersHere = 0
    reader.reset()
    return (closesAfterAnswer ? [] : [.say(.connected)]) + ask(at: now)
  }

  private mutating func away(_ why: String, retryIn wait: Interval) -> [Action] {
    let isRefusal = phase == nil
    if isRefusal { counts.refusedConnections += 1 }
    phase = nil
    closesAfterAnswer = false
    let sentence = isRefusal ? "cannot connect to the phone: \(why)" : why
    return lose(.connection) + [.say(.disconnected(sentence, retryIn: wait))]
  }

  /// The open connection has ended. `failure` is the system's message if it broke; nil if the phone
  /// closed it.
  private mutating func lost(_ failure: String?, at now: Instant) -> [Action] {
    var actions: [Action] = []
    let isUntouched = reader.hasNothing
    if failure == nil, case .answer(let answer)? = reader.close() {
      actions = read(answer, at: now)
    }
    // A phone that serves one request per connection ends its answers in this way. The next request
    // may already be on its way.
    let due: Instant
    switch phase {
    case .resting(let until) where failure == nil && answersHere > 0: due = max(now, until)
    case .asked(let asked, _) where failure == nil && answersHere > 0 && isUntouched:
      due = max(now, asked + settings.period)
    default:
      let why = failure.map { "the connection to the phone broke: \($0)" } ?? Self.closing
      return actions + take(.lost(why), at: now)
    }
    if answersHere > 1 {
      closesAfterAnswer = false
      actions.append(.say(.disconnected(Self.closing, retryIn: due - now)))
    } else if !closesAfterAnswer {
      closesAfterAnswer = true
      actions.append(.say(.closesAfterAnswer))
    }
    phase = nil
    return actions + take(.paused(until: due), at: now)
  }

  private mutating func pass(at now: Instant) -> [Action] {
    var actions = take(.passed, at: now)
    switch phase {
    case nil: break
    case .resting(let until)?: if now >= until { actions += ask(at: now) }
    case .asked(let asked, let isNudged)?:
      if let outcome = reader.advance(to: now) {
        actions += take(outcome, at: now)
      } else if now >= asked + settings.answerTime {
        counts.unanswered += 1
        // Another phone may answer next time.
        asking = .unknown
        reader.forget()
        actions += take(.givenUp("the phone does not answer"), at: now)
      } else if wantsNudge(isNudged), now >= asked + settings.newlineTime {
        phase = .asked(at: asked, isNudged: true)
        actions.append(.write("\n"))
      }
    }
    if let deadline = lossDeadline, now >= deadline { actions += lose(.noNews) }
    return actions
  }

  // MARK: Questions

  /// Whether to send a line end: a phone that reads lines waits for the end of the first one.
  private func wantsNudge(_ isNudged: Bool) -> Bool {
    asking == .unknown && !isNudged && reader.hasNothing
  }

  private mutating func ask(at now: Instant) -> [Action] {
    counts.questions += 1
    reader.expect()
    phase = .asked(at: now, isNudged: false)
    return [.write(asking == .line ? "VISION\n" : "VISION")]
  }

  // MARK: Answers

  private mutating func receive(_ bytes: [UInt8], at now: Instant) -> [Action] {
    guard phase != nil else { return [] }
    let unaskedBefore = reader.unaskedBytes
    let outcome = reader.receive(bytes, at: now)
    counts.unaskedBytes += reader.unaskedBytes - unaskedBefore
    let actions = outcome.map { take($0, at: now) } ?? []
    guard reader.unaskedBytes > VisionAnswerReader.bytesMax, phase != nil else { return actions }
    return actions + giveUpTooLong(at: now)
  }

  private mutating func take(_ outcome: VisionAnswerReader.Outcome, at now: Instant) -> [Action] {
    switch outcome {
    case .answer(let answer):
      let actions = read(answer, at: now)
      guard case .resting(let until) = phase, now >= until else { return actions }
      return actions + ask(at: now)
    case .tooLong:
      counts.malformedAnswers += 1
      return giveUpTooLong(at: now)
    }
  }

  private mutating func giveUpTooLong(at now: Instant) -> [Action] {
    take(.givenUp("the phone's answer is too long"), at: now)
  }

  /// The pending request has been answered.
  private mutating func read(_ answer: [UInt8], at now: Instant) -> [Action] {
    guard case .asked(let asked, let isNudged) = phase else { return [] }
    phase = .resting(until: asked + settings.period)
    let reading: VisionReading
    do {
      reading = try VisionReading(answer)
    } catch {
      counts.malformedAnswers += 1
      malformedInARow += 1
      return malformedInARow == 1 ? [.say(.malformed(error, answer: answer))] : []
    }
    counts.answers += 1
    answersHere += 1
    if asking == .unknown { asking = isNudged ? .line : .bare }
    defer { malformedInARow = 0 }
    return (malformedInARow > 1 ? [.say(.malformedBefore(malformedInARow))] : [])
      + take(.proven, at: now) + follow(reading, at: now)
  }

  private mutating func follow(_ reading: VisionReading, at now: Instant) -> [Action] {
    if reading != lastReading {
      lastReading = reading
      lastChange = now
    }
    guard let degrees = reading.degrees else { return lose(.noTarget) }
    // Without a timestamp, a target that does not move always has the same reading.
    if let staleTime = settings.staleTime, !reading.timestamp.isEmpty, now - lastChange > staleTime
    {
      return lose(.stale)
    }
    lossDeadline = now + settings.lossTime
    let command = Command.aim(degrees)
    guard command != lastCommand else { return [] }
    let isFound = lastCommand == nil || lastCommand == .lost
    lastCommand = command
    counts.aims += 1
    return (isFound ? [.say(.found)] : []) + [.send(command)]
  }

  /// Sends an `L` once. If no command was sent yet, there is no target to lose, unless the phone
  /// itself reports it.
  private mutating func lose(_ loss: FollowRemark.Loss) -> [Action] {
    lossDeadline = nil
    guard lastCommand != .lost, lastCommand != nil || loss == .noTarget else { return [] }
    lastCommand = .lost
    counts.losses += 1
    return [.send(.lost), .say(.lost(loss))]
  }
}

/// How the robot vision phone is followed.
package struct FollowSettings: Hashable, Sendable {
  /// The maximum number of requests a second, at least 1. The next request is sent only after the
  /// answer.
  package var rate = 30
  /// If an answer takes longer, it is given up, and the connection is closed.
  package var answerTime = Interval.seconds(1)
  /// The target counts as lost this long after the last valid answer.
  package var lossTime = Interval.seconds(1)
  /// If a reading stays exactly the same for longer, the camera is assumed to hang, and the target
  /// counts as lost. More than one second, because timestamps can be in whole seconds. nil for
  /// never.
  package var staleTime: Interval? = .seconds(2)
  /// If a phone has not answered this long after the first request, it may be waiting for the end
  /// of a line.
  package var newlineTime = Interval.milliseconds(300)
  /// How the connection is kept.
  var connection = SenderSettings.phone

  package init() {}

  /// The time between requests.
  package var period: Interval { .nanoseconds(1_000_000_000 / Int64(max(1, rate))) }
}

/// Counts of everything that has happened while following the phone.
struct FollowCounts: Hashable, Sendable {
  /// Successful connections.
  var connections = 0
  /// Failed attempts to connect.
  var refusedConnections = 0
  var questions = 0
  /// Answers that could be parsed, with or without a target.
  var answers = 0
  /// Answers that could not be parsed, including those that were too long.
  var malformedAnswers = 0
  /// Requests that were not answered in time.
  var unanswered = 0
  /// Bytes received without a request.
  var unaskedBytes = 0
  /// Aims sent.
  var aims = 0
  /// How often the target was lost.
  var losses = 0
}

/// An event of the follower that is worth a line in the log.
enum FollowRemark: Hashable, Sendable {
  /// The reason why the target counts as lost.
  enum Loss: Hashable, Sendable {
    /// The phone reports no target.
    case noTarget
    /// The reading has not changed for too long.
    case stale
    /// No valid answer has arrived for too long.
    case noNews
    /// The connection has ended.
    case connection
  }

  case connected
  /// There is no connection, with the reason as a sentence.
  case disconnected(String, retryIn: Interval)
  /// The phone closes the connection after each answer, so each request gets a new connection.
  /// Reported once.
  case closesAfterAnswer
  /// The first of several invalid answers, with the error and the answer.
  case malformed(VisionRefusal, answer: [UInt8])
  /// A valid answer after several invalid ones, with their number.
  case malformedBefore(Int)
  case lost(Loss)
  /// A target has appeared.
  case found

  /// Whether it reports a problem.
  var isWarning: Bool {
    switch self {
    case .disconnected, .malformed, .malformedBefore: true
    case .lost(let loss): loss != .noTarget
    case .connected, .closesAfterAnswer, .found: false
    }
  }
}

extension FollowRemark: CustomStringConvertible {
  private static let shownBytesMax = 80

  /// A sentence for the log. It contains the phone's text as truncated, plain ASCII.
  var description: String {
    switch self {
    case .connected: "connected to the phone"
    case .disconnected(let why, let wait): "\(why); next attempt in \(Self.text(wait))"
    case .closesAfterAnswer: "the phone closes after each answer: reconnecting for each question"
    case .malformed(let refusal, let answer):
      "the phone's answer cannot be read: \(refusal): \(Self.quoted(answer))"
    case .malformedBefore(let count): "the phone's \(count) previous answers could not be read"
    case .lost(.noTarget): "no target"
    case .lost(.stale): "no target: the phone's reading has stopped changing"
    case .lost(.noNews): "no target: the phone reports nothing new"
    case .lost(.connection): "no target: no connection to the phone"
    case .found: "target found"
    }
  }

  private static func text(_ wait: Interval) -> String {
    String(readable: .milliseconds((wait.nanoseconds + 500_000) / 1_000_000))
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    ByteText.quoted(bytes.prefix(shownBytesMax)) + (bytes.count > shownBytesMax ? "..." : "")
  }
}
