package import Devices
import Engine
import Judging
import Network
package import Platform
import Serial
package import Sketches
import SystemPackage
import Traces

/// Drives a session in real time, one turn at a time: gives it what has arrived, lets it advance to
/// the clock's present, and carries out its effects. Between turns, a loop waits for what the last
/// one returned. What is decided is decided by the session.
final class LiveBench<Source: DeviceSource>: NetworkBench {
  typealias D = Source.Made

  /// How much of the computer's time a turn can take to advance the device, and to find when it
  /// next does something. Signals and clients wait for the end of a turn.
  private static var turnMax: Interval { .milliseconds(20) }
  private static var searchMax: Interval { .milliseconds(5) }

  let plan: LivePlan
  let source: Source
  let links: LiveLinks
  var pty: PtyPort?
  var session: Session<D>
  let outputs: LiveSinks
  var pacer: Pacer
  var backlog = BoardBacklog()
  /// How often the supply has failed.
  private var powerFailures = 0
  let command: LiveCommand
  /// The levels and voltages that another program writes; nil without --inputs.
  let pinInputs: PinInputs?
  var pinKeys: PinKeys
  /// The signals since the last turn.
  var arrivedSignals: [CInt] = []
  /// When the device next does something, as of the last turn. The plan's deadline is a little
  /// earlier.
  var due: Instant?
  var history = History<LiveMoment<D>>()
  /// Why the session cannot be rewound, as a sentence; nil if it can.
  let refusalToGoBack: String?
  /// Whether a debugger has changed the board, so that the session is no recording.
  var isChanged = false
  /// Whether it runs no turns any more.
  private var isClosed = false
  private var isTakingRest = false

  init(
    _ plan: LivePlan, on source: Source, _ links: LiveLinks, _ session: Session<D>,
    _ outputs: LiveSinks
  ) throws(Failure) {
    self.plan = plan
    self.source = source
    self.links = links
    pty = links.port?.takePty()
    refusalToGoBack = plan.refusalToGoBack(session)
    self.session = session
    self.outputs = outputs
    command = LiveCommand(plan, environment: links.environment, on: links.system)
    pinInputs = try plan.inputPath.map { (path) throws(Failure) in try PinInputs(path) }
    pinKeys = PinKeys(source.inputs)
    pacer = Pacer(since: links.system.now, on: links.system)
    network?.owner = self
    if links.debugger != nil { self.session.keepInputs() }
  }

  private var system: any SystemCalls { links.system }
  /// Becomes readable when signals arrive; nil if the session does not handle them.
  private var signals: FileDescriptor? { links.signals }
  var remote: (any SenderLink)? { links.remote }
  var network: NetworkClients? { links.network?.clients }
  var client: (any APIConnection)? { links.client }
  var view: LiveView? { outputs.view }

  /// Runs without a network, in a loop around one wait, until the session ends.
  func run() throws(Failure) -> SessionLife.Ending {
    defer { close() }
    begin()
    var reason = TurnReason.work
    while true {
      switch try turn(reason) {
      case .over(let ending): return ending
      case .wait(let plan):
        let ready = system.wait(
          for: plan.descriptors + (plan.stream.map { [$0] } ?? []),
          timeout: plan.deadline.map { $0 - system.now })
        reason = ready.isEmpty ? .deadline : .readable(ready)
      }
    }
  }

  /// Handles everything that has arrived or is due. Returns what to wait for, or after the last
  /// turn how the session ended.
  ///
  /// The order of the steps matters:
  ///
  ///  0. A debugger decides how far the clock goes in this turn, and can hold the session before
  ///     anything is taken: what senders write meanwhile stays where it is.
  ///  1. The command starts before any input is taken, so that a command that cannot be started
  ///     ends an empty session. On a real board it starts when what that shows is known.
  ///  2. Keys are handled before input: bytes in the port when the session is rewound are received
  ///     by the rewound board.
  ///  3. Input is taken before time advances: each input is stamped with its own reading of the
  ///     clock, and time then advances to an instant after all of them.
  ///  4. Whether transmitted bytes become events is decided before the device makes any.
  ///  5. Time advances: the device's outputs become events, and queued bytes leave the line. A
  ///     device that needs too long continues in the next turn. If it is known to be slow, it also
  ///     advances before input is taken, since taking input advances it to the stamp.
  ///     The rig's camera takes its picture right after that: it shows the shaft as it is then.
  ///  6. The board's bytes are delivered before anything else is done. A sender waits for its
  ///     answer, but nothing waits for the rest.
  ///  7. The line takes what the network's clients have sent a second time: it may have room now.
  ///     Otherwise the next command would be sent a turn later.
  ///  8. Senders are held or released when the number of bytes on their way is final. These bytes
  ///     may be the only thing that would wake the bench, so a sender must not stay held for them.
  ///  9. Remarks, the recording, the moment to rewind to, and the view follow, because only people
  ///     read them. The moment includes everything recorded, and the view shows it.
  /// 10. The session decides last whether it ends, so that an ending does not cut off anything.
  /// 11. Dashboards, and status requests until the next turn, receive the state at the end of this
  ///     one.
  // Compiled for the model and for a real board too, as what it calls in `Session` for the model.
  @_specialize(where Source == ModelSource)
  @_specialize(where Source == BoardSource)
  func turn(_ reason: TurnReason) throws(Failure) -> TurnOutcome<SessionLife.Ending> {
    if reason != .work { woke(isTimeout: reason == .deadline) }
    followDebugger()
    let begin = system.now
    if look({ $0.board.isSlow }) { advance(since: begin) }
    try carryOutEffects()
    obeyKeys()
    command.output?.pass()
    try takeRequests()
    takePinInputs()
    try takeInput()
    try takeNetworkEvents()
    feedLine()
    let showsTransmits = session.setShowsTransmits(outputs.areUsed)
    let clock = advance(since: begin)
    proceedRig()
    let now = try deliver(isCounted: showsTransmits)
    feedLine()
    try holdOrRelease()
    try carryOutEffects()
    client?.flush()
    let (settled, isQuiet) = look { ($0.board.settled, $0.board.isQuiet) }
    for line in try outputs.flush(at: settled, isQuiet: isQuiet) { report(line) }
    remember(at: now)
    reportBacklog(at: clock)
    draw(at: now, clock)
    try decide(at: clock)
    setStatus()
    showDashboards(at: now, clock)
    if let ending = look({ $0.life.ending }) {
      links.debugger?.serve(after: look { $0.now }, signals)
      return .over(ending)
    }
    let searchBegin = system.now
    due = look {
      $0.board.isBehind
        ? nil : $0.board.nextDeadline(within: Self.searchMax) { system.now - searchBegin }
    }
    pacer.release()
    return .wait(waitPlan)
  }

  /// Reads from the session in place. To call a method on a struct that a class stores, the
  /// compiler first copies it, and a session is large.
  @inline(__always)
  func look<Result>(_ read: (inout Session<D>) -> Result) -> Result { read(&session) }

  /// The instant of what happens now.
  var now: Instant {
    let clock = pacer.now
    return look { $0.present(clock) }
  }

  /// Advances the device to the clock's present in a turn that began at `begin`, as far as the
  /// turn's time allows. Returns the clock's present.
  @discardableResult
  private func advance(since begin: HostTime) -> Instant {
    let clock = min(pacer.now, look { $0.life.lastInstant })
    session.clientBacklog = client?.backlog ?? 0
    session.advance(to: clock, within: (Self.turnMax, { [system] in system.now - begin })) {
      outputs.put($0)
    }
    return clock
  }

  /// Continues the rig's scene, and passes on the pictures of its camera.
  private func proceedRig() {
    guard let rig = links.rig else { return }
    let now = look { $0.now }
    if let remark = rig.look(at: now) { report(remark) }
    let (shaft, tilt) = look { ($0.drive?.degrees ?? 90, $0.drive?.tilt ?? 90) }
    for event in rig.proceed(at: now, shaft: shaft, tilt: tilt) {
      session.take(listed: event) { outputs.put($0) }
    }
    if rig.endsNow(at: now) { take(.sceneOver) }
  }

  /// Notes that a wait has ended. `isTimeout` is whether the planned time came before any input.
  private func woke(isTimeout: Bool) {
    if let signals { arrivedSignals += SignalQueue.take(from: signals, on: system) }
    // After a stop (Ctrl-Z) the bench catches up; the wait itself was not late.
    if isTimeout, arrivedSignals.isEmpty, let due { pacer.woke(for: due) }
  }

  /// Gives the session an input that has arrived now.
  func take(_ input: SessionInput) {
    session.take(input, at: pacer.now) { outputs.put($0) }
  }

  /// Takes what has arrived through the port.
  private func takeInput() throws(Failure) {
    var events: [PtyPort.Event] = []
    if pty != nil {
      let room = look { $0.credit(.pty) }
      events = try Failure.ofPort { () throws(SerialError) in try pty?.look(room: room) ?? [] }
    }
    for event in events {
      switch event {
      case .opened:
        if plan.isVerbose { report("A sender has opened the port.") }
        take(.opened)
      case .closed:
        if plan.isVerbose { report("No sender has the port open any more.") }
        take(.closed)
      case .parity:
        report(
          "A sender has set a parity. A pty carries none, so the bytes are taken to be in the "
            + "format that the board expects; --rfc2217 carries it.")
      case .unordered(let old, let new):
        report(
          "A sender set its port to \(new) baud while bytes that it had written were unread. A pty "
            + "does not show how many came before: all are taken to be sent at \(old) baud, as if "
            + "the sender had waited for them (tcdrain).")
      case .replaced(let path):
        try Failure.ofPort { () throws(SerialError) in try links.port?.lead(to: path) }
      case .baud(let baud): take(.speed(baud, .pty))
      case .bytes(let bytes): take(.bytes(bytes, .pty))
      }
      // Remarks are in the order of what they are about.
      try carryOutEffects()
    }
    try takeRemoteInput()
  }

  /// Takes the requests of a client.
  private func takeRequests() throws(Failure) {
    guard let client else { return }
    for request in client.look() {
      session.clientBacklog = client.backlog
      take(request)
      try carryOutEffects()
      if case .clientLeft = request {
        client.flush()
        client.drop()
      }
    }
    client.flush()
  }

  /// Takes what the network's clients have done.
  private func takeNetworkEvents() throws(Failure) {
    for (event, arrival) in network?.takeEvents() ?? [] {
      session.take(.network(event), at: pacer.time(of: arrival)) { outputs.put($0) }
      try carryOutEffects()
    }
  }

  /// Passes what the network's clients have sent to the line.
  private func feedLine() {
    if network != nil { session.feedLine(at: pacer.now) { outputs.put($0) } }
  }

  /// Holds senders while many bytes are on their way. This check comes last before waiting: the
  /// bytes on their way may be the only thing that would wake the bench.
  func holdOrRelease() throws(Failure) {
    guard pty != nil || remote != nil else { return }
    let (count, holds) = look { ($0.board.onTheWayCount, $0.board.holdsSenders) }
    remote?.settle(isIdle: count == 0)
    guard let holds else { return }
    try Failure.ofPort { () throws(SerialError) in try pty?.hold(holds) }
  }

  private static var powerFailuresShown: Int { 3 }

  /// Carries out what the session has decided.
  func carryOutEffects() throws(Failure) {
    var effects = session.takeEffects()
    while !effects.isEmpty {
      for effect in effects { try carryOut(effect) }
      effects = session.takeEffects()
    }
  }

  private func carryOut(_ effect: SessionEffect) throws(Failure) {
    switch effect {
    case .remark(let line): report(line)
    case .powerFailed(let failure):
      powerFailures += 1
      if powerFailures <= Self.powerFailuresShown {
        report("The supply has failed: \(failure.text).")
      } else if powerFailures == Self.powerFailuresShown + 1 {
        report("The supply fails again and again; the trace has each time.")
      }
    case .answer, .plot, .openTraces:
      client?.carryOut(effect, of: &session) { outputs.put($0) }
    case .startCommand: try command.start()
    case .boardIsGone(let error):
      report(error.description)
      report(
        outputs.isWritten
          ? "Recording resumes when the board is back." : "The bench keeps looking for it.")
    case .lookForBoard: lookForBoard()
    case .network(let action): network?.carryOut(action)
    case .end(let instant):
      session.finish(at: instant) { outputs.put($0) }
      try outputs.finish()
    }
  }

  func report(_ line: String) {
    if let view { view.warn(line) } else { links.notices.report(line) }
  }
}

// The beginning and the end, as the session decides them.
extension LiveBench {
  /// Returns how the command after `--` ended; nil if there was none.
  func senderReport(_ ending: SessionLife.Ending) -> SenderReport? {
    command.report(ending, limit: plan.end.map { $0 - .zero } ?? plan.rig?.rig.length)
  }

  /// What is reported about the rig after the session.
  var rigReport: [String] {
    guard let rig = links.rig else { return [] }
    return rig.report(
      address: links.cameraURL ?? "", hasCommands: session.counts.received > 0)
      + (rig.begin == nil ? [] : figures) + (session.drive?.remarks ?? [])
  }

  /// How well the turret has followed the face.
  private var figures: [String] {
    guard let tally = outputs.rig else { return [] }
    let figures = tally.tracking.figures(
      at: session.now, commands: session.commandCount ?? 0)
    guard let figures else { return [tally.tracking.refusal ?? TrackingRecord.tooShort] }
    let supply = tally.supply.map { [(name: "supply", text: $0)] } ?? []
    return (figures.rows + supply).map { "\($0.name): \($0.text)" }
  }

  /// A summary of what the network's clients have sent and the board never received; nil if there
  /// is nothing.
  var unsentSummary: String? {
    session.arbiter.flatMap { $0.counts.unsentSummary(isRaw: $0.settings.isRaw) }
  }

  /// Starts the session's clock.
  func begin() {
    view?.enter()
    session.begin(source.inputs) { outputs.put($0) }
    system.sharpenTimers()
    skipStartUp()
    pacer = Pacer(
      since: session.board.device.origin ?? system.now + (.zero - session.now), on: system)
  }

  /// How long a sketch is given to start, of its own time and of the computer's. One that has not
  /// started by then is not waited for.
  private static var startUpMax: Interval { .seconds(10) }

  /// Lets a device in virtual time run until its sketch listens.
  private func skipStartUp() {
    guard plan.skipsStartUp, session.board.device.origin == nil, client != nil else { return }
    let begin = system.now
    while !session.isListening, session.now < .zero + Self.startUpMax,
      system.now - begin < Self.startUpMax
    {
      session.advance(to: session.now + .milliseconds(1)) { outputs.put($0) }
    }
  }

  /// Reports the program's exit status to the client, and disconnects.
  func finishClient(_ status: ExitStatus) {
    if let message = session.lastMessage(status) { client?.put(message) }
    client?.finish()
  }

  /// Releases everything after the session has ended or failed.
  func close() {
    isClosed = true
    takeLastEvents()
    view?.leave()
    if let signals { command.end(signals: signals) }
    links.rig?.end()
  }

  /// Lets the session decide at the end of a turn.
  private func decide(at clock: Instant) throws(Failure) {
    for number in arrivedSignals where !look({ $0.life.isEnding }) {
      switch number {
      case SIGCHLD: lookForEnd()
      case SIGWINCH: view?.resized()
      case SIGTSTP: view?.suspend()
      default: if SignalQueue.ending.contains(number) { take(.signal(number)) }
      }
    }
    arrivedSignals = []
    // A suite can pass the signal on late, but the end of what the sender prints is noticed.
    if plan.keepsOutput { lookForEnd() }
    session.decide(at: clock, unread: remote?.waitingCount ?? 0) { outputs.put($0) }
    try carryOutEffects()
  }

  /// Tells the session when its command has ended.
  private func lookForEnd() {
    let hadEnded = command.status != nil
    command.updateStatus()
    if command.status != nil, !hadEnded { take(.commandEnded) }
  }

  private func lookForBoard() {
    guard !look({ $0.life.isEnding }) else { return }
    guard plan.rejoins, let origin = session.board.device.origin,
      let device = try? source.rejoin(
        for: outputs.header, firmware: plan.session.sketch.firmware, since: origin)
    else { return take(.boardIsStillAway) }
    session.rejoin(device, at: pacer.now) { outputs.put($0) }
  }
}

// What the network's clients do while their connections are closed.
extension LiveBench: ClientsOwner {
  var arbiter: Arbiter? { session.arbiter }

  /// Counts it, and notifies those whose commands will not be sent, also if a turn has failed.
  /// Carrying that out can call back.
  func takeLastEvents() {
    guard let network, isClosed, !isTakingRest else { return }
    isTakingRest = true
    defer { isTakingRest = false }
    session.closeNetwork(at: pacer.now) { outputs.put($0) }
    try? carryOutEffects()
    while case let events = network.takeEvents(), !events.isEmpty {
      for (event, arrival) in events {
        session.take(.network(event), at: pacer.time(of: arrival)) { outputs.put($0) }
        try? carryOutEffects()
      }
    }
  }
}

// Input from the link next to the pty.
extension LiveBench {
  private func takeRemoteInput() throws(Failure) {
    guard let remote else { return }
    for news in remote.takeNews() {
      switch news {
      case .dtr: take(.dtr)
      case .remark(let line): report(line)
      case .detail(let line): if plan.isVerbose { report(line) }
      }
    }
    let slowest = remote.slowestWaiting
    let credit = look { $0.credit(.remote, slowest: slowest) }
    guard credit > 0 else { return }
    for item in remote.takeForLine(room: credit) {
      switch item {
      case .speed(let baud): take(.speed(baud, .remote))
      case .format(let format): take(.format(format, .remote))
      case .bytes(let bytes): take(.bytes(bytes, .remote))
      case .breakBegan: take(.breakBegan)
      case .breakEnded: take(.breakEnded)
      }
      try carryOutEffects()
    }
  }
}

// Output: the board's bytes to the senders.
extension LiveBench {
  /// Delivers the board's bytes to the senders. `isCounted` is whether they also become events.
  /// Returns the instant until which it has sent them.
  private func deliver(isCounted: Bool) throws(Failure) -> Instant {
    let clock = pacer.now
    let now = look { $0.present(clock) }
    var ptyReader: LineReader?
    if pty?.isOpen == true, let baud = pty?.readerBaud { ptyReader = LineReader(baud: baud) }
    let remoteReader = remote.flatMap { remote in
      remote.readerBaud.map { LineReader(baud: $0, format: remote.readerFormat) }
    }
    let sent = session.deliver(
      at: clock, isCounted: isCounted, pty: ptyReader, remote: remoteReader
    ) {
      outputs.put($0)
    }
    try carryOutEffects()
    if !isCounted, !sent.bytes.isEmpty { outputs.put(transmitted: sent.bytes, by: now) }
    guard pty != nil || remote != nil else { return now }
    let toRemote = sent.remote.isEmpty ? 0 : remote?.write(sent.remote) ?? 0
    let toPty = try Failure.ofPort { () throws(SerialError) in
      sent.pty.isEmpty ? 0 : try pty?.write(sent.pty) ?? 0
    }
    session.note(
      sent, writtenToPty: ptyReader == nil ? nil : toPty,
      toRemote: remoteReader == nil ? nil : toRemote,
      isOpen: pty?.isOpen == true || remote?.isOpen == true)
    return now
  }
}

// The wait between two turns, for the loop that runs the bench.
extension LiveBench {
  /// The time until a slow reader of the trace or of standard error is tried again.
  private static var watchPeriod: Interval { .milliseconds(20) }

  /// Takes bytes from the board that were read elsewhere.
  func arrived(_ bytes: [UInt8]) { session.arrived(bytes) }

  /// What to wait for before the next turn.
  var waitPlan: TurnPlan {
    let (time, now) = (system.now, pacer.now)
    let wait = look { $0.wait(after: now) }
    var next = wait.isBehind ? now : wait.deadline ?? .distantFuture
    func consider(_ instant: Instant?) { if let instant { next = min(next, instant) } }
    consider(due.map { pacer.wakeUp(for: $0) })
    consider(outputs.nextRecordingTry.map { $0 + wait.lag })
    consider(view?.nextRedraw(after: now))
    if let network, network.dashboards.isWatched {
      consider(outputs.dashboard?.nextMessage(after: now))
    }
    if outputs.isBehind || client?.needsRetry == true || wait.isClientBehind
      || command.output?.isStalled == true
      || remote?.needsRetry == true || (remote?.waitingCount ?? 0) > 0
    {
      consider(now + Self.watchPeriod)
    }
    consider(links.rig?.deadline)
    consider(links.debugger?.patience.map { now + $0 })
    consider(remote?.deadline.map { now + ($0 - time) })
    var descriptors = pty?.descriptors(hasRoom: wait.hasRoom) ?? []
    if let signals { descriptors.append(signals) }
    if let keys = view?.keyDescriptor { descriptors.append(keys) }
    descriptors += command.output?.descriptors ?? []
    descriptors += client?.descriptors ?? []
    if let inputs = pinInputs?.descriptor { descriptors.append(inputs) }
    if let pictures = links.rig?.descriptor { descriptors.append(pictures) }
    return TurnPlan(
      deadline: next == .distantFuture ? nil : time + (next - now),
      descriptors: descriptors.map(\.rawValue) + (remote?.descriptors ?? [])
        + (links.debugger?.descriptors ?? []),
      stream: wait.descriptor)
  }
}

/// Makes virtual time follow the computer's monotonic clock, from the moment the session began.
package struct Pacer: Sendable {
  private let system: any SystemCalls
  /// The moment of the session's time 0.
  private var origin: HostTime
  /// Where virtual time stands; nil while it goes on.
  private var held: Instant?
  private var lead = WakeUpLead()
  /// How late the process woke when something was due.
  package private(set) var lateness = Lateness()

  /// Creates a pacer for a session that began at `origin`.
  package init(since origin: HostTime, on system: any SystemCalls) {
    self.origin = origin
    self.system = system
  }

  /// Virtual time, in whole microseconds.
  package var now: Instant { time(of: system.now) }

  /// Virtual time at a moment of the computer's clock.
  package func time(of moment: HostTime) -> Instant {
    held ?? moment.sessionTime(since: origin)
  }

  /// Lets virtual time stand at an instant until `release`. If `isLate`, it goes on from there;
  /// otherwise as if it had not stood.
  package mutating func hold(at instant: Instant, isLate: Bool) {
    if isLate { goBack(by: now - instant) }
    held = instant
  }

  package mutating func release() { held = nil }

  /// Moves virtual time back by an interval.
  package mutating func goBack(by interval: Interval) { origin = origin + interval }

  /// Returns when to ask to be woken for something that is due at `deadline`.
  package func wakeUp(for deadline: Instant) -> Instant { deadline - lead.interval }

  /// Notes a wake-up for something that is due at `deadline`. The remaining microseconds are spent
  /// spinning.
  package mutating func woke(for deadline: Instant) {
    var now = now
    // An early wake-up is not a measurement: a long wait has two parts.
    guard now >= wakeUp(for: deadline) else { return }
    lead.observe(now - wakeUp(for: deadline))
    while now < deadline { now = self.now }
    lateness.add(now - deadline)
  }
}
