import Devices
import Sketches
import TestSupport
import Traces

@testable import Engine
@testable import Judging

/// What is around a session, in memory: a driver that carries out its effects, a pty whose kernel
/// keeps what a sender has written, a client, a command, and a board that comes and goes. It checks
/// after each step what must always hold.
struct World {
  let plan: Script.Plan
  private var session: Session<SetBoard>
  private let header: Header
  private let setup: SessionSetup
  private var clock = Instant.zero
  private var slices = SeededGenerator(seed: 7)
  private var watch = TraceWatch()

  /// What senders have written and the session has not taken yet.
  private var inKernel: [UInt8] = []
  /// The numbers of bytes that must have become events, and that may have.
  private var sentCount = 0
  private var scheduledCount = 0
  /// The number of bytes from the network's clients that have reached the line.
  private var networkCount = 0
  /// The same, of the rewound pieces of the session, too.
  private var networkTotal = 0
  private var isPtyOpen = false
  private var ptyBaud = 9_600
  private var isPlugged = true
  private var wasReplaced = false
  private var hasCommandStarted = false
  private var hasCommandEnded = false

  private var isConnected = false
  private var requestCount = 0
  private var openRequests: [APIRequest.ID: String] = [:]
  private var wasToldToEnd: Set<String> = []
  /// The network's clients: those that are connected, those that the session has not forgotten,
  /// those whose data is not read, and what the session says of the one in control.
  private var joined: Set<ClientID> = []
  private var known: Set<ClientID> = []
  private var unread: Set<ClientID> = []
  private var controller: ClientID?
  private var moments: [Moment] = []
  private(set) var isOver = false
  private(set) var ending: SessionLife.Ending?
  private(set) var flaw: String?

  private struct Moment {
    var session: Session<SetBoard>
    var watch: TraceWatch
    var clock: Instant
    var sentCount: Int
    var networkCount: Int
  }

  var events: [Event] { watch.events }

  init(_ plan: Script.Plan) {
    self.plan = plan
    header = Header(firmware: plan.firmware, duration: nil, title: nil)
    setup = SessionSetup(
      firmware: plan.firmware, observes: [.servo, .tone, .transmit, .lost])
    session = Session(
      SessionStart(
        device: Self.board(header), header: header, setup: setup, faults: plan.faultPlan),
      life: SessionLife(
        end: plan.end.map { .zero + .microseconds($0) }, hasNetwork: plan.hasNetwork,
        rejoins: plan.rejoins, commandLimit: plan.commandLimit.map { .microseconds($0) }))
    session.resetOnOpen = plan.resetOnOpen.map { .microseconds($0) }
    session.resetOnDTR = .zero
    session.rules = Self.rules(plan.rules, setup)
    if plan.hasNetwork {
      var settings = ArbiterSettings(firmware: plan.firmware, baud: 9_600)
      settings.isRaw = plan.isRaw
      settings.control = plan.control
      settings.onDisconnect = plan.onDisconnect
      session.serve(settings)
    }
    if plan.hasClient {
      session.serve(APISession(APISetting(header: header, setup: setup, device: "model")))
    }
    session.begin([]) { watch.take($0) }
    carryOut()
  }

  private static func board(_ header: Header) -> SetBoard {
    SetBoard(Model(header.firmware(unless: nil), for: header, showsPulses: false))
  }

  private static func rules(_ texts: [String], _ setup: SessionSetup) -> SessionRules? {
    guard !texts.isEmpty else { return nil }
    let rules = texts.flatMap { text -> [Rule] in
      guard let value = try? JSONValue.contents(of: Array(text.utf8), path: "rule") else {
        return []
      }
      return (try? RuleParser(path: "rule").rules(Notation(value))) ?? []
    }
    return try? SessionRules(rules, setup) { (path) throws(TraceError) in
      throw TraceError(.usage, path: path, "no rule of a script names a trace")
    }
  }

  // MARK: Steps

  mutating func perform(_ step: Script.Step) {
    switch step {
    case .pass(let time): clock += .microseconds(time)
    case .bytes(let text, .pty): inKernel += Array(text.utf8)
    case .bytes(let text, let sender): send(Array(text.utf8), from: sender)
    case .flood(let count): inKernel += Array(repeating: 0x4C, count: count)
    case .speed(let baud, let sender):
      if sender == .pty { ptyBaud = baud }
      take(.speed(baud, sender))
    case .format(let name, let sender):
      if let format = LineFormat(name) { take(.format(format, sender)) }
    case .breakBegins: take(.breakBegan)
    case .breakEnds: take(.breakEnded)
    case .dtr: take(.dtr)
    case .opens:
      isPtyOpen = true
      take(.opened)
    case .closes:
      isPtyOpen = false
      take(.closed)
    case .request(let text): if plan.hasClient { ask(text) }
    case .leaves: if plan.hasClient { leave() }
    case .stalls: session.clientBacklog = 1 << 20
    case .resumes: session.clientBacklog = 0
    case .signal(let number): end("signal", by: .signal(number))
    case .key: end("key", by: .endKey)
    case .commandEnds:
      guard hasCommandStarted, !hasCommandEnded else { break }
      hasCommandEnded = true
      end("command", by: .commandEnded)
    case .unplug:
      isPlugged = false
      session.timeline.board.device.fault = DeviceError(.gone, "the board was unplugged")
    case .plug: isPlugged = true
    case .joins(let number, let transport):
      let id = ClientID(number)
      guard plan.hasNetwork, joined.insert(id).inserted else { break }
      known.insert(id)
      take(.network(.joined(id, transport, address: "192.0.2.1:50000")))
    case .says(let text, let number): say(Array(text.utf8), ClientID(number))
    case .pours(let count, let number): say(Array(repeating: 0x4C, count: count), ClientID(number))
    case .goes(let number): go(ClientID(number))
    case .keep:
      moments.append(
        Moment(
          session: session, watch: watch, clock: clock, sentCount: sentCount,
          networkCount: networkCount))
    case .rewind: rewind()
    }
    turn()
  }

  private mutating func take(_ input: SessionInput) {
    session.take(input, at: clock) { watch.take($0) }
    carryOut()
  }

  private mutating func end(_ cause: String, by input: SessionInput) {
    wasToldToEnd.insert(cause)
    take(input)
  }

  private mutating func send(_ bytes: [UInt8], from sender: SessionLink) {
    // A UART whose line is held low takes bytes that do not reach the line.
    if sender != .remote || !session.board.port.isInBreak { sentCount += bytes.count }
    take(.bytes(bytes, sender))
  }

  private mutating func ask(_ text: String) {
    requestCount += 1
    isConnected = true
    openRequests[.number("\(requestCount)")] = text
    take(.line(.text(Array("{\"id\": \(requestCount), \(text)}".utf8))))
  }

  private mutating func leave() {
    guard isConnected else { return }
    isConnected = false
    openRequests = [:]
    // It may have asked for the end of the session with its own.
    wasToldToEnd.insert("key")
    take(.clientLeft(isLast: false))
  }

  private mutating func say(_ bytes: [UInt8], _ id: ClientID) {
    // What it sends while it is not read waits in the network.
    guard joined.contains(id), !unread.contains(id) else { return }
    take(.network(.received(bytes, isText: true, from: id)))
  }

  private mutating func go(_ id: ClientID) {
    guard joined.remove(id) != nil else { return }
    take(.network(.left(id, how: "closed")))
    unread.remove(id)
    if known.contains(id) { flaw = flaw ?? "a client that has left is not forgotten" }
  }

  private mutating func rewind() {
    // What was judged or answered is final, and so is what clients of the network do.
    guard !plan.hasClient, plan.rules.isEmpty, wasToldToEnd.isEmpty, isPlugged, joined.isEmpty,
      !session.life.isBoardAway, let moment = moments.popLast()
    else { return }
    let interval = clock - moment.clock
    clock = moment.clock
    let later = session.board.port
    watch = moment.watch
    (sentCount, networkCount) = (moment.sentCount, moment.networkCount)
    session.goBack(to: moment.session, by: interval, at: clock) { watch.take($0) }
    let port = session.board.port
    if (later.baud, later.isInBreak) != (port.baud, port.isInBreak) || later.format != port.format {
      flaw = flaw ?? "the port was rewound"
    }
  }

  // MARK: The driver

  /// A turn of a driver: time passes, the kernel's bytes are taken, and the session decides.
  private mutating func turn() {
    guard !isOver else { return }
    let count = min(inKernel.count, session.credit(.pty))
    if count > 0 {
      send(Array(inKernel.prefix(count)), from: .pty)
      inKernel.removeFirst(count)
    }
    feed()
    if plan.isSliced {
      var middle = session.now
      while middle + .microseconds(2) < min(clock, session.life.lastInstant) {
        middle += .microseconds(.random(in: 1...50_000, using: &slices))
        session.advance(to: min(middle, clock, session.life.lastInstant)) { watch.take($0) }
      }
    }
    session.advance(to: clock, within: (.seconds(1), { .zero })) { watch.take($0) }
    let held = session.board.holdsSenders
    deliver()
    carryOut()
    guard !isOver else { return }
    let before = watch.count
    session.decide(at: clock, unread: inKernel.count) { watch.take($0) }
    noteNetwork(watch.count - before)
    carryOut()
    check(held)
  }

  /// The network's clients get the line's room, after what a client of requests has scheduled.
  private mutating func feed() {
    session.take(.network(.passed), at: clock) { watch.take($0) }
    let count = watch.count
    session.feedLine(at: clock) { watch.take($0) }
    noteNetwork(watch.count - count)
  }

  /// The programs at the ports read what the board sends, the second one only now and then.
  private mutating func deliver() {
    let pty = isPtyOpen ? LineReader(baud: ptyBaud) : nil
    let remote = LineReader(baud: 9_600, format: .standard)
    let sent = session.deliver(at: clock, isCounted: true, pty: pty, remote: remote) {
      watch.take($0)
    }
    feed()
    if pty == nil, !sent.pty.isEmpty { flaw = flaw ?? "bytes for a port without a reader" }
    let isRead = Bool.random(using: &slices)
    let before = session.unreadCount
    session.note(
      sent, writtenToPty: pty == nil ? nil : isRead ? sent.pty.count : 0,
      toRemote: isRead ? sent.remote.count : 0, isOpen: true)
    if isRead, session.unreadCount != before { flaw = flaw ?? "what was read counts as unread" }
  }

  private mutating func noteNetwork(_ count: Int) {
    networkCount += count
    networkTotal += count
  }

  private mutating func carryOut() {
    var effects = session.takeEffects()
    while !effects.isEmpty {
      for effect in effects { carryOut(effect) }
      effects = session.takeEffects()
    }
  }

  private mutating func carryOut(_ effect: SessionEffect) {
    switch effect {
    case .remark, .powerFailed: break
    case .network(let action): carryOut(action)
    case .answer(let message): note(message)
    case .plot(_, let id): note(.answer(id, .picture("")))
    case .openTraces(_, let id): note(.refusal(.init(id: id, message: "no such file")))
    case .startCommand:
      if hasCommandStarted { flaw = flaw ?? "the command was started twice" }
      hasCommandStarted = true
    case .boardIsGone:
      if isPlugged, session.board.device.fault == nil { flaw = flaw ?? "the board is not gone" }
    case .lookForBoard:
      guard isPlugged else { return session.take(.boardIsStillAway, at: clock) { watch.take($0) } }
      wasReplaced = true
      var board = Self.board(header)
      var recorder = Recorder()
      board.advance(to: max(clock, session.now), into: &recorder)
      session.rejoin(board, at: clock) { watch.take($0) }
    case .end(let instant):
      if isOver { flaw = flaw ?? "the session ended twice" }
      session.finish(at: instant) { watch.take($0) }
      isOver = true
      ending = session.life.ending
    }
  }

  private mutating func carryOut(_ action: Arbiter.Action) {
    switch action {
    case .tell(_, let id), .reply(_, _, let id), .hold(let id):
      if !known.contains(id) { flaw = flaw ?? "a message to a client that has left" }
      if case .hold = action { unread.insert(id) }
    case .release: unread = []
    case .controller(let id):
      if let id, !known.contains(id) { flaw = flaw ?? "a client that has left is in control" }
      controller = id
    case .forget(let id):
      if joined.contains(id) { flaw = flaw ?? "a client is forgotten that has not left" }
      known.remove(id)
    case .remark: break
    }
  }

  /// Takes a message to the client.
  private mutating func note(_ message: APIMessage) {
    switch message {
    case .answer(let id, let answer):
      guard let request = openRequests.removeValue(forKey: id) else {
        flaw = flaw ?? "an answer to no request: \(message)"
        return
      }
      guard request.contains(#""send""#), case .done = answer else { return }
      let text = request.split(separator: "\"")[6]
      if request.contains(#""at""#) {
        scheduledCount += text.utf8.count
      } else {
        sentCount += text.utf8.count
      }
    case .refusal(let mistake):
      guard let id = mistake.id, openRequests.removeValue(forKey: id) != nil else {
        flaw = flaw ?? "a refusal of no request: \(mistake)"
        return
      }
    case .verdict, .events, .lost:
      if !isConnected { flaw = flaw ?? "a note to a client that has left" }
    case .over: flaw = flaw ?? "the last message came early"
    }
  }

  // MARK: What must hold

  private mutating func check(_ held: Bool?) {
    flaw = flaw ?? watch.flaw ?? foundFlaw(held)
  }

  private func foundFlaw(_ held: Bool?) -> String? {
    if let last = watch.last, last > session.now { return "an event is in the future" }
    let range = (sentCount + networkCount)...(sentCount + networkCount + scheduledCount)
    // Faults lose bytes, add some, and hold some back.
    if plan.faults.isEmpty, !range.contains(watch.count) {
      return
        "\(range) bytes went in, \(watch.receivedCount) were sent and \(watch.missedCount) missed"
    }
    if let arbiter = session.arbiter, let flaw = foundFlaw(arbiter) { return flaw }
    if session.counts.received != watch.receivedCount { return "the counts are not the trace's" }
    if isOver { return nil }
    if plan.faults.isEmpty,
      session.board.port.baud != watch.baud || session.board.port.isInBreak != watch.isInBreak
    {
      return "the port is not what the trace says"
    }
    let waiting = session.board.onTheWayCount
    if session.credit(.pty) != max(0, 4_096 - waiting) { return "a wrong credit for \(waiting)" }
    if waiting == 0, session.board.holdsSenders != false {
      return "an empty line holds its senders"
    }
    if waiting > 3_000, session.board.holdsSenders != true { return "a full line takes more" }
    if let next = session.board.nextDeadline, next < session.now { return "a deadline has passed" }
    if !session.life.isEnding, !wasToldToEnd.isEmpty, !wasToldToEnd.isDisjoint(with: ["signal"]) {
      return "a signal did not end the session"
    }
    return nil
  }

  /// Everything that the network's clients send is sent, refused, dropped, joined with something
  /// else, or waits; and one of them is in control.
  private func foundFlaw(_ arbiter: Arbiter) -> String? {
    let counts = arbiter.counts
    if arbiter.controller != controller { return "another client is in control than was said" }
    if counts.senders != joined.count { return "\(counts.senders) clients are not \(joined)" }
    let dropped = counts.dropped.values.reduce(0, +)
    if plan.isRaw {
      // One of the bench's own commands is sent in addition, and what a fault holds back or loses
      // does not reach the line.
      guard plan.onDisconnect == .hold, plan.faults.isEmpty else { return nil }
      let refused = counts.refused.values.reduce(0, +)
      let ends = networkTotal + refused + dropped + arbiter.waitingCount
      return counts.bytesReceived == ends
        ? nil : "\(counts.bytesReceived) raw bytes became \(ends)"
    }
    let refused = counts.refused.reduce(0) { $0 + ($1.key == .notACommand ? 0 : $1.value) }
    let ends =
      counts.sent + counts.queue.replaced + counts.queue.merged + refused + dropped
      + counts.queueLength
    let accepted = counts.accepted.values.reduce(0, +)
    return accepted + counts.own == ends
      ? nil : "\(accepted) commands and \(counts.own) of the bench became \(ends)"
  }

  // MARK: The end

  /// Mends everything, lets what is on its way arrive, ends the session by its own deadlines, and
  /// checks the whole.
  mutating func finish() {
    guard flaw == nil else { return }
    if !isOver { mend() }
    if !isOver, flaw == nil { endByDeadlines() }
    guard flaw == nil, isOver else { return }
    // What was scheduled for later does not happen any more.
    clock += .seconds(20)
    let count = watch.events.count
    for id in joined.sorted() { go(id) }
    if watch.events.count != count { flaw = flaw ?? "something happened after the end" }
    checkEnding()
    checkClient()
    checkTrace()
  }

  private mutating func mend() {
    perform(.resumes)
    isPlugged = true
    // A board that is back is found at the next look, after half a second at the latest.
    var looks = 8
    while !isOver, flaw == nil, !session.life.isEnding, session.life.isBoardAway, looks > 0 {
      looks -= 1
      clock += .milliseconds(100)
      turn()
    }
    if !isOver, !session.life.isEnding, session.life.isBoardAway {
      flaw = flaw ?? "a board that is back is not found"
    }
    guard !isOver, flaw == nil else { return }
    if session.board.port.isInBreak { take(.breakEnded) }
    take(.speed(9_600, .pty))
    var left = 200
    // At a low speed, the rest is not waited for.
    while !isOver, flaw == nil, !inKernel.isEmpty || !unread.isEmpty, left > 0 {
      left -= 1
      clock += .milliseconds(100)
      turn()
    }
    if !isOver, !inKernel.isEmpty, session.board.onTheWayCount == 0 {
      flaw = flaw ?? "a sender never got credit again"
    }
    if !isOver, !unread.isEmpty, session.arbiter?.waitingCount == 0 {
      flaw = flaw ?? "a client is never read again"
    }
  }

  private mutating func endByDeadlines() {
    let atNetwork = session.arbiter?.waitingCount ?? 0
    let onTheWay = Int64(session.board.onTheWayCount + inKernel.count + atNetwork)
    perform(hasCommandStarted && !hasCommandEnded && isPlugged ? .commandEnds : .signal(15))
    // What a client has scheduled, at the latest for 12.25 s, still happens, and rules are decided
    // when the bytes that they name have arrived, at 300 baud at the slowest. For them, those count
    // that were lost with the board, too.
    let isJudged = plan.hasClient || !plan.rules.isEmpty
    let all = Int64(sentCount + networkCount + scheduledCount + inKernel.count + atNetwork)
    let held: Interval = plan.faults.isEmpty ? .zero : .seconds(10)
    let quiet = (plan.hasClient ? max(clock, .zero + .seconds(13)) : clock) + held
    let latest =
      quiet + .seconds(9) + .microseconds(isJudged ? all * 34_000 : onTheWay * 1_050)
    var turns = 0
    while !isOver, flaw == nil {
      let deadlines = [session.nextDeadline(after: clock), session.board.nextDeadline]
      guard let next = deadlines.compactMap({ $0 }).min() else {
        flaw = "the session waits for ever"
        return
      }
      clock = max(next, clock + .microseconds(1)).roundedUpToMicrosecond
      turns += 1
      if clock > latest { flaw = "the session does not end" }
      if turns > 20_000 + 100 * Int(all) { flaw = "the session never rests" }
      turn()
    }
  }

  private mutating func checkEnding() {
    let isCaused: Bool
    switch ending {
    case .signal?: isCaused = wasToldToEnd.contains("signal")
    case .key?: isCaused = wasToldToEnd.contains("key") || requestCount > 0
    case .command?: isCaused = wasToldToEnd.contains("command")
    case .time?: isCaused = plan.end.map { clock >= .zero + .microseconds($0 - 1) } ?? false
    case .commandTimeout(let limit)?:
      isCaused = plan.commandLimit.map { .microseconds($0) } == limit && hasCommandStarted
    case .fault?: isCaused = session.board.device.fault != nil
    case nil: isCaused = false
    }
    if !isCaused { flaw = "the session ended without a cause: \(String(describing: ending))" }
  }

  private mutating func checkClient() {
    guard flaw == nil, plan.hasClient else { return }
    _ = session.judgeClientRules()
    carryOut()
    let unanswered = openRequests.filter { !$0.value.contains(#""do": "end""#) }
    if let (_, text) = unanswered.first { flaw = flaw ?? "no answer to \(text)" }
    switch session.lastMessage(.agree) {
    case .answer(let id, .over)?:
      if isConnected, openRequests[id] == nil { flaw = flaw ?? "the end was not requested" }
    case .over?:
      if isConnected, !openRequests.isEmpty { flaw = flaw ?? "no answer to the end" }
    default: flaw = flaw ?? "no last message"
    }
  }

  private mutating func checkTrace() {
    guard flaw == nil else { return }
    // At equal times, an output follows the mark.
    let mark = watch.events.last { $0.kind == .mark("end") }
    if mark == nil || mark?.time != watch.last { flaw = "the session does not end with its mark" }
    if var rules = Self.rules(plan.rules, setup), watch.events.isEmpty == false {
      for event in watch.events { rules.take(event) }
      let later = rules.finish(at: session.now, sender: nil)
      let live = session.ruleReport(sender: nil)
      if live?.failures.map({ $0.text }) != later.failures.map({ $0.text }) {
        flaw = flaw ?? "the rules say something else of the trace"
      }
    }
    // A board that comes back is another device, which a replay does not have.
    guard flaw == nil, !wasReplaced else { return }
    let model = Model(header.firmware(unless: nil), for: header, showsPulses: false)
    var replay = Replay(model, until: nil, kinds: setup.observes, ledger: Ledger())
    var replayed: [Event] = []
    for event in watch.events { replay.take(event) { replayed.append($0) } }
    replay.finish(after: watch.events.last?.time ?? .zero) { replayed.append($0) }
    if replayed != watch.events { flaw = flaw ?? "the trace does not replay to itself" }
    checkFates(replay.ledger?.entries ?? [])
  }

  /// A device's bytes have the same fates live, in the replay of the trace, and for its judges. What
  /// came with the last event can still wait in one of them.
  private mutating func checkFates(_ replayed: [Ledger.Entry]) {
    var record = SessionRecord(setup)
    for event in watch.events { record.take(event) }
    record.finish(at: session.now)
    let all = [("live", session.board.ledger.entries), ("judged", record.fates)]
    for (name, others) in all {
      let end = min(watch.last ?? .zero, session.now)
      let kept = others.filter { $0.arrived < end }
      let same = replayed.filter { $0.arrived < end }.suffix(kept.count)
      let different = zip(same, kept).first { one, other in
        one.byte != other.byte || one.arrived != other.arrived
          || one.fate != other.fate && one.fate != .waiting && other.fate != .waiting
      }
      if let (one, other) = different { flaw = flaw ?? "\(name): \(other), replayed: \(one)" }
      // The live session keeps the last of its bytes.
      if same.count != kept.count { flaw = flaw ?? "\(name): more bytes than in the replay" }
    }
  }
}

/// The trace of a session so far, and what it says.
struct TraceWatch {
  private(set) var events: [Event] = []
  private(set) var last: Instant?
  private(set) var receivedCount = 0
  private(set) var missedCount = 0
  /// How many bytes have reached the line, or would have if there had been a board.
  var count: Int { receivedCount + missedCount }
  private(set) var baud = 9_600
  private(set) var isInBreak = false
  private(set) var flaw: String?

  mutating func take(_ event: Event) {
    if let last, event.time < last { flaw = flaw ?? "time goes back at \(event)" }
    last = event.time
    events.append(event)
    switch event.kind {
    case .receive(let bytes): receivedCount += bytes.count
    case .baud(let baud): self.baud = baud
    case .senderBreak(let length): isInBreak = length >= .seconds(3_600)
    case .unsent(let bytes): missedCount += bytes.count
    default: break
    }
  }
}
