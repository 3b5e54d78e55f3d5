import Devices
import Gateway
import Platform
import Serial
import SystemPackage
import Traces
import Turret
import Verification

/// The bench in real time: what comes in by its doors and what the device does next, a turn at a
/// time. Who drives it waits between the turns for what `needs` names.
final class LiveBench {
  /// At most so many bytes wait to be sent down the line, as in a port's buffer.
  private static let waitingMax = 4_096
  /// So many of the network's raw bytes wait for the port at most, beside what it has taken.
  private static let rawMax = 16_384
  /// Senders are held from here on, so that what is under way then still fits, and let go below.
  private static let waitingHigh = 2_048
  private static let waitingLow = 1_024
  /// So far a key takes the session back.
  private static let stepBack = Interval.seconds(5)
  /// A slow reader is tried again so often.
  private static let watchPeriod = Interval.milliseconds(20)

  private let plan: LivePlan
  private let signals: FileDescriptor
  private var door: PtyDoor?
  private let network: NetworkDoor?
  private var session: LiveSession
  private let outputs: LiveSinks
  private let view: LiveView?
  private(set) var pacer = Pacer()
  private let command: LiveCommand
  private var life: SessionLife
  /// Signals that came while it waited.
  private var arrived: [CInt] = []
  private var hasToldOfUnread = false
  private var remarksTold = 0
  /// The speed that the port is set to, bits a second.
  private var senderBaud: Int
  private var history = History<LiveMoment>()
  /// Bytes from the board that no sender took.
  private(set) var unread = 0

  init(
    _ plan: LivePlan, _ door: consuming PtyDoor?, _ network: NetworkDoor?, _ session: LiveSession,
    _ outputs: LiveSinks, _ view: LiveView?
  ) throws(Failure) {
    self.plan = plan
    senderBaud = plan.baud
    self.door = door
    self.network = network
    self.session = session
    self.outputs = outputs
    self.view = view
    command = LiveCommand(plan.command, environment: plan.environment)
    life = SessionLife(
      end: plan.end, hasNetwork: network != nil, rejoins: plan.rejoin != nil)
    // Without a view a stop is the system's business.
    signals = try SignalQueue.open([SIGCHLD, SIGCONT] + (view == nil ? [] : [SIGWINCH, SIGTSTP]))
  }

  /// How the command after `--` ended; nil: there was none, or it has not.
  var commandStatus: ExitStatus? { command.status }

  /// What is wrong with the board; nil: it is there and works.
  var boardFailure: String? { session.device.fault?.description }

  /// What the network's clients have sent and the board never got, for people; nil: nothing.
  var unsentSummary: String? { network.flatMap { $0.counts.unsentSummary(isRaw: $0.isRaw) } }

  /// Commands that the sketch has taken; nil where nobody sees that.
  var commandCount: Int? { session.device.tellsFates ? session.ledger.commands : nil }

  /// When the session ended, in its own time.
  var end: Instant { session.now }

  /// Goes live: time runs from here on.
  func begin() {
    view?.enter()
    Poller.sharpenTimers()
    pacer = session.device.origin.map { Pacer(since: $0) } ?? Pacer()
  }

  /// Sees to all that has come and all that is due. Returns what ends the session.
  func turn() throws(Failure) -> SessionLife.Ending? {
    try decide(.turnBegan(lag: session.device.lag), at: pacer.now)
    obeyKeys()
    try listen()
    listenToNetwork()
    let now = min(pacer.now, life.lastInstant)
    let isTransmitHeard = session.setShowsTransmits(outputs.isHeard)
    session.pass(to: now) { outputs.put($0) }
    // Before all that nobody waits for.
    try deliver(by: now, isCounted: isTransmitHeard)
    // What the line has carried makes room for more.
    listenToNetwork()
    try holdOrRelease()
    tellRemarks()
    try flush()
    remember(at: now)
    draw(at: now)
    try decide(at: now)
    return life.ending
  }

  /// The session is over, or has failed.
  func close() {
    view?.leave()
    command.end(signals: signals)
  }

  // MARK: One turn

  /// Bytes of the board's that were read elsewhere.
  func arrived(_ bytes: [UInt8]) { session.arrived(bytes) }

  /// Takes what has come in by the door.
  private func listen() throws(Failure) {
    let room = Self.waitingMax - session.onTheWayCount
    do throws(SerialError) {
      for event in try door?.look(room: max(0, room)) ?? [] {
        switch event {
        case .opened:
          if plan.isVerbose { report("A sender has opened the port.") }
          if let deadTime = plan.resetOnOpen { take(.reset(deadTime)) }
        case .closed:
          if plan.isVerbose { report("No sender has the port open any more.") }
        case .baud(let baud): changeSpeed(to: baud)
        case .bytes(let bytes): receive(bytes)
        }
      }
    } catch {
      throw Failure(error)
    }
  }

  /// Takes what the network's clients want sent, as far as the line can have it.
  private func listenToNetwork() {
    guard let network else { return }
    network.expire()
    guard !life.isBoardAway else { return }
    while let bytes = network.next(
      waitingCount: session.onTheWayCount, room: Self.rawMax - session.backlogCount)
    {
      receive(bytes)
    }
  }

  /// Has senders wait while much is on the way. Looked at last before waiting: what was on the way
  /// may be all that would have woken the bench.
  private func holdOrRelease() throws(Failure) {
    let waiting = session.onTheWayCount
    guard !(Self.waitingLow..<Self.waitingHigh).contains(waiting) else { return }
    try Failure.from { () throws(SerialError) in try door?.hold(waiting >= Self.waitingHigh) }
  }

  private func take(_ kind: Event.Kind) {
    session.take(kind, at: min(pacer.now, life.lastInstant)) { outputs.put($0) }
  }

  private func receive(_ bytes: [UInt8]) {
    let now = min(pacer.now, life.lastInstant)
    if life.isBoardAway {
      session.miss(bytes, at: now) { outputs.put($0) }
    } else {
      session.take(.receive(bytes), at: now) { outputs.put($0) }
    }
  }

  private func changeSpeed(to baud: Int) {
    let bauds = SerialLine.bauds
    senderBaud = min(max(baud, bauds.lowerBound), bauds.upperBound)
    take(.baud(senderBaud))
    report(
      baud == plan.baud
        ? "The sender writes at \(baud) baud again."
        : "The sender writes at \(baud) baud, the board listens at \(plan.baud): "
          + "it gets something else than was sent.")
  }

  /// Passes on what the device has to say about its program.
  private func tellRemarks() {
    let remarks = session.device.remarks
    guard remarks.count > remarksTold else { return }
    for remark in remarks[remarksTold...] { report(remark) }
    remarksTold = remarks.count
  }

  /// Gives the senders what the board has sent. `isCounted`: it has become, or becomes, events.
  private func deliver(by now: Instant, isCounted: Bool) throws(Failure) {
    let emitted = outputs.toSender.take(by: now)
    let bytes = session.takeForSender() ?? emitted
    guard !bytes.isEmpty else { return }
    if !isCounted { outputs.addTransmitted(bytes.count) }
    network?.deliver(bytes)
    guard door != nil else { return }
    do throws(SerialError) {
      let count = try door?.write(bytes) ?? 0
      unread += bytes.count - count
      if door?.isOpen == true, count < bytes.count, !hasToldOfUnread {
        hasToldOfUnread = true
        report("The sender does not read what the board sends; that is lost from here on.")
      }
    } catch {
      throw Failure(error)
    }
  }

  private func flush() throws(Failure) {
    if let failure = try outputs.flush() {
      report(failure.message)
      report("The recording ends here; the bench goes on.")
    }
    let isQuiet =
      session.onTheWayCount == 0 && (session.device.waitingCount ?? 0) == 0
      && session.device.activity?.isReadingNumber != true
    if let news = outputs.rotate(at: session.settled, isQuiet: isQuiet) { report(news) }
  }

  private func draw(at now: Instant) {
    view?.draw(
      session, outputs.counts, clients: (door?.clientCount ?? 0) + (network?.clientCount ?? 0),
      unread: unread,
      lateness: pacer.lateness, at: now)
  }

  // MARK: The session's life

  /// Reports to the session's life what has happened by the end of a turn.
  private func decide(at now: Instant) throws(Failure) {
    if let fault = session.device.fault { try decide(.boardFailed(fault), at: now) }
    try obeySignals(at: now)
    try decide(.passed, at: now)
    let board = session.device.waitingCount
    try decide(.line(onTheWay: session.onTheWayCount, waiting: board), at: now)
    // Counted again, because the session may just have begun to leave.
    let isDrained = network?.isDrained != false && session.onTheWayCount == 0
    try decide(.network(isDrained: isDrained), at: now)
  }

  private func decide(_ event: SessionLife.Event, at now: Instant) throws(Failure) {
    for action in life.handle(event, at: now) { try carryOut(action, at: now) }
  }

  private func obeySignals(at now: Instant) throws(Failure) {
    defer { arrived = [] }
    for number in arrived where !life.isEnding {
      switch number {
      case SIGCHLD:
        command.look()
        if command.status != nil { try decide(commandEnded(at: now), at: now) }
      case SIGWINCH: view?.resized()
      case SIGTSTP: view?.suspend()
      default:
        if SignalQueue.ending.contains(number) { try decide(.signal(number), at: now) }
      }
    }
  }

  private func commandEnded(at now: Instant) -> SessionLife.Event {
    let byteTime = ByteClock.byteTime(baud: plan.baud).nanoseconds
    return .commandEnded(
      earliest: outputs.judge?.settles(from: now) ?? now,
      backlog: .nanoseconds(Int64(session.onTheWayCount) * byteTime))
  }

  private func carryOut(_ action: SessionLife.Action, at now: Instant) throws(Failure) {
    switch action {
    case .startCommand: try command.start()
    case .missBoard(let error):
      report(error.description)
      report(
        outputs.isWritten
          ? "The recording goes on when the board is back." : "It is looked for until it is back.")
      take(.mark("unplugged"))
      network?.boardIsGone()
    case .lookForBoard: try decide(lookForBoard(), at: now)
    case .welcomeBoard(let time):
      report("The board is back.")
      network?.boardIsBack(bootTime: time)
    case .leave:
      network?.beginLeaving()
      listenToNetwork()
    case .reportUntaken: reportUntaken()
    case .end(let instant):
      session.finish(at: instant) { outputs.put($0) }
      try outputs.finish()
    }
  }

  private func lookForBoard() -> SessionLife.Event {
    guard let origin = session.device.origin, let device = plan.rejoin?(origin) else {
      return .boardIsStillAway
    }
    session.rejoin(device, at: min(pacer.now, life.lastInstant)) { outputs.put($0) }
    return .boardIsBack(bootTime: session.device.bootTime)
  }

  private func reportUntaken() {
    guard let network else { return }
    let kind = network.isRaw ? "bytes" : "commands"
    report(
      "The board has not taken all in time: \(kind) that waited: \(network.waitingCount), bytes on "
        + "their way: \(session.untakenCount).")
  }

  /// What to wait for before the next turn.
  var needs: LiveNeeds {
    let hasRoom = session.onTheWayCount < Self.waitingMax
    let due = session.nextDeadline
    let others = [
      life.nextDeadline(after: pacer.now),
      outputs.nextRecordingTry.map { $0 + session.device.lag },
      outputs.toSender.nextDeadline,
      network?.nextDeadline.map { pacer.now + ($0 - .now) }, view?.nextFrame(after: pacer.now),
      session.device.patience.map { pacer.now + $0 },
      outputs.isBehind ? pacer.now + Self.watchPeriod : nil,
    ]
    let next = (others + [due.map { pacer.wakeUp(for: $0) }]).compactMap { $0 }.min()
    var descriptors = (door?.descriptors(hasRoom: hasRoom) ?? []) + [signals]
    if let keys = view?.keyDescriptor { descriptors.append(keys) }
    let device = session.device
    let board = device.fault == nil ? device.descriptor.map(FileDescriptor.init(rawValue:)) : nil
    return LiveNeeds(
      timeout: next == .distantFuture ? nil : next.map { $0 - pacer.now },
      descriptors: descriptors, board: board, due: due)
  }

  /// What was waited for has come, or with `isTimeout` its time. `due`: when the device has
  /// something to do, as `needs` said.
  func woke(isTimeout: Bool, due: Instant?) {
    arrived += SignalQueue.take(from: signals)
    // After a stop (Ctrl-Z) the bench catches up; it was not the waiting that was late.
    if isTimeout, arrived.isEmpty, let due { pacer.woke(for: due) }
  }

  // MARK: Going back

  /// Keeps what the session is now, to go back to.
  private func remember(at now: Instant) {
    guard let view, plan.refusalToGoBack == nil else { return }
    history.keep(
      LiveMoment(
        session: session, counts: outputs.counts, toSender: outputs.toSender, shaft: view.shaft,
        senderBaud: senderBaud),
      at: now)
  }

  private func obeyKeys() {
    for key in view?.takeKeys() ?? [] where key == UInt8(ascii: "b") { goBack() }
  }

  /// The session goes on from an earlier moment: with the clock, the board and the bytes that were
  /// under way then. What senders have set the port to since stays.
  private func goBack() {
    if let refusal = plan.refusalToGoBack {
      view?.say(refusal)
      return
    }
    let now = pacer.now
    guard let (time, moment) = history.goBack(to: now - Self.stepBack), time < now else { return }
    pacer.goBack(by: now - time)
    session = moment.session
    outputs.goBack(to: moment)
    view?.goBack(to: moment)
    if senderBaud != moment.senderBaud { take(.baud(senderBaud)) }
    view?.say("Back at \(time.nanoseconds / 1_000_000_000) s, as it was then; b goes back further.")
  }

  // MARK: -

  private func report(_ line: String) {
    if let view { view.warn(line) } else { plan.say(line) }
  }
}
