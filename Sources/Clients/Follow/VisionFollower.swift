package import Turret
import TurretProtocol

/// The robot vision phone as a sender: decides when to connect, when to send requests, and which
/// commands the turret gets.
///
///     stopped --start--> connecting --connected--> asked <--period over-- resting
///        ^                  ^    |                  |  |                     ^
///        |           waited |    | failed           |  '------ answer -------'
///      stop                 |    v                  v
///     (any)                waiting <-- it took too long, had no end, the connection broke
///                              ^------ the phone closed between two answers (waits one period)
///
/// The wait after a failure grows, and is reset by the next valid answer.
///
/// The turret gets the angle of each reading, unless it was already the last command, and one `L`
/// when the target is lost. The target is lost if the phone reports so, if the connection breaks or
/// cannot be made, or if nothing new has arrived for too long: no valid answer, or only the same
/// reading. An invalid answer is nothing new, but does not itself mean a loss. Before the first
/// reading no command is sent, so the turret stays as it is until the phone is reachable.
package struct VisionFollower<Random: RandomNumberGenerator> {
  private enum Phase {
    case stopped
    case waiting(until: Instant)
    case connecting
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

  private let settings: FollowSettings
  private var random: Random
  private var phase = Phase.stopped
  private var reader = VisionAnswerReader()
  private var backOff: BackOff
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

  package private(set) var counts = FollowCounts()

  package init(_ settings: FollowSettings, random: Random) {
    self.settings = settings
    self.random = random
    backOff = BackOff(first: settings.backOffFirst, most: settings.backOffMost)
  }

  /// When `advance` must be called if nothing else happens; nil if nothing is awaited.
  package var nextDeadline: Instant? {
    let own: [Instant?] =
      switch phase {
      case .stopped: [nil]
      case .connecting: [lossDeadline]
      case .waiting(let until), .resting(let until): [until, lossDeadline]
      case .asked(let asked, let isNudged):
        [
          asked + settings.answerTime, lossDeadline, reader.nextDeadline,
          wantsNudge(isNudged) ? asked + settings.newlineTime : nil,
        ]
      }
    return own.compactMap(\.self).min()
  }

  // MARK: Events

  package mutating func start() -> [Action] {
    guard case .stopped = phase else { return [] }
    phase = .connecting
    return [.connect]
  }

  /// Stops following. The turret is left as it is.
  package mutating func stop() -> [Action] {
    defer {
      phase = .stopped
      lossDeadline = nil
    }
    switch phase {
    case .stopped, .waiting: return []
    case .connecting, .resting, .asked: return [.disconnect]
    }
  }

  package mutating func connected(at now: Instant) -> [Action] {
    guard case .connecting = phase else { return [] }
    counts.connections += 1
    answersHere = 0
    reader.reset()
    return (closesAfterAnswer ? [] : [.say(.connected)]) + ask(at: now)
  }

  package mutating func connectFailed(_ why: String, at now: Instant) -> [Action] {
    guard case .connecting = phase else { return [] }
    counts.refusedConnections += 1
    closesAfterAnswer = false
    let wait = backOff.wait(using: &random)
    phase = .waiting(until: now + wait)
    return [.say(.cannotConnect(why, retryIn: wait))] + lose(.connection)
  }

  /// Takes bytes received from the phone.
  package mutating func received(_ bytes: some Sequence<UInt8>, at now: Instant) -> [Action] {
    switch phase {
    case .stopped, .waiting, .connecting: return []
    case .resting, .asked: break
    }
    let unaskedBefore = reader.unaskedBytes
    let outcome = reader.receive(bytes, at: now)
    counts.unaskedBytes += reader.unaskedBytes - unaskedBefore
    let actions = outcome.map { take($0, at: now) } ?? []
    guard reader.unaskedBytes > VisionAnswerReader.bytesMax, isConnected else { return actions }
    return actions + giveUp(.tooLong, at: now)
  }

  /// The connection has ended. `failure` is the system's message if it broke; nil if the phone
  /// closed it.
  package mutating func closed(_ failure: String? = nil, at now: Instant) -> [Action] {
    guard isConnected else { return [] }
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
    default: return actions + breakOff(failure.map { .failed($0) } ?? .closed, at: now)
    }
    if answersHere > 1 {
      closesAfterAnswer = false
      actions.append(.say(.disconnected(.closed, retryIn: due - now)))
    } else if !closesAfterAnswer {
      closesAfterAnswer = true
      actions.append(.say(.closesAfterAnswer))
    }
    phase = .waiting(until: due)
    return actions
  }

  /// Time has passed.
  package mutating func advance(to now: Instant) -> [Action] {
    var actions: [Action] = []
    switch phase {
    case .stopped, .connecting: break
    case .waiting(let until):
      if now >= until {
        phase = .connecting
        actions = [.connect]
      }
    case .resting(let until):
      if now >= until { actions = ask(at: now) }
    case .asked(let asked, let isNudged):
      if let outcome = reader.advance(to: now) {
        actions = take(outcome, at: now)
      } else if now >= asked + settings.answerTime {
        counts.unanswered += 1
        // Another phone may answer next time.
        asking = .unknown
        reader.forget()
        actions = giveUp(.unanswered, at: now)
      } else if wantsNudge(isNudged), now >= asked + settings.newlineTime {
        phase = .asked(at: asked, isNudged: true)
        actions = [.write("\n")]
      }
    }
    if let deadline = lossDeadline, now >= deadline { actions += lose(.noNews) }
    return actions
  }

  // MARK: Questions

  private var isConnected: Bool {
    switch phase {
    case .stopped, .waiting, .connecting: false
    case .resting, .asked: true
    }
  }

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

  private mutating func take(
    _ outcome: VisionAnswerReader.Outcome, at now: Instant
  ) -> [Action] {
    switch outcome {
    case .answer(let answer):
      let actions = read(answer, at: now)
      guard case .resting(let until) = phase, now >= until else { return actions }
      return actions + ask(at: now)
    case .tooLong:
      counts.malformedAnswers += 1
      return giveUp(.tooLong, at: now)
    }
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
    backOff.reset()
    if asking == .unknown { asking = isNudged ? .line : .bare }
    defer { malformedInARow = 0 }
    return (malformedInARow > 1 ? [.say(.malformedBefore(malformedInARow))] : [])
      + follow(reading, at: now)
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

  // MARK: Ends

  /// Ends a connection that is of no further use.
  private mutating func giveUp(_ ending: FollowRemark.Ending, at now: Instant) -> [Action] {
    [.disconnect] + breakOff(ending, at: now)
  }

  private mutating func breakOff(_ ending: FollowRemark.Ending, at now: Instant) -> [Action] {
    closesAfterAnswer = false
    let wait = backOff.wait(using: &random)
    phase = .waiting(until: now + wait)
    return lose(.connection) + [.say(.disconnected(ending, retryIn: wait))]
  }
}
