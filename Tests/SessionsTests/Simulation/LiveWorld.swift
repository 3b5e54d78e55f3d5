import Devices
import Engine
import Judging
import Platform
import Sketches
import SystemPackage
import TestSupport
import Traces

@testable import Serial
@testable import Sessions

/// What is around the real-time driver, in memory: programs at its pty, clients of its sockets, its
/// command, and the readers of what it writes. It checks before each wait, and at the end, what
/// must always hold.
final class LiveWorld {
  private let script: LiveScript
  private let system: MemorySystem
  private let header: Header
  private let kinds: Set<Output.Kind>
  private var bench: LiveBench<ModelSource>?
  private let remarks: Mailbox
  private let signals: MemoryPipe
  private let remoteListener: MemoryListener?
  private let clientListener: MemoryListener?
  private let recording: MemoryFile?

  private let programs = [MemoryProgram(), MemoryProgram()]
  /// The present connections of the clients, by their numbers.
  private var remotes: [Int: MemorySocket] = [:]
  private var clients: [Int: MemorySocket] = [:]
  private var clientSockets: [MemorySocket] = []
  private var remoteSockets: [MemorySocket] = []
  /// The requests of each connection, with their ids.
  private var asked: [Int: [(id: Int, text: String)]] = [:]
  private var requestCount = 0
  private var letter = 0
  /// When a request to end arrived; nil until then.
  private var endedAt: HostTime?
  private var wasToldToEnd = false
  private var isMended = false
  /// Whether the trace must have been taken by the next wait. This happens within a call of the
  /// bench, which may be one that writes the trace.
  private var mustHaveTrace = false
  private var wasStdoutClosed = false
  private var wasDiskFull = false
  private let begin: HostTime
  private var latest: HostTime
  /// When the process last continued after a stop.
  private var resumedAt = HostTime(nanoseconds: 0)
  /// Whether nothing has happened for a while before the end.
  private var isQuiet = false
  private(set) var flaw: String?
  private(set) var events: [Event] = []
  /// The board's bytes.
  private var sent: [UInt8] = []
  private(set) var ending: SessionLife.Ending?
  private(set) var failure: Failure?

  static func flaw(of script: LiveScript) -> String? {
    do {
      let world = try LiveWorld(script)
      world.run()
      return world.flaw
    } catch {
      return "the bench does not begin: \(error)"
    }
  }

  init(_ script: LiveScript) throws {
    self.script = script
    let plan = script.plan
    system = MemorySystem(seed: script.seed)
    system.ptyCapacity = plan.capacity
    let source = ModelSource()
    var stated = StatedSession()
    stated.firmware = plan.firmware
    var live = LivePlan(source: source, session: SessionPlan(stated, on: source))
    live.end = plan.end.map { .zero + .microseconds($0) }
    live.commandLimit = plan.commandLimit.map { .microseconds($0) }
    live.keepsTrace = true
    live.resetOnOpen = plan.resetOnOpen.map { .microseconds($0) }
    if let command = plan.command {
      live.command = ["sender"]
      live.reportsSender = true
      system.behaviour = MemoryChild.Behaviour(
        lifetime: command.lifetime.map { .microseconds($0) }, status: command.status,
        ignoresTermination: command.ignoresTermination, leavesAnother: command.leavesAnother)
    }
    let start = try live.session.begin(on: source)
    header = start.header
    kinds = start.setup.observes
    var session = Session(start, life: live.life)
    session.resetOnOpen = live.resetOnOpen
    session.resetOnDTR = .zero

    remarks = try Mailbox(on: system)
    var links = LiveLinks(notices: .host(remarks), system: system)
    if plan.hasPty {
      links.port = LivePort(try PtyPort.make(baud: 9_600, isReplaceable: true, on: system))
    }
    var listener: MemoryListener?
    if plan.hasRemote {
      let made = system.makeListener()
      listener = made.listener
      links.remote = RemotePort(
        on: system, listeners: [made.descriptor], addresses: [], speed: 9_600,
        speeds: SerialLine.bauds)
    }
    remoteListener = listener
    listener = nil
    if plan.hasClient {
      let made = system.makeListener()
      listener = made.listener
      let descriptor = FileDescriptor(rawValue: made.descriptor)
      links.client = APIPort(on: system, socket: APISocket(descriptor, path: "api", on: system))
      session.serve(
        APISession(APISetting(header: header, setup: start.setup, device: source.name)))
    }
    clientListener = listener
    var file: MemoryFile?
    var recording: Recording?
    if plan.records {
      let made = system.makeFile()
      file = made.file
      recording = Recording(
        "recording", nil,
        RecordingFile(FileDescriptor(rawValue: made.descriptor), on: system), replacing: nil, nil)
    }
    self.recording = file
    let queue = system.makeSignals()
    signals = queue.pipe
    system.signals = queue.pipe
    begin = system.time
    latest = begin
    let place = WorldPlace()
    let sinks = LiveSinks(
      header, showsTrace: plan.showsTrace, view: nil, recording: recording, isKept: true,
      trace: TraceOutput(on: system, isEnding: { place.world?.endedAt != nil }))
    links.signals = FileDescriptor(rawValue: queue.descriptor)
    bench = try LiveBench(live, on: source, links, session, sinks)
    place.world = self
  }

  /// Where closures find the world.
  private final class WorldPlace: @unchecked Sendable { weak var world: LiveWorld? }

  // MARK: The session

  func run() {
    schedule()
    system.onWait = { [unowned self] in check() }
    do throws(Failure) {
      ending = try bench?.run()
    } catch {
      failure = error
    }
    flaw = flaw ?? system.flaw
    guard flaw == nil else { return }
    finish()
    bench = nil
    flaw = flaw ?? system.flaw
    // The pipe of the remarks, and that of the signals.
    if flaw == nil, system.openCount != 3 {
      flaw = "\(system.openCount) descriptors are open at the end, not 3"
    }
  }

  /// Lets every step happen at its time. After the last one everything is mended, and the session
  /// is ended when all that was written has been taken.
  private func schedule() {
    var time = system.time + .milliseconds(1)
    for step in script.steps {
      if case .pass(let pause) = step { time = time + .microseconds(pause) }
      system.at(time) { [unowned self] in perform(step) }
    }
    system.at(time + .milliseconds(1)) { [unowned self] in mend() }
    system.at(time + .seconds(200)) { [unowned self] in system.note("the bench does not end") }
    if let end = script.plan.end { mustEnd(within: .microseconds(end) + .milliseconds(100)) }
  }

  private var pty: MemoryPty? { system.ptys.last }

  private func perform(_ step: LiveScript.Step) {
    switch step {
    case .pass: break
    case .opens(let who): if let pty { programs[who].open(pty) }
    case .closes(let who): programs[who].close()
    case .writes(let who, let text): programs[who].write(Array(text.utf8))
    case .floods(let who, let count):
      programs[who].write((0..<count).map { UInt8(ascii: "A") + UInt8($0 % 23) })
    case .speed(let who, let baud): programs[who].set(speed: baud)
    case .parity(let who): programs[who].setParity()
    case .claims(let who): programs[who].claim()
    case .stalls(let who): programs[who].isReading = false
    case .reads(let who): programs[who].isReading = true
    case .connects(let who):
      guard let remoteListener, remotes[who]?.isConnected != true else { break }
      let socket = system.connect(to: remoteListener, capacities: [32, 512, 8_192])
      remotes[who] = socket
      remoteSockets.append(socket)
    case .sends(let who, let text): send(who, text.utf8)
    case .pours(let who, let count): send(who, repeatElement(0x4C, count: count))
    case .remoteSpeed(let who, let baud): command(who, .speed(UInt32(baud)))
    case .control(let who, let value): command(who, .control(value))
    case .half(let who):
      remotes[who]?.send(
        PortCommand.speed(9_600).bytes(from: .client).prefix(4), isData: false)
      remotes[who]?.isHalf = true
    case .ends(let who): remotes[who]?.finish()
    case .leaves(let who): remotes[who]?.leave()
    case .resets(let who): remotes[who]?.reset()
    case .remoteStalls(let who): remotes[who]?.isReading = false
    case .remoteReads(let who): remotes[who]?.isReading = true
    case .clientConnects(let who):
      guard let clientListener, clients[who]?.isConnected != true else { break }
      let socket = system.connect(to: clientListener, capacities: [2_048, 8_192, 65_536])
      clients[who] = socket
      clientSockets.append(socket)
    case .request(let who, let text): ask(who, text)
    case .requests(let who, let count): for _ in 0..<count { ask(who, #""do": "state""#) }
    case .halfRequest(let who):
      clients[who]?.send(Array("{\"id\": ".utf8), isData: false)
      clients[who]?.isHalf = true
    case .clientEnds(let who): clients[who]?.finish()
    case .clientLeaves(let who): clients[who]?.leave()
    case .clientResets(let who): clients[who]?.reset()
    case .clientStalls(let who): clients[who]?.isReading = false
    case .clientReads(let who): clients[who]?.isReading = true
    case .signal(let number):
      system.signal(number, signals)
      guard SignalQueue.ending.contains(number) else { break }
      wasToldToEnd = true
      endedAt = endedAt ?? system.time
      mustEnd(within: .seconds(1))
    case .stops(let time):
      resumedAt = system.time + .microseconds(time)
      system.stop(for: .microseconds(time))
      system.signal(SIGCONT, signals)
    case .commandEnds(let state): system.commandEnds(state)
    case .commandWrites(let count):
      system.commandWrites(String(repeating: "w", count: count - 1) + "\n")
    case .outputStalls: system.standard(STDOUT_FILENO).isReading = false
    case .outputReads: system.standard(STDOUT_FILENO).isReading = true
    case .outputCloses:
      wasStdoutClosed = true
      system.standard(STDOUT_FILENO).isClosed = true
    case .diskIsFull:
      wasDiskFull = true
      if let recording { recording.limit = recording.bytes.count + 100 }
    case .diskHasRoom: recording?.limit = .max
    case .noDescriptors: system.shortage = .tooManyOpenFiles
    case .descriptors: system.shortage = nil
    }
  }

  /// Sends data that a telnet connection carries unchanged. If there are several links, each byte
  /// has its own letter, so that a trace shows what is missing. After half a command, it is part of
  /// that.
  private func send(_ who: Int, _ bytes: some Sequence<UInt8>) {
    guard let socket = remotes[who], socket.isConnected else { return }
    guard script.plan.hasPty || script.plan.hasClient else {
      return socket.send(bytes, isData: !socket.isHalf)
    }
    let letters = bytes.map { _ in
      letter = (letter + 1) % 26
      return UInt8(ascii: "a") + UInt8(letter)
    }
    socket.send(letters, isData: !socket.isHalf)
  }

  private func command(_ who: Int, _ command: PortCommand) {
    remotes[who]?.send(command.bytes(from: .client), isData: false)
    remotes[who]?.isHalf = false
  }

  private func ask(_ who: Int, _ text: String) {
    guard let socket = clients[who], socket.isConnected else { return }
    requestCount += 1
    // The rest of a line that has begun is no request of its own.
    if !socket.isHalf { asked[socket.number, default: []].append((requestCount, text)) }
    socket.isHalf = false
    socket.send(Array("{\"id\": \(requestCount), \(text)}\n".utf8), isData: false)
  }

  // MARK: The end

  /// Mends everything that stalls, and waits until all that was written is taken.
  private func mend() {
    for program in programs { program.isReading = true }
    for socket in system.sockets { socket.isReading = true }
    for who in remotes.keys { command(who, .control(PortControl.breakOff.rawValue)) }
    system.standard(STDOUT_FILENO).isReading = true
    recording?.limit = .max
    system.shortage = nil
    isMended = true
    drain(for: 600)
  }

  private var untakenCount: Int {
    let inPty = (pty?.toBench.count ?? 0) + programs.map(\.unsent.count).reduce(0, +)
    let inSockets = system.sockets.filter { $0.isConnected && $0.isAccepted }
    return inPty + inSockets.map(\.waitingCount).reduce(0, +) + (bench?.remote?.waitingCount ?? 0)
  }

  private func drain(for looks: Int) {
    guard untakenCount > 0 else {
      let wasIdle = bench?.session.board.isQuiet == true
      return system.after(.milliseconds(700)) { [unowned self] in end(wasIdle) }
    }
    guard looks > 0 else { return system.note("a sender never got credit again") }
    system.after(.milliseconds(100)) { [unowned self] in drain(for: looks - 1) }
  }

  /// Ends the session by the end of its command, or by a signal.
  private func end(_ wasIdle: Bool) {
    isQuiet = wasIdle
    // Every reader has read for 700 ms.
    if bench?.client?.needsRetry == true { system.note("an answer waits although it is read") }
    if bench?.remote?.needsRetry == true { system.note("a remote client's bytes wait") }
    mustHaveTrace = true
    if !(remoteListener?.waiting.isEmpty ?? true) { system.note("a client is not accepted") }
    if !(clientListener?.waiting.isEmpty ?? true) { system.note("a client is not accepted") }
    let command = system.children.first { !$0.isWatcher }
    if let command, command.state != nil || system.chance(2) {
      system.commandEnds(0)
      // At 2 400 baud, for what is on its way and what waits.
      return mustEnd(within: .seconds(50))
    }
    wasToldToEnd = true
    endedAt = endedAt ?? system.time
    system.signal(SIGTERM, signals)
    mustEnd(within: .seconds(1))
  }

  private func mustEnd(within time: Interval) {
    system.after(time) { [unowned self] in
      guard bench?.session.life.ending == nil else { return }
      // It may just have been stopped.
      let grace = Interval.milliseconds(200)
      if system.time < resumedAt + grace { return mustEnd(within: grace) }
      system.note("the session does not end")
    }
  }

  // MARK: What must hold

  /// Called before each wait of the bench.
  private func check() {
    if mustHaveTrace {
      mustHaveTrace = false
      if bench?.outputs.isBehind == true { system.note("the trace waits although it is read") }
    }
    if system.time < latest { system.note("time goes back") }
    latest = system.time
    let elapsed = (system.time - begin).nanoseconds / 1_000_000
    if system.waitCount > 5_000 + 6 * elapsed { system.note("the bench never rests") }
    guard let bench, bench.session.life.ending == nil else { return }
    let session = bench.session
    let onTheWay = session.board.onTheWayCount
    if session.credit(.pty) != max(0, 4_096 - onTheWay) { system.note("a wrong credit") }
    if onTheWay == 0, let pty, bench.pty != nil, pty.isHeld {
      system.note("an empty line holds its senders")
    }
    if onTheWay > 4_096, let pty, bench.pty?.isOpen == true, !pty.isHeld, !pty.isClaimed {
      system.note("a full line takes more")
    }
  }

  private func finish() {
    guard let bench else { return }
    if let failure, !(wasStdoutClosed && failure.status == .closedPipe) {
      flaw = "the bench has failed: \(failure.message)"
      return
    }
    guard failure == nil else { return }
    checkEnding()
    if let text = bench.outputs.trace(at: bench.session.now) { checkTrace(text, bench) }
    checkClients(bench)
    checkCommand(bench)
  }

  private func checkEnding() {
    let isCaused =
      switch ending {
      case .signal?: wasToldToEnd
      case .time?: script.plan.end != nil
      case .command?, .commandTimeout?: script.plan.command != nil
      case .key?, .fault?, nil: false
      }
    if !isCaused { flaw = flaw ?? "ended without a cause: \(String(describing: ending))" }
  }

  private func checkCommand(_ bench: LiveBench<ModelSource>) {
    for child in system.children where child.state == nil {
      flaw = flaw ?? "process \(child.id) still runs"
    }
    for child in system.children where !child.isTaken && !child.isWatcher {
      flaw = flaw ?? "process \(child.id) was not waited for"
    }
    let isStarted = system.children.contains { !$0.isWatcher }
    if isStarted, let ending, bench.senderReport(ending) == nil {
      flaw = flaw ?? "no report of the command"
    }
  }

  // MARK: The trace

  private func checkTrace(_ text: [UInt8], _ bench: LiveBench<ModelSource>) {
    do {
      var reader = try TraceReader(text: text, path: "trace")
      while let event = try reader.next() { events.append(event) }
    } catch {
      flaw = flaw ?? "the trace is malformed: \(error)"
      return
    }
    for case .output(.transmit(let byte)) in events.map(\.kind) { sent.append(byte) }
    checkOutputs(text)
    checkReceived(bench)
    checkSent(bench)
    guard flaw == nil else { return }
    for (name, other) in [("replay", replayed()), ("session in virtual time", inVirtualTime())]
    where other != events {
      let index = zip(other, events).enumerated().first { $1.0 != $1.1 }?.offset
      let place = index ?? min(other.count, events.count)
      flaw =
        "the \(name) differs: \(other.dropFirst(place).first.map { "\($0)" } ?? "its end"), not "
        + "\(events.dropFirst(place).first.map { "\($0)" } ?? "its end")"
      return
    }
  }

  /// The trace's inputs, given to a replay.
  private func replayed() -> [Event] {
    let model = Model(header.firmware(unless: nil), for: header, showsPulses: false)
    var replay = Replay(model, until: nil, kinds: kinds)
    var replayed: [Event] = []
    for event in events { replay.take(event) { replayed.append($0) } }
    replay.finish(after: events.last?.time ?? .zero) { replayed.append($0) }
    return replayed
  }

  /// The trace's inputs, given to a session at the same instants without a driver in real time.
  private func inVirtualTime() -> [Event] {
    let source = ModelSource()
    var stated = StatedSession()
    stated.firmware = script.plan.firmware
    guard let start = try? SessionPlan(stated, on: source).begin(on: source),
      let last = events.last
    else { return [] }
    var session = Session(start)
    var others: [Event] = []
    session.begin([]) { others.append($0) }
    for event in events where event.output == nil {
      session.take(listed: event) { others.append($0) }
    }
    session.finish(at: last.time, isMarked: false) { others.append($0) }
    return others
  }

  /// What was written is the trace, as far as it was written.
  private func checkOutputs(_ text: [UInt8]) {
    // Only the header states how long it lasts.
    func body(_ text: [UInt8]) -> ArraySlice<UInt8> { text.drop { $0 != 0x0A }.dropFirst() }
    if script.plan.showsTrace, !wasStdoutClosed {
      let output = system.standard(STDOUT_FILENO)
      if body(output.received + output.bytes) != body(text) {
        flaw = flaw ?? "standard output is not the trace"
      }
    }
    guard let recording else { return }
    let written = body(recording.bytes)
    if !wasDiskFull, written != body(text) { flaw = flaw ?? "the recording is not the trace" }
    if !body(text).starts(with: written) || recording.bytes.last ?? 0x0A != 0x0A {
      flaw = flaw ?? "the recording of a full disk is not the beginning of the trace"
    }
    if !wasDiskFull, !recording.isSynchronized { flaw = flaw ?? "the recording is not flushed" }
  }

  /// Every byte that the bench has read is in the trace once, in its order.
  private func checkReceived(_ bench: LiveBench<ModelSource>) {
    var inTrace: [UInt8] = []
    for case .receive(let bytes) in events.map(\.kind) { inTrace += bytes }
    let fromClients = sentByClients()
    let owners = remoteSockets.filter { !$0.isRefused }
    let fromRemotes = owners.flatMap(\.taken)
    let isExact = !script.steps.contains {
      if case .control(_, let value) = $0 { value == 5 || value == 6 } else { false }
    }
    // A break waits, too.
    let waiting = isExact ? bench.remote?.waitingCount ?? 0 : 0
    let count = system.takenFromPtys.count + fromRemotes.count - waiting
    let range = count + fromClients.lowerBound...count + fromClients.upperBound
    if isExact ? !range.contains(inTrace.count) : inTrace.count > range.upperBound {
      flaw =
        flaw
        ?? "\(inTrace.count) bytes are in the trace, not \(range): of ptys "
        + "\(system.takenFromPtys.count), of remotes \(fromRemotes.count) less \(waiting)"
    }
    if script.plan.hasPty, !script.plan.hasClient {
      let others = inTrace.filter { !(0x61...0x7A).contains($0) }
      if others != system.takenFromPtys { flaw = flaw ?? "a pty's bytes are not the trace's" }
    }
    let letters = inTrace.filter { (0x61...0x7A).contains($0) }
    if script.plan.hasPty || script.plan.hasClient, isExact,
      !fromRemotes.starts(with: letters), owners.allSatisfy({ !$0.isReset })
    {
      flaw = flaw ?? "a remote client's bytes are not the trace's"
    }
  }

  /// The numbers of bytes that clients must have sent, and can have sent, by their requests.
  private func sentByClients() -> ClosedRange<Int> {
    var sure = 0
    var possible = 0
    for socket in clientSockets {
      let answers = String(decoding: socket.received, as: UTF8.self)
      for (id, text) in asked[socket.number] ?? [] where text.contains(#""send""#) {
        let count = text.split(separator: "\"")[6].utf8.count
        possible += count
        if answers.contains("\"id\": \(id), \"ok\": true") { sure += count }
      }
    }
    return sure...possible
  }

  /// What programs and clients have received was sent by the board, in its order and once. What no
  /// program has received is counted.
  private func checkSent(_ bench: LiveBench<ModelSource>) {
    for socket in remoteSockets {
      var decoder = TelnetDecoder()
      var rest = socket.received[...]
      var data: [UInt8] = []
      while let item = decoder.next(from: &rest) {
        if case .data(let bytes) = item { data += bytes }
      }
      if decoder.droppedCount > 0 { flaw = flaw ?? "a remote client has received half a command" }
      guard !socket.isRefused else { continue }
      checkDelivered(data)
      let isOnly = !script.plan.hasPty && remoteSockets.count == 1 && !script.changesFormat
      if isOnly, isQuiet, socket.isConnected, data.count + bench.session.unreadCount != sent.count {
        flaw =
          flaw
          ?? "\(data.count) bytes were delivered to a remote client and "
          + "\(bench.session.unreadCount) lost of \(sent.count)"
      }
    }
    for program in programs { checkDelivered(program.received) }
    guard !script.plan.hasRemote, script.plan.hasPty, !script.changesFormat else { return }
    let accepted = system.ptys.map(\.acceptedCount).reduce(0, +)
    let count = accepted + bench.session.unreadCount
    if count > sent.count || isQuiet && count < sent.count {
      flaw =
        flaw
        ?? "\(accepted) bytes were delivered and \(bench.session.unreadCount) lost "
        + "of \(sent.count)"
    }
  }

  private func checkDelivered(_ bytes: [UInt8]) {
    guard !script.changesFormat else { return }
    var rest = sent[...]
    for byte in bytes {
      guard let index = rest.firstIndex(of: byte) else {
        flaw = flaw ?? "more was delivered than the board has sent"
        return
      }
      rest = rest[(index + 1)...]
    }
  }

  // MARK: Clients

  private func checkClients(_ bench: LiveBench<ModelSource>) {
    guard script.plan.hasClient else { return }
    _ = bench.session.judgeClientRules()
    do throws(Failure) { try bench.carryOutEffects() } catch { failure = error }
    bench.finishClient(.agree)
    for socket in system.sockets { socket.pump() }
    for socket in clientSockets {
      let lines = String(decoding: socket.received, as: UTF8.self).split(separator: "\n")
      if lines.contains(where: { $0.contains("another client is connected") }) { continue }
      guard socket.isAccepted else { continue }
      for (id, text) in asked[socket.number] ?? [] {
        let count = lines.count {
          $0.hasPrefix("{\"id\": \(id),")
        }
        if count > 1 { flaw = flaw ?? "\(count) answers to \(text)" }
        let isThere = !socket.isGone && !socket.isReset && socket.waitingCount == 0
        // A client that has ended its direction gets no verdict that comes later.
        let isLate = socket.isDone && (text.contains("expect") || text.contains("ready"))
        if count == 0, isThere, !isLate { flaw = flaw ?? "no answer to \(id), \(text)" }
      }
    }
  }
}
