package import Devices
package import Sketches

/// Decides when a session's command starts, what happens while its board is away, and when and how
/// the session ends. `Session` has it carried out.
///
///     starting --ready--> running --command ended--> settling
///        |                   |                          |
///        |                   +---- also: the command takes too long
///        +---- signal, or time up ----------------------+---- also: line and board quiet
///        v
///     leaving --drained, or its time is up--> ended
///
/// `leaving` lets the network's commands reach the board. Without a network, the session ends at
/// once. It also ends at once when the board fails for good.
///
/// In the first three phases the board can disconnect and return:
///
///     present --gone--> away --is back--> present
///                       away --still away--> away, until the next look
///
/// The first ending wins, and nothing happens after the end.
package struct SessionLife: Hashable, Sendable {
  /// An event in a session.
  package enum Event: Hashable, Sendable {
    /// Time has passed before the command was started. The device's outputs are known after `lag`;
    /// until then, a board answers only the bench.
    case waited(lag: Interval)
    /// The device does not work. Reported in each turn while that is so.
    case boardFailed(DeviceError)
    /// The board has been found again. Its sketch runs after `bootTime`.
    case boardIsBack(bootTime: Interval)
    case boardIsStillAway
    /// A signal that requests the end.
    case signal(CInt)
    /// The view's key that ends the session was pressed, or a client of --api has ended it.
    case endKey
    /// The command after `--` has ended. The session does not end before `earliest`. `backlog` is
    /// how long the bytes on their way take.
    case commandEnded(earliest: Instant, backlog: Interval)
    /// The scene of a rig has taken its length.
    case sceneOver
    /// Time has passed.
    case passed
    /// The numbers of bytes on their way to the board, and waiting on it; nil if unknown.
    case line(onTheWay: Int, waiting: Int?)
    /// The session must last until then, because of an output after its command had ended.
    case undecided(until: Instant)
    /// Whether everything that the network's clients have sent has reached the board.
    case network(isDrained: Bool)
  }

  /// What has to be carried out.
  package enum Action: Hashable, Sendable {
    /// Start the command after `--`.
    case startCommand
    /// Report and record that the board is disconnected, and drop what waits for it.
    case missBoard(DeviceError)
    /// Look for the board; then report `boardIsBack` or `boardIsStillAway`.
    case lookForBoard
    /// Report that the board is back. It can receive bytes after this time.
    case welcomeBoard(listensAfter: Interval)
    /// Accept nothing more from the network, and send what waits.
    case leave
    /// Report what the board has not taken in time.
    case reportUntaken
    /// End the session at this instant of its own time.
    case end(at: Instant)
  }

  /// Why a session ended.
  package enum Ending: Hashable, Sendable {
    case signal(CInt)
    /// The view's key that ends the session, or a client of --api.
    case key
    /// The requested time, or the scene of a rig, is over.
    case time
    /// The command after `--` has ended, and what it sent has been carried out.
    case command
    /// The command after `--` has taken longer than this, its limit.
    case commandTimeout(Interval)
    /// The device no longer works.
    case fault(DeviceError)
  }

  private enum Phase: Hashable {
    /// The command after `--` has not been started.
    case starting
    case running
    /// The command has ended. What it sent is still being carried out.
    case settling(Settling)
    /// What the network's clients have sent is still on its way to the board.
    case leaving(Ending, deadline: Instant)
    case ended(Ending)
  }

  private enum Board: Hashable {
    case present
    case away(nextLook: Instant)
  }

  /// How long the commands of the network's clients can take to reach the board at the end.
  package static let leavingTime = Interval.seconds(1)
  /// How often the line is checked during that time.
  package static let leavingStep = Interval.milliseconds(1)
  /// How often a disconnected board is looked for.
  package static let rejoinPeriod = Interval.milliseconds(500)
  /// A board that has returned receives its first byte this long after its sketch should run.
  package static let listeningMargin = Interval.milliseconds(100)

  private let end: Instant?
  private let commandLimit: Interval?
  /// When the command has taken too long; nil before its start, and if it has no limit.
  private var commandDeadline: Instant?
  private let hasNetwork: Bool
  private let rejoins: Bool
  private var phase = Phase.starting
  private var board = Board.present
  /// Whether the board has returned before. A board that never worked is a mistake in the setup.
  private var hasRejoined = false

  /// - Parameters:
  ///   - end: when the session ends without any other cause; nil for never.
  ///   - hasNetwork: whether the commands of network clients are drained at the end.
  ///   - rejoins: whether the session waits for a disconnected board.
  ///   - commandLimit: how long the command can take; nil for no limit.
  package init(end: Instant?, hasNetwork: Bool, rejoins: Bool, commandLimit: Interval? = nil) {
    self.end = end
    self.commandLimit = commandLimit
    self.hasNetwork = hasNetwork
    self.rejoins = rejoins
  }

  /// How the session ended; nil until then.
  package var ending: Ending? { if case .ended(let ending) = phase { ending } else { nil } }

  /// Whether the command after `--` has not been started.
  package var isStarting: Bool { phase == .starting }

  /// Whether something has ended the session, although it can still be leaving.
  package var isEnding: Bool {
    switch phase {
    case .starting, .running, .settling: false
    case .leaving, .ended: true
    }
  }

  /// Whether bytes for the board are lost because it is disconnected.
  package var isBoardAway: Bool { board != .present }

  /// The latest instant of anything but the end. With a network, draining continues after the
  /// requested time.
  package var lastInstant: Instant {
    hasNetwork ? .distantFuture : end.map { $0 - .microseconds(1) } ?? .distantFuture
  }

  /// When the requested time is up.
  private var timeUp: Instant { hasNetwork ? end ?? .distantFuture : lastInstant }

  /// Whether it ends as soon as everything is quiet: its command has ended, and it has settled for
  /// long enough.
  package func isAboutToEnd(at now: Instant) -> Bool {
    guard case .settling(let settling) = phase else { return false }
    return settling.deadline <= now
  }

  /// When it must be advanced even if nothing happens; nil for never.
  package func nextDeadline(after now: Instant) -> Instant? {
    var deadline = timeUp
    switch phase {
    case .starting: break
    case .running: deadline = min(deadline, commandDeadline ?? deadline)
    case .settling(let settling): deadline = min(deadline, settling.deadline)
    case .leaving(_, let latest): return min(latest, now + Self.leavingStep)
    case .ended: return nil
    }
    if case .away(let nextLook) = board { deadline = min(deadline, nextLook) }
    return deadline == .distantFuture ? nil : deadline
  }

  /// Takes an event, and returns the actions to carry out, in order.
  package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch phase {
    case .starting, .running, .settling: handleUntilEnding(event, at: now)
    case .leaving(let ending, let deadline): leave(event, ending, by: deadline, at: now)
    case .ended: []
    }
  }

  // MARK: Until something ends it

  private mutating func handleUntilEnding(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .waited(let lag): return startCommand(lag: lag, at: now)
    case .boardFailed(let error): return boardFailed(error, at: now)
    case .boardIsBack(let bootTime):
      guard isBoardAway else { return [] }
      board = .present
      hasRejoined = true
      return [.welcomeBoard(listensAfter: bootTime + Self.listeningMargin)]
    case .boardIsStillAway:
      guard isBoardAway else { return [] }
      board = .away(nextLook: now + Self.rejoinPeriod)
      return []
    case .signal(let number): return finish(.signal(number), at: now)
    case .endKey: return finish(.key, at: now)
    case .sceneOver: return finish(.time, at: now)
    case .passed: return timePassed(at: now)
    case .commandEnded(let earliest, let backlog):
      guard phase == .running else { return [] }
      phase = .settling(Settling(at: now, notBefore: earliest, backlog: backlog))
      return []
    case .line(let onTheWay, let waiting):
      guard case .settling(var settling) = phase else { return [] }
      let isOver = settling.isOver(at: now, onTheWay: onTheWay, waiting: waiting)
      phase = .settling(settling)
      return isOver ? finish(.command, at: now) : []
    case .undecided(let instant):
      guard case .settling(var settling) = phase else { return [] }
      settling.extend(to: instant)
      phase = .settling(settling)
      return []
    case .network: return []
    }
  }

  private mutating func startCommand(lag: Interval, at now: Instant) -> [Action] {
    guard phase == .starting, now >= .zero + lag else { return [] }
    phase = .running
    commandDeadline = commandLimit.map { now + $0 }
    return [.startCommand]
  }

  private mutating func timePassed(at now: Instant) -> [Action] {
    if now >= timeUp { return finish(.time, at: now) }
    guard phase == .running, let commandLimit, let commandDeadline, now >= commandDeadline else {
      return []
    }
    return finish(.commandTimeout(commandLimit), at: now)
  }

  private mutating func boardFailed(_ error: DeviceError, at now: Instant) -> [Action] {
    guard rejoins, error.code == .gone || hasRejoined else {
      // Nothing more can reach it.
      return conclude(.fault(error), at: now)
    }
    guard case .away(let nextLook) = board else {
      board = .away(nextLook: now + Self.rejoinPeriod)
      return [.missBoard(error)]
    }
    return now >= nextLook ? [.lookForBoard] : []
  }

  // MARK: The end

  private mutating func finish(_ ending: Ending, at now: Instant) -> [Action] {
    guard hasNetwork else { return conclude(ending, at: now) }
    phase = .leaving(ending, deadline: now + Self.leavingTime)
    return [.leave]
  }

  private mutating func leave(
    _ event: Event, _ ending: Ending, by deadline: Instant, at now: Instant
  ) -> [Action] {
    guard case .network(let isDrained) = event else { return [] }
    if isDrained { return conclude(ending, at: now) }
    return now >= deadline ? [.reportUntaken] + conclude(ending, at: now) : []
  }

  private mutating func conclude(_ ending: Ending, at now: Instant) -> [Action] {
    phase = .ended(ending)
    // A session whose time is up lasts exactly as long as requested.
    return [.end(at: ending == .time && !hasNetwork ? end ?? now : now)]
  }
}

/// The time after the sender has ended, while its bytes are still on their way, wait on the board
/// or move the servo. The session ends when the line and the board have been quiet for some time.
struct Settling: Hashable, Sendable {
  /// The longest wait, beyond the bytes on their way. It ends a session whose board no longer takes
  /// anything, or whose sender left another process behind.
  private static let longest = Interval.seconds(5)
  /// Long enough for the verdict to distinguish a number that the sender left without an end from
  /// one that was cut off by the session's end.
  private static let quietTime = Interval.milliseconds(40)

  private let limit: Instant
  private var quietSince: Instant
  private var wasBusy = true

  /// The session does not end before this, so that the last outputs are seen.
  private var earliest: Instant

  /// Creates the settling of a session whose sender ended at `instant`. The session does not end
  /// before `earliest`. `backlog` is how long the bytes on their way take.
  init(at instant: Instant, notBefore earliest: Instant, backlog: Interval) {
    limit = max(instant + backlog + Self.longest, earliest)
    quietSince = instant
    self.earliest = earliest
  }

  /// Makes the session end no earlier than an instant, unless it has taken the longest time.
  mutating func extend(to instant: Instant) { earliest = min(max(earliest, instant), limit) }

  /// When to check again.
  var deadline: Instant { max(quietSince + Self.quietTime, earliest) }

  mutating func isOver(at instant: Instant, onTheWay: Int, waiting: Int?) -> Bool {
    if instant >= limit { return true }
    let isBusy = onTheWay > 0 || (waiting ?? 0) > 0
    // If the last check found activity, it may have lasted until just now.
    if isBusy || wasBusy { quietSince = instant }
    wasBusy = isBusy
    return instant >= deadline
  }
}
