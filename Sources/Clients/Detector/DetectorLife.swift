import Networking
import Traces
import Turret

/// Decides how the connection to a detector is maintained: when to connect, when it is ready, when
/// to give up. `DetectorConnection` carries out the decisions.
///
///     idle --start--> connecting --connected--> opening --opened--> greeting --hello--> ready
///                      ^      |                    |                   |                  |
///                      |      +----- a failure, it is closed, late, or not the protocol --+
///                      |                           v
///                      +-------- rested -------- resting
///     any --stop--> ended
struct DetectorLife<Random: RandomNumberGenerator> {
  private enum Phase: Hashable {
    case idle, connecting
    /// Connected; the detector must have accepted the WebSocket by then.
    case opening(until: Instant)
    /// The hello was sent; its answer must have arrived by then.
    case greeting(until: Instant)
    /// The hello was answered at this time.
    case ready(since: Instant)
    case resting(until: Instant)
    case ended
  }

  enum Event: Hashable {
    case start
    case stop
    /// An attempt to connect has failed, for this reason.
    case refused(String)
    /// An attempt to connect has succeeded.
    case connected
    /// The detector has accepted the WebSocket.
    case opened
    case received([UInt8], MessageKind)
    /// The connection in use has ended, for this reason.
    case lost(String)
    /// A channel is closed, whether it was in use or not.
    case closed
    /// The owner of the connection rejects it, for this reason.
    case rejected(String)
    /// Time has passed.
    case passed
  }

  enum Action: Hashable {
    case connect
    /// Begin the conversation on the channel that has just been connected.
    case greet
    /// Close the channel that has just been connected, because it is too late.
    case discard
    case sayHello
    /// Pass on a message from a detector that is ready.
    case deliver([UInt8], MessageKind)
    /// Close at once, and report nothing more about the connection.
    case cut
    case report(DetectorState)
    /// It was stopped, and no connection or attempt is left.
    case finish
  }

  private let settings: SenderSettings
  private var random: Random
  private var backOff: BackOff
  private var phase = Phase.idle
  /// Attempts and channels that have not ended.
  private var openCount = 0

  init(_ settings: SenderSettings, random: Random) {
    self.settings = settings
    self.random = random
    backOff = BackOff(first: settings.backOffFirst, most: settings.backOffMost)
  }

  /// When `passed` must follow if nothing else happens; nil if nothing is awaited. An attempt to
  /// connect has its own time limit.
  var nextDeadline: Instant? {
    switch phase {
    case .idle, .connecting, .ready, .ended: nil
    case .opening(let until), .greeting(let until), .resting(let until): until
    }
  }

  var isReady: Bool {
    if case .ready = phase { true } else { false }
  }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .start: return phase == .idle ? connect() : []
    case .stop: return stop()
    case .refused(let why):
      openCount -= 1
      return (phase == .connecting ? lose(why, at: now) : []) + finishIfOver()
    case .connected:
      guard phase == .connecting else { return [.discard] }
      phase = .opening(until: now + settings.answerTime)
      return [.greet]
    case .opened:
      // The time limit for the answer to the hello began with the connection.
      guard case .opening(let until) = phase else { return [] }
      phase = .greeting(until: until)
      return [.sayHello]
    case .received(let message, let kind): return receive(message, kind, at: now)
    case .lost(let why): return isInUse ? lose(why, at: now) : []
    case .closed:
      openCount -= 1
      return finishIfOver()
    case .rejected(let why): return isInUse ? [.cut] + lose(why, at: now) : []
    case .passed: return pass(at: now)
    }
  }

  // MARK: -

  /// Whether there is a connection that has not been given up.
  private var isInUse: Bool {
    switch phase {
    case .opening, .greeting, .ready: true
    case .idle, .connecting, .resting, .ended: false
    }
  }

  private mutating func connect() -> [Action] {
    phase = .connecting
    openCount += 1
    return [.connect]
  }

  private mutating func receive(
    _ message: [UInt8], _ kind: MessageKind, at now: Instant
  ) -> [Action] {
    switch phase {
    case .ready: return [.deliver(message, kind)]
    case .greeting:
      if let flaw = DetectorGreeting.flaw(in: message, kind) {
        return [.cut] + lose(flaw, at: now)
      }
      phase = .ready(since: now)
      return [.report(.ready)]
    case .idle, .connecting, .opening, .resting, .ended: return []
    }
  }

  private mutating func pass(at now: Instant) -> [Action] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    if case .resting = phase { return connect() }
    let limit = String(readable: settings.answerTime)
    return [.cut] + lose("it did not answer in \(limit)", at: now)
  }

  private mutating func lose(_ why: String, at now: Instant) -> [Action] {
    // Prevents rapid reconnections to a detector that answers only the hello.
    if case .ready(let since) = phase, now - since >= settings.goodTime { backOff.reset() }
    phase = .resting(until: now + backOff.wait(using: &random))
    return [.report(.away(why))]
  }

  private mutating func stop() -> [Action] {
    guard phase != .ended else { return [] }
    let cut: [Action] = isInUse ? [.cut] : []
    phase = .ended
    return cut + finishIfOver()
  }

  private func finishIfOver() -> [Action] { phase == .ended && openCount == 0 ? [.finish] : [] }
}
