import Devices
import Engine
import Gateway
import Platform
import Serial
import Traces
import Turret
import Verification

// The beginning and the end: reports events to the session's life, and carries out what it decides.
extension LiveBench {
  /// Returns how the command after `--` ended; nil if there was none.
  func senderReport(_ ending: SessionLife.Ending) -> SenderReport? {
    command.report(ending, limit: plan.end.map { $0 - .zero })
  }

  /// A summary of what the network's clients have sent and the board never received; nil if there
  /// is nothing.
  var unsentSummary: String? { network.flatMap { $0.counts.unsentSummary(isRaw: $0.isRaw) } }

  /// The number of commands that the sketch has taken; nil if that cannot be observed.
  var commandCount: Int? {
    session.device.capabilities.reportsFates ? session.ledger.commands : nil
  }

  /// When the session ended, in its own time.
  var end: Instant { session.now }

  /// Starts the session's clock.
  func begin() {
    view?.enter()
    session.begin(surroundings.inputs) { outputs.put($0) }
    Poller.sharpenTimers()
    skipStartUp()
    pacer = Pacer(since: session.device.origin ?? .now + (.zero - session.now))
  }

  /// How long a sketch is given to start, of its own time and of the computer's. One that has not
  /// started by then is not waited for.
  private static var startUpMax: Interval { .seconds(10) }

  /// Lets a device in virtual time run until its sketch listens.
  private func skipStartUp() {
    guard plan.skipsStartUp, session.device.origin == nil, let api else { return }
    let begin = HostTime.now
    while !api.isListening(on: self), session.now < .zero + Self.startUpMax,
      HostTime.now - begin < Self.startUpMax
    {
      session.pass(to: session.now + .milliseconds(1)) { outputs.put($0) }
      api.advance(on: self)
    }
  }

  /// Releases everything after the session has ended or failed.
  func close() {
    view?.leave()
    if let signals { command.end(signals: signals) }
  }

  /// Reports to the session's life what has happened by the end of a turn.
  func decide(at now: Instant) throws(Failure) {
    if let fault = session.device.fault { try decide(.boardFailed(fault), at: now) }
    try obeySignals(at: now)
    if isEndRequested { try decide(.endKey, at: now) }
    try decide(.passed, at: now)
    let board = session.device.waitingCount
    if life.isAboutToEnd(at: now) {
      try decide(.undecided(until: outputs.settles(from: now)), at: now)
    }
    // A board that is behind has not done yet what the command has sent.
    let undone = session.isBehind ? 1 : 0
    try decide(.line(onTheWay: totalOnTheWay + undone, waiting: board), at: now)
    // Counted again, because the session may just have begun to leave.
    let isDrained = network?.isDrained != false && totalOnTheWay == 0
    try decide(.network(isDrained: isDrained), at: now)
  }

  func decide(_ event: SessionLife.Event, at now: Instant) throws(Failure) {
    for action in life.handle(event, at: now) { try carryOut(action, at: now) }
  }

  private func obeySignals(at now: Instant) throws(Failure) {
    defer { arrivedSignals = [] }
    for number in arrivedSignals where !life.isEnding {
      switch number {
      case SIGCHLD:
        command.updateStatus()
        if command.status != nil { try decide(commandEnded(at: now), at: now) }
      case SIGWINCH: view?.resized()
      case SIGTSTP: view?.suspend()
      default:
        if SignalQueue.ending.contains(number) { try decide(.signal(number), at: now) }
      }
    }
  }

  private func commandEnded(at now: Instant) -> SessionLife.Event {
    let byteTime = ByteClock.byteTime(baud: plan.session.baud).nanoseconds
    return .commandEnded(
      earliest: max(outputs.settles(from: now), api?.nextDeadline ?? now),
      backlog: .nanoseconds(Int64(totalOnTheWay) * byteTime))
  }

  private func carryOut(_ action: SessionLife.Action, at now: Instant) throws(Failure) {
    switch action {
    case .startCommand: try command.start()
    case .missBoard(let error):
      report(error.description)
      report(
        outputs.isWritten
          ? "Recording resumes when the board is back." : "The bench keeps looking for it.")
      take(.mark("unplugged"))
      network?.boardIsGone()
    case .lookForBoard: try decide(lookForBoard(), at: now)
    case .welcomeBoard(let time):
      report("The board is back.")
      network?.boardIsBack(bootTime: time)
    case .leave:
      network?.beginLeaving()
      takeNetworkInput()
    case .reportUntaken: reportUntaken()
    case .end(let instant):
      recordRefused(isLast: true)
      session.finish(at: instant) { outputs.put($0) }
      try outputs.finish()
    }
  }

  private func lookForBoard() -> SessionLife.Event {
    guard let origin = session.device.origin, let device = search?.find(since: origin) else {
      return .boardIsStillAway
    }
    session.rejoin(device, at: now) { outputs.put($0) }
    return .boardIsBack(bootTime: session.device.bootTime)
  }

  private func reportUntaken() {
    guard let network else { return }
    let kind = network.isRaw ? "bytes" : "commands"
    report(
      "The board did not take everything in time: \(kind) waiting: \(network.waitingCount), "
        + "bytes in transit: \(session.device.untakenCount).")
  }
}
