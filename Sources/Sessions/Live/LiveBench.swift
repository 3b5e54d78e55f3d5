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
  /// Why a session ended.
  enum Ending: Hashable {
    case signal(CInt)
    /// The time that was asked for is over.
    case time
    /// The command after `--` has ended, and what it sent has been seen to.
    case command
    /// The device does not work any more.
    case fault(DeviceError)
  }

  /// At most so many bytes wait to be sent down the line, as in a port's buffer.
  private static let waitingMax = 4_096
  /// So many of the network's raw bytes wait for the port at most, beside what it has taken.
  private static let rawMax = 16_384
  /// Senders are held from here on, so that what is under way then still fits, and let go below.
  private static let waitingHigh = 2_048
  private static let waitingLow = 1_024
  /// How long what the network's clients have sent may take to go out at the end.
  private static let leavingTime = Interval.seconds(1)
  /// How often it is looked then whether the line is free.
  private static let leavingStep = Interval.milliseconds(1)
  /// A board that is back is spoken to so much later than its sketch should run.
  private static let listeningMargin = Interval.milliseconds(100)
  /// How often a board that was unplugged is looked for.
  private static let rejoinPeriod = Interval.milliseconds(500)
  /// So far a key takes the session back.
  private static let stepBack = Interval.seconds(5)
  /// A slow reader is tried again so often.
  private static let watchPeriod = Interval.milliseconds(20)

  private let plan: LivePlan
  private let signals: FileDescriptor
  private var door: PtyDoor?
  private let network: ArbiterRunner?
  private var session: LiveSession
  private let outputs: LiveSinks
  private let view: LiveView?
  private(set) var pacer = Pacer()
  private let command: LiveCommand
  private var settling: Settling?
  /// When an unplugged board is looked for next; nil: it is there.
  private var nextRejoin: Instant?
  /// Whether it has been back already. One that never worked is another mistake.
  private var hasRejoined = false
  /// Signals that came while it waited.
  private var arrived: [CInt] = []
  private var hasToldOfUnread = false
  private var remarksTold = 0
  /// The session is to end, when what waits for the line has gone down it, at the latest then.
  private var leaving: (ending: Ending, deadline: Instant)?
  /// The speed that the port is set to, bits a second.
  private var senderBaud: Int
  private var history = History<LiveMoment>()
  /// Bytes from the board that no sender took.
  private(set) var unread = 0

  init(
    _ plan: LivePlan, _ door: consuming PtyDoor?, _ network: ArbiterRunner?, _ session: LiveSession,
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
  func turn() throws(Failure) -> Ending? {
    try startCommand()
    obeyKeys()
    try listen()
    listenToNetwork()
    let now = min(pacer.now, plan.lastInstant)
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
    guard let ending = leaving?.ending ?? attend(at: now) ?? isOver(at: now) else { return nil }
    guard isReady(for: ending, at: now) else { return nil }
    session.finish(at: ending == .time && !plan.hasNetwork ? plan.end ?? now : now) {
      outputs.put($0)
    }
    try outputs.finish()
    return ending
  }

  /// The session is over, or has failed.
  func close() {
    view?.leave()
    command.end(signals: signals)
  }

  // MARK: One turn

  /// Starts the command when the device is ready. A board first answers the bench itself, and what
  /// it has to say meanwhile comes late.
  private func startCommand() throws(Failure) {
    guard !command.hasStarted, pacer.now >= .zero + session.device.lag else { return }
    try command.start()
  }

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
    guard nextRejoin == nil else { return }
    while let bytes = network.next(
      waitingCount: session.onTheWayCount, room: Self.rawMax - session.backlogCount)
    {
      receive(bytes)
    }
  }

  /// Whether the session can end. With a network the turret is first left as it should be.
  private func isReady(for ending: Ending, at now: Instant) -> Bool {
    guard let network else { return true }
    if case .fault = ending { return true }
    if leaving == nil {
      leaving = (ending, now + Self.leavingTime)
      network.beginLeaving()
      listenToNetwork()
    }
    let onTheWay = session.onTheWayCount
    if network.isDrained && onTheWay == 0 { return true }
    guard let deadline = leaving?.deadline, now >= deadline else { return false }
    let kind = network.isRaw ? "bytes" : "commands"
    report(
      "The board has not taken all in time: \(kind) that waited: \(network.waitingCount), bytes on "
        + "their way: \(session.untakenCount).")
    return true
  }

  /// Has senders wait while much is on the way. Looked at last before waiting: what was on the way
  /// may be all that would have woken the bench.
  private func holdOrRelease() throws(Failure) {
    let waiting = session.onTheWayCount
    guard !(Self.waitingLow..<Self.waitingHigh).contains(waiting) else { return }
    try Failure.from { () throws(SerialError) in try door?.hold(waiting >= Self.waitingHigh) }
  }

  private func take(_ kind: Event.Kind) {
    session.take(kind, at: min(pacer.now, plan.lastInstant)) { outputs.put($0) }
  }

  private func receive(_ bytes: [UInt8]) {
    let now = min(pacer.now, plan.lastInstant)
    if nextRejoin == nil {
      session.take(.receive(bytes), at: now) { outputs.put($0) }
    } else {
      session.miss(bytes, at: now) { outputs.put($0) }
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

  /// Sees to a device that does not work any more: the session ends, or goes on without it until it
  /// is back.
  private func attend(at now: Instant) -> Ending? {
    guard let fault = session.device.fault else { return nil }
    guard let rejoin = plan.rejoin, fault.code == .gone || hasRejoined else {
      return .fault(fault)
    }
    guard let next = nextRejoin else {
      report(fault.description)
      report(
        outputs.isWritten
          ? "The recording goes on when the board is back." : "It is looked for until it is back.")
      take(.mark("unplugged"))
      network?.boardIsGone()
      nextRejoin = now + Self.rejoinPeriod
      return nil
    }
    guard now >= next else { return nil }
    if let origin = session.device.origin, let device = rejoin(origin) {
      session.rejoin(device, at: min(pacer.now, plan.lastInstant)) { outputs.put($0) }
      nextRejoin = nil
      hasRejoined = true
      report("The board is back.")
      network?.boardIsBack(bootTime: session.device.bootTime + Self.listeningMargin)
    } else {
      nextRejoin = now + Self.rejoinPeriod
    }
    return nil
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

  private func isOver(at now: Instant) -> Ending? {
    defer { arrived = [] }
    for number in arrived {
      if SignalQueue.ending.contains(number) { return .signal(number) }
      switch number {
      case SIGCHLD: command.look()
      case SIGWINCH: view?.resized()
      case SIGTSTP: view?.suspend()
      default: break
      }
    }
    if now >= (plan.hasNetwork ? plan.end ?? .distantFuture : plan.lastInstant) { return .time }
    guard commandStatus != nil else { return nil }
    let onTheWay = session.onTheWayCount
    var settling =
      settling
      ?? Settling(
        at: now, notBefore: outputs.judge?.settles(from: now) ?? now,
        backlog: .nanoseconds(Int64(onTheWay) * ByteClock.byteTime(baud: plan.baud).nanoseconds))
    let isOver = settling.isOver(
      at: now, onTheWay: onTheWay, waiting: session.device.waitingCount)
    self.settling = settling
    return isOver ? .command : nil
  }

  /// What to wait for before the next turn.
  var needs: LiveNeeds {
    let hasRoom = session.onTheWayCount < Self.waitingMax
    let due = session.nextDeadline
    let others = [
      leaving == nil ? plan.hasNetwork ? plan.end : plan.lastInstant : leaving?.deadline,
      outputs.nextRecordingTry.map { $0 + session.device.lag },
      leaving == nil ? nil : pacer.now + Self.leavingStep, outputs.toSender.nextDeadline,
      settling?.deadline, nextRejoin,
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
