import ChipDevice
import GDB
import Network
import Platform
import Serial
import Sketches
import SystemPackage
import Traces

/// The port of a debugger: serves one GDB at a time over TCP, on the thread that runs the session.
/// `GDBStub` decides what is answered; this class reads and writes sockets, and waits.
///
///     held --GDB continues--> running --a stop, or Ctrl-C in GDB--> held
///
/// It begins held: a GDB sees the program before its first instruction. While a session is held, no
/// time passes in it. If GDB detaches, or is gone while the program runs, a live session goes on
/// without breakpoints until the next GDB connects. One that is gone while it is held leaves it
/// held.
final class GDBServer {
  private struct Client {
    let stream: TCPStream
    /// Bytes that the socket had no room for.
    var unsent: [UInt8] = []
    /// Whether it has sent anything. One that has not gives way to the next connection.
    var hasSpoken = false
  }

  private enum State: Hashable {
    case held, running
    /// The debugger has no say any more.
    case over
  }

  private static let readMax = 16_384
  /// The maximum number of connections accepted at once, and of reads. A client that never stops
  /// sending must not keep the bench from its signals.
  private static let acceptMax = 16
  private static let readCountMax = 16
  /// The number of unread bytes from which on no more packets are answered.
  private static let unsentMax = 1 << 20
  /// When a socket without room is tried again, and one that could not be accepted because the
  /// system had no descriptor or memory for it.
  private static let retryPeriod = Interval.milliseconds(20)
  private static let reportPeriod = Interval.seconds(1)
  /// How many of the chip's cycles are run between two looks at the socket. GDB's Ctrl-C waits for
  /// that long.
  private static let chunk: UInt64 = 100_000
  /// How long a turn of a live session can be kept from going on.
  static let turnMax = Interval.milliseconds(20)
  /// When GDB is first told how far a search has got, and then again. It gives an answer 2 s.
  private static let progressPeriod = Interval.milliseconds(1_500)

  private let system: any SystemCalls
  private let listeners: [CInt]
  private let report: (String) -> Void
  private(set) var stub: GDBStub
  /// Whether a session goes on next to it.
  private var isLive: Bool
  /// Whether it ends when its client does.
  private var endsWithClient = false
  private var client: Client?
  private var isShort = false
  private var state = State.held
  /// From when on a refusal is reported, and that GDB is gone.
  private var refusalsFrom: HostTime
  private var lossesFrom: HostTime
  private var progressAt: HostTime?
  private var changeCount = 0
  private var refusedCount = 0
  /// How far a live session has come, in whole microseconds.
  private var present = Instant.zero
  /// The board as GDB has changed it, until the session has taken it over.
  private(set) var changed: AVRDevice?
  /// Whether GDB held the session in the last `proceed`.
  private(set) var hasHeld = false
  /// Whether GDB has ended the session.
  private(set) var isKilled = false

  init(
    on system: any SystemCalls, listeners: [CInt], _ stub: GDBStub, isLive: Bool,
    report: @escaping (String) -> Void
  ) {
    self.system = system
    self.listeners = listeners
    self.stub = stub
    self.stub.keepsPast = isLive
    self.isLive = isLive
    self.report = report
    (refusalsFrom, lossesFrom) = (system.now, system.now)
    for listener in listeners { system.makeNonblocking(listener) }
  }

  deinit { for listener in listeners { system.close(listener) } }

  /// What requests a turn of a live session when it becomes readable.
  var descriptors: [CInt] {
    guard state != .over else { return [] }
    let waiting = isShort ? [] : listeners
    guard let client, client.unsent.count < Self.unsentMax else { return waiting }
    return waiting + [client.stream.descriptor]
  }

  /// How long a live session can wait for its next turn: so long that what the program does until
  /// then stops it in time. Nil for any time.
  var patience: Interval? {
    if needsRetry { return Self.retryPeriod }
    return state == .running && client != nil ? .milliseconds(10) : nil
  }

  private var needsRetry: Bool { isShort || client?.unsent.isEmpty == false }

  // MARK: A recorded session

  /// Serves GDB until one of them ends it.
  func serve() {
    while state != .over { _ = proceed(to: .distantFuture, from: .distantFuture) }
  }

  // MARK: A live session

  /// Notes inputs that the session's board has taken.
  func append(_ inputs: [Event]) {
    guard state != .over else { return }
    for input in inputs { stub.append(input) }
  }

  /// Runs the debugger's copy of the board to an instant, or to where it is held. Waits there until
  /// GDB lets it go on, or a signal arrives. Returns the instant to which the session may advance.
  ///
  /// - Parameters:
  ///   - wanted: the clock's present.
  ///   - now: how far the session has advanced.
  ///   - signals: becomes readable when a signal arrives; nil if they are not handled.
  func proceed(to wanted: Instant, from now: Instant, _ signals: FileDescriptor? = nil) -> Instant {
    hasHeld = false
    guard state != .over else { return wanted }
    let begin = system.now
    if isLive {
      present = max(present, now.roundedUpToMicrosecond)
      stub.extend(to: max(wanted, now))
    }
    look(now)
    // The session takes over a changed board before that runs on.
    while changed == nil || state == .held {
      switch state {
      case .over: return present
      case .held:
        hasHeld = true
        let watched = descriptors + (signals.map { [$0.rawValue] } ?? [])
        let ready = system.wait(for: watched, timeout: needsRetry ? Self.retryPeriod : nil)
        if let signals, ready.contains(signals.rawValue) { return present }
        look(now)
      case .running:
        run(now)
        look(now)
        if let signals, isReady(signals) {
          notePresent()
          return present
        }
        guard isLive, state == .running else { continue }
        let reached = stub.timeline.now.roundedUpToMicrosecond
        if stub.timeline.isAtFrontier {
          present = max(present, wanted)
          return present
        }
        // In the session's past, no time passes in it either.
        if reached > present, system.now - begin >= Self.turnMax {
          present = reached
          return present
        }
      }
    }
    return present
  }

  /// Lets a GDB look back at a live session that has ended, until it leaves or a signal arrives.
  func serve(after end: Instant, _ signals: FileDescriptor?) {
    guard state != .over, client?.hasSpoken == true else { return self.end() }
    report("The session has ended. GDB can look back at it until it disconnects.")
    stub.finish(at: end)
    (isLive, endsWithClient) = (false, true)
    while state != .over {
      _ = proceed(to: end, from: end, signals)
      if let signals, isReady(signals) {
        let arrived = SignalQueue.take(from: signals, on: system)
        if arrived.contains(where: SignalQueue.ending.contains) { self.end() }
      }
    }
  }

  private func isReady(_ signals: FileDescriptor) -> Bool {
    system.poll(signals.rawValue, CInt(POLLIN), within: 0) != 0
  }

  /// Returns the board as GDB has changed it.
  func takeChanged() -> AVRDevice? {
    defer { changed = nil }
    return changed
  }

  /// Lets the session go on by itself.
  func end() {
    state = .over
    client = nil
  }

  private func run(_ now: Instant) {
    put(stub.run(forAbout: Self.chunk))
    // Packets that have waited for the stop are answered, too.
    note(now)
    guard state == .running else { return }
    if stub.isRunning {
      if let at = progressAt, system.now >= at {
        put(stub.tellProgress())
        progressAt = system.now + Self.progressPeriod
      }
      return
    }
    progressAt = nil
    notePresent()
    // Without a GDB, only a crash stops it.
    state = client == nil && isLive ? .over : .held
  }

  /// Notes where a live session has been stopped.
  private func notePresent() {
    if isLive { present = max(present, stub.timeline.now.roundedUpToMicrosecond) }
  }

  // MARK: The client

  /// Accepts, reads and answers without waiting. A live session is at `now`.
  private func look(_ now: Instant) {
    guard state != .over else { return }
    accept()
    read(now)
    flush()
  }

  private func next(from listener: CInt) -> TCPStream? {
    do throws(Errno) {
      return try TCPStream.accept(from: listener, on: system)
    } catch {
      isShort = true
      return nil
    }
  }

  private func accept() {
    isShort = false
    for listener in listeners {
      for _ in 0..<Self.acceptMax {
        guard let stream = next(from: listener) else { break }
        if client?.hasSpoken == true, client?.stream.hasEnded == false {
          remark("\(stream.peer) was refused: another GDB is connected.", from: &refusalsFrom)
        } else {
          lose()
          client = Client(stream: stream)
        }
      }
    }
  }

  private func read(_ now: Instant) {
    for _ in 0..<Self.readCountMax {
      guard let stream = client?.stream, client?.unsent.count ?? 0 < Self.unsentMax else { return }
      switch stream.read(upTo: Self.readMax) {
      case .nothing: return
      case .ended: return lose()
      case .bytes(let bytes):
        guard begins(with: bytes) else { continue }
        put(stub.take(bytes))
        note(now)
      }
    }
  }

  /// Returns whether a client goes on after these bytes. At its first ones, a GDB finds the program
  /// held.
  private func begins(with bytes: [UInt8]) -> Bool {
    guard let client, !client.hasSpoken else { return true }
    // An acknowledgement or a packet, or Ctrl-C.
    guard let first = bytes.first, [0x2B, 0x2D, 0x24, 0x03].contains(first) else {
      let kind = ForeignProtocol(firstRead: bytes).map { "it begins as \($0.name)" }
      remark(
        "\(client.stream.peer) was refused: \(kind ?? "what it sends is not GDB's protocol").",
        from: &refusalsFrom)
      self.client = nil
      return false
    }
    self.client?.hasSpoken = true
    hold()
    return true
  }

  /// Ends a run, and forgets what the last GDB had set.
  private func hold() {
    stub.beginAgain()
    notePresent()
    state = .held
  }

  /// Notes what a packet has done.
  private func note(_ now: Instant) {
    if stub.changeCount > changeCount {
      changeCount = stub.changeCount
      if isLive { changed = board(at: now) }
    }
    if stub.refusedCount > refusedCount {
      refusedCount = stub.refusedCount
      remark(
        "The past of a live session cannot be changed: what GDB has written is refused.",
        from: &refusalsFrom)
    }
    switch stub.ending {
    case .killed:
      isKilled = true
      flush()
      end()
    case .detached:
      flush()
      client = nil
      guard !endsWithClient else { return end() }
      hold()
      if isLive { goOn() }
      report("GDB has detached; another can connect.")
    case nil: if stub.isRunning, state == .held { resume() }
    }
  }

  private func resume() {
    state = .running
    progressAt = system.now + Self.progressPeriod
  }

  /// The copy of the board where the session is, which can be a few microseconds ahead: each of the
  /// inputs that arrive together has an instant of its own.
  private func board(at now: Instant) -> AVRDevice {
    var timeline = stub.timeline
    guard timeline.now < now else { return timeline.device }
    (timeline.breakpoints, timeline.watchpoints) = ([], [])
    timeline.resume(.to(cycle: timeline.cycle(at: now)))
    while timeline.proceed(forAbout: Self.chunk) == nil, !timeline.isAtFrontier {}
    return timeline.device
  }

  /// Lets a live session run without a GDB.
  private func goOn() {
    // What a GDB without breakpoints would send.
    _ = stub.take(Array("$c#63".utf8))
    state = .running
  }

  /// Notes that the client is gone.
  private func lose() {
    guard let lost = client else { return }
    client = nil
    guard lost.hasSpoken else { return }
    guard !endsWithClient else { return end() }
    let wasRunning = state == .running && !stub.isAnswering
    hold()
    if wasRunning, isLive {
      goOn()
      remark("GDB is gone; the session goes on, and another can connect.", from: &lossesFrom)
    } else {
      remark("GDB is gone; the session waits for another to connect.", from: &lossesFrom)
    }
  }

  private func put(_ bytes: [UInt8]) { client?.unsent += bytes }

  private func flush() {
    guard let client, !client.unsent.isEmpty else { return }
    guard let count = client.stream.write(client.unsent) else {
      // Reading notices the end.
      self.client?.unsent = []
      return
    }
    self.client?.unsent.removeFirst(count)
  }

  /// Reports what any number of connections can cause.
  private func remark(_ line: String, from next: inout HostTime) {
    guard system.now >= next else { return }
    next = system.now + Self.reportPeriod
    report(line)
  }
}
