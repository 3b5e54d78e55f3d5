import Aim
import Turret

/// Decides what aiming does in real time: when a recording begins, when the next frame is read,
/// what is sent, and how it ends. `AimSession` carries the decisions out.
///
///     idle --begin, a recording--> waiting --its audience is there--> playing
///     idle --begin, a pipe--> following
///     waiting --no target within 10 s--> finishing
///     playing, following --the last frame, a fault--> finishing
///     idle, waiting, playing, following --shutdown--> finishing
///     finishing --the port has carried what waits, or 3 s are over--> ended
///
/// A recording begins when its target receives it, or a client queries the robot vision phone: what
/// is sent sooner would be lost. At the end the port first carries what waits for it: closing it
/// could take that back, and an Uno that was restarted by opening the port does not listen yet.
struct AimLife {
  /// Who a recording is played to.
  enum Audience: Hashable {
    /// `wasThere`: at any time. `isBusy`: something is still on its way to it.
    case target(wasThere: Bool, isBusy: Bool)
    /// The clients of the robot vision phone. `hasAsked`: at least one of them has.
    case clients(hasAsked: Bool)

    var isThere: Bool {
      switch self {
      case .target(let wasThere, let isBusy): wasThere && !isBusy
      case .clients(let hasAsked): hasAsked
      }
    }
  }

  private enum Phase: Hashable {
    case idle
    /// For the audience; for a target not longer than this.
    case waiting(until: Instant)
    case playing
    case following
    /// Until the port has carried what waits.
    case finishing(until: Instant)
    case ended
  }

  enum Alarm: Hashable {
    /// Look for the audience again.
    case audience
    /// The recording's next frame is due.
    case frame
    /// The command that waits for its turn is due.
    case pace
    /// Look again whether the port is busy.
    case port
  }

  enum Event: Hashable {
    case begin
    case audience(Audience)
    /// The pipe is open, and what is there already has been taken. `isAtEnd`: no more comes.
    case opened(isAtEnd: Bool)
    /// Bytes have come through the pipe, or its end.
    case arrived(isEnd: Bool)
    /// A frame was read: what the turret is to do from now on.
    case saw(TurretCommand)
    /// No frame can be read now. `next`: when the recording's next frame is due, in session time;
    /// nil: it has none, or it is a pipe.
    case sawNothing(next: Instant?)
    /// The observations are malformed, or cannot be read.
    case fault
    /// A client of the robot vision phone has shut it down.
    case shutDown
    case port(isBusy: Bool)
    case due(Alarm)
  }

  enum Action: Hashable {
    case lookForAudience
    case openPipe
    /// From now on report what arrives through the pipe.
    case listen
    case closePipe
    /// Read the next frame, if it is due.
    case read
    case send(TurretCommand)
    case lookAtPort
    /// There is at most one alarm of each kind.
    case set(Alarm, Interval)
    case stop
  }

  /// How long the target of a recording is waited for.
  static let audiencePatience = Interval.seconds(10)
  private static let audiencePeriod = Interval.milliseconds(5)
  /// An Uno's bootloader takes two seconds.
  private static let portPatience = Interval.seconds(3)
  private static let portPeriod = Interval.milliseconds(5)
  /// So many late frames are read before other events of the loop.
  private static let batch = 1_000

  private let isRecorded: Bool
  private var pace: CommandPace
  private var phase = Phase.idle
  /// When session time begins: with the recording, or with the session.
  private var start = Instant.zero
  /// Frames of the present batch.
  private var batchCount = 0
  /// The pipe is open, but nothing is reported of it yet.
  private var isPipeHeld = false
  private var isAtEnd = false
  /// Whether the alarm for the pace is set.
  private var isPaceSet = false
  /// Whether a recording was played; not if its target was never there.
  private(set) var wasPlayed = true
  /// Commands that were sent.
  private(set) var commands = 0

  /// `rate`: commands a second at most; nil: any.
  init(isRecorded: Bool, rate: Double?) {
    self.isRecorded = isRecorded
    pace = CommandPace(rate: rate)
  }

  /// Whether no more frames are read.
  var isOver: Bool {
    switch phase {
    case .finishing, .ended: true
    case .idle, .waiting, .playing, .following: false
    }
  }

  /// The session time at an instant.
  func time(at instant: Instant) -> Instant { .zero + (instant - start) }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .begin: return begin(at: now)
    case .audience(let audience): return found(audience, at: now)
    case .opened(let isAtEnd):
      isPipeHeld = !isAtEnd
      return arrived(isEnd: isAtEnd)
    case .arrived(let isEnd): return arrived(isEnd: isEnd)
    case .saw(let command): return saw(command, at: now)
    case .sawNothing(let next): return sawNothing(next: next, at: now)
    case .fault: return (isPipeHeld ? [.closePipe] : []) + finish(at: now)
    case .shutDown: return finish(at: now)
    case .port(let isBusy): return lookedAtPort(isBusy: isBusy, at: now)
    case .due(let alarm): return due(alarm, at: now)
    }
  }

  // MARK: -

  private mutating func begin(at now: Instant) -> [Action] {
    guard phase == .idle else { return [] }
    start = now
    phase = isRecorded ? .waiting(until: now + Self.audiencePatience) : .following
    return isRecorded ? [.lookForAudience] : [.openPipe]
  }

  private mutating func found(_ audience: Audience, at now: Instant) -> [Action] {
    guard case .waiting(let deadline) = phase else { return [] }
    if audience.isThere {
      start = now
      phase = .playing
      return [.read]
    }
    if case .target(wasThere: false, _) = audience, now >= deadline {
      wasPlayed = false
      return finish(at: now)
    }
    return [.set(.audience, Self.audiencePeriod)]
  }

  private mutating func arrived(isEnd: Bool) -> [Action] {
    guard phase == .following else { return [] }
    isAtEnd = isEnd
    return [.read]
  }

  private mutating func saw(_ command: TurretCommand, at now: Instant) -> [Action] {
    guard phase == .playing || phase == .following else { return [] }
    let actions = send(pace.take(command, at: time(at: now))) + wait(at: now)
    guard phase == .playing else { return actions + [.read] }
    batchCount += 1
    return actions + [batchCount < Self.batch ? .read : .set(.frame, .zero)]
  }

  private mutating func sawNothing(next: Instant?, at now: Instant) -> [Action] {
    switch phase {
    case .playing:
      guard let next else { return finish(at: now) }
      return [.set(.frame, max(.zero, next - time(at: now)))]
    case .following:
      guard !isAtEnd else { return finish(at: now) }
      defer { isPipeHeld = false }
      return isPipeHeld ? [.listen] : []
    case .idle, .waiting, .finishing, .ended: return []
    }
  }

  private mutating func finish(at now: Instant) -> [Action] {
    guard !isOver else { return [] }
    phase = .finishing(until: now + Self.portPatience)
    return send(pace.finish()) + [.lookAtPort]
  }

  private mutating func lookedAtPort(isBusy: Bool, at now: Instant) -> [Action] {
    guard case .finishing(let deadline) = phase else { return [] }
    if isBusy, now < deadline { return [.set(.port, Self.portPeriod)] }
    phase = .ended
    return [.stop]
  }

  private mutating func due(_ alarm: Alarm, at now: Instant) -> [Action] {
    switch (alarm, phase) {
    case (.audience, .waiting): return [.lookForAudience]
    case (.frame, .playing):
      batchCount = 0
      return [.read]
    case (.pace, _):
      isPaceSet = false
      return send(pace.advance(to: time(at: now) + .nanoseconds(1))) + wait(at: now)
    case (.port, .finishing): return [.lookAtPort]
    default: return []
    }
  }

  /// A command that waits for its turn is sent when it is due, even if no frame comes.
  private mutating func wait(at now: Instant) -> [Action] {
    guard !isPaceSet, let due = pace.due else { return [] }
    isPaceSet = true
    return [.set(.pace, max(.zero, due - time(at: now)))]
  }

  private mutating func send(_ sent: CommandPace.Sent?) -> [Action] {
    guard let sent else { return [] }
    commands += 1
    return [.send(sent.command)]
  }
}
