import Aim
import Sketches

/// Decides what aiming does in real time: when a recording begins, when the next frame is read,
/// what is sent, and how it ends. `AimSession` carries the decisions out.
///
///     idle --begin, a recording--> waiting --its audience is there--> playing
///     idle --begin, a pipe--> following
///     waiting --no target within 10 s--> ended
///     playing, following --the last frame, a fault--> ended
///     idle, waiting, playing, following --shutdown--> ended
///
/// A recording begins when its target is connected or a client queries the robot vision phone,
/// because commands sent earlier would be lost.
struct AimLife {
  /// The receiver of a recording.
  enum Audience: Hashable {
    /// `wasThere` is whether it has ever been connected.
    case target(wasThere: Bool)
    /// The clients of the robot vision phone. `hasAsked` is whether one of them has sent a query.
    case clients(hasAsked: Bool)

    var isThere: Bool {
      switch self {
      case .target(let wasThere): wasThere
      case .clients(let hasAsked): hasAsked
      }
    }
  }

  private enum Phase: Hashable {
    case idle
    /// Waiting for the audience. The wait for a target ends at `until`.
    case waiting(until: Instant)
    case playing
    case following
    case ended
  }

  enum Alarm: Hashable {
    case audience
    case frame
    /// The command that waits for its turn is due.
    case pace
  }

  enum Event: Hashable {
    case begin
    case audience(Audience)
    /// The pipe is open, and the bytes already in it have been taken. `isAtEnd` is whether it has
    /// ended.
    case opened(isAtEnd: Bool)
    /// Bytes have arrived through the pipe, or its end.
    case arrived(isEnd: Bool)
    /// A frame was read. The command is what the turret must do from now on, and the place is where
    /// the target is.
    case saw(TurretCommand, TargetPlace? = nil)
    /// No frame can be read now. `next` is when the recording's next frame is due, in session time;
    /// nil if there is none, or for a pipe.
    case sawNothing(next: Instant?)
    case fault
    /// A client of the robot vision phone has shut it down.
    case shutDown
    case due(Alarm)
  }

  enum Action: Hashable {
    case lookForAudience
    case openPipe
    /// Report what arrives through the pipe from now on.
    case listen
    case closePipe
    /// Read the next frame, if it is due.
    case read
    case send(TurretCommand)
    /// There is at most one alarm of each kind.
    case set(Alarm, Interval)
    case stop
  }

  static let audienceTimeMax = Interval.seconds(10)
  private static let audiencePeriod = Interval.milliseconds(5)
  /// The number of late frames read before the loop's other events are handled.
  private static let batch = 1_000

  private let isRecorded: Bool
  private var stream: CommandStream
  private var phase = Phase.idle
  /// When session time begins: with the recording, or with the session.
  private var start = Instant.zero
  private var batchCount = 0
  /// Whether the pipe is open but what arrives is not reported yet.
  private var isPipeHeld = false
  private var isAtEnd = false
  /// Whether the alarm for the pace is set.
  private var isPaceSet = false
  /// Whether a recording was played; false if its target was never connected.
  private(set) var wasPlayed = true
  private(set) var commands = 0

  /// `rate` is the maximum number of commands a second; nil for no limit.
  init(isRecorded: Bool, _ options: AimOptions = AimOptions(), rate: Double?) {
    self.isRecorded = isRecorded
    stream = CommandStream(options, rate: rate)
  }

  /// Whether no more frames are read.
  var isOver: Bool { phase == .ended }

  func time(at instant: Instant) -> Instant { .zero + (instant - start) }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .begin: return begin(at: now)
    case .audience(let audience): return found(audience, at: now)
    case .opened(let isAtEnd):
      isPipeHeld = !isAtEnd
      return arrived(isEnd: isAtEnd)
    case .arrived(let isEnd): return arrived(isEnd: isEnd)
    case .saw(let command, let place): return saw(command, place, at: now)
    case .sawNothing(let next): return sawNothing(next: next, at: now)
    case .fault: return (isPipeHeld ? [.closePipe] : []) + finish()
    case .shutDown: return finish()
    case .due(let alarm): return due(alarm, at: now)
    }
  }

  // MARK: -

  private mutating func begin(at now: Instant) -> [Action] {
    guard phase == .idle else { return [] }
    start = now
    phase = isRecorded ? .waiting(until: now + Self.audienceTimeMax) : .following
    return isRecorded ? [.lookForAudience] : [.openPipe]
  }

  private mutating func found(_ audience: Audience, at now: Instant) -> [Action] {
    guard case .waiting(let deadline) = phase else { return [] }
    if audience.isThere {
      start = now
      phase = .playing
      return [.read]
    }
    if case .target(wasThere: false) = audience, now >= deadline {
      wasPlayed = false
      return finish()
    }
    return [.set(.audience, Self.audiencePeriod)]
  }

  private mutating func arrived(isEnd: Bool) -> [Action] {
    guard phase == .following else { return [] }
    isAtEnd = isEnd
    return [.read]
  }

  private mutating func saw(
    _ command: TurretCommand, _ place: TargetPlace?, at now: Instant
  ) -> [Action] {
    guard phase == .playing || phase == .following else { return [] }
    let actions = send(stream.take(command, place, at: time(at: now))) + wait(at: now)
    guard phase == .playing else { return actions + [.read] }
    batchCount += 1
    return actions + [batchCount < Self.batch ? .read : .set(.frame, .zero)]
  }

  private mutating func sawNothing(next: Instant?, at now: Instant) -> [Action] {
    switch phase {
    case .playing:
      guard let next else { return finish() }
      return [.set(.frame, max(.zero, next - time(at: now)))]
    case .following:
      guard !isAtEnd else { return finish() }
      defer { isPipeHeld = false }
      return isPipeHeld ? [.listen] : []
    case .idle, .waiting, .ended: return []
    }
  }

  private mutating func finish() -> [Action] {
    guard !isOver else { return [] }
    phase = .ended
    return send([stream.finish()].compactMap(\.self)) + [.stop]
  }

  private mutating func due(_ alarm: Alarm, at now: Instant) -> [Action] {
    switch (alarm, phase) {
    case (.audience, .waiting): return [.lookForAudience]
    case (.frame, .playing):
      batchCount = 0
      return [.read]
    case (.pace, _):
      isPaceSet = false
      let sent = stream.advance(to: time(at: now) + .nanoseconds(1))
      return send([sent].compactMap(\.self)) + wait(at: now)
    default: return []
    }
  }

  /// Sets an alarm for a waiting command, so that it is sent when due even if no frame arrives.
  private mutating func wait(at now: Instant) -> [Action] {
    guard !isPaceSet, let due = stream.due else { return [] }
    isPaceSet = true
    return [.set(.pace, max(.zero, due - time(at: now)))]
  }

  private mutating func send(_ sent: [CommandStream.Pace.Sent]) -> [Action] {
    commands += sent.count
    return sent.map { .send($0.command) }
  }
}
