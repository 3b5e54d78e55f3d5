import Platform
import Sketches
import SystemPackage
import TestSupport

/// An operating system in memory, for one bench on one thread. Its clock moves with every call, and
/// jumps while the bench waits. Other programs act at instants of that clock: between any two calls
/// of the bench, as they would on a computer.
///
/// A call with a descriptor that is not open is a flaw, and so is a write that would block.
final class MemorySystem: SystemCalls, @unchecked Sendable {
  /// What a descriptor stands for.
  private enum Thing {
    case master(MemoryPty)
    case terminal(MemoryPty)
    case watch(MemoryPty)
    case order(MemoryPty)
    case writes(MemoryPty)
    case listener(MemoryListener)
    case socket(MemorySocket)
    case reading(MemoryPipe)
    case writing(MemoryPipe)
    case file(MemoryFile)
  }

  private var things: [CInt: Thing] = [
    STDOUT_FILENO: .writing(MemoryPipe(capacity: 8_192)),
    STDERR_FILENO: .writing(MemoryPipe(capacity: 8_192)),
  ]
  /// Never the number of a real descriptor, and never used again.
  private var nextDescriptor: CInt = 1_000_000
  private var generator: SeededGenerator
  private var clock = HostTime(nanoseconds: 1_000_000_000_000)
  private var due: [(time: HostTime, action: () -> Void)] = []
  private var isInterrupted = false
  /// Called before each wait.
  var onWait: () -> Void = {}
  private(set) var waitCount = 0
  /// The number of waits after a flaw was found.
  private var uselessCount = 0
  private(set) var flaw: String?

  private(set) var ptys: [MemoryPty] = []
  private(set) var sockets: [MemorySocket] = []
  private(set) var children: [MemoryChild] = []
  /// What the bench has read from ptys.
  private(set) var takenFromPtys: [UInt8] = []
  /// Why no more descriptors can be created; nil while they can.
  var shortage: Errno?
  /// How many bytes the kernel keeps of what a program has written to a pty.
  var ptyCapacity = 4_096
  private(set) var isClosed = false

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  // MARK: For the world

  /// The clock, without moving it.
  var time: HostTime { clock }

  /// The descriptors that the bench has not closed.
  var openCount: Int { things.count - 2 }

  func at(_ time: HostTime, _ action: @escaping () -> Void) {
    let index = due.firstIndex { $0.time > time } ?? due.endIndex
    due.insert((time, action), at: index)
  }

  func after(_ interval: Interval, _ action: @escaping () -> Void) {
    at(clock + interval, action)
  }

  /// Stops the bench for a time, as SIGSTOP does.
  func stop(for time: Interval) { clock = clock + time }

  func note(_ flaw: String) { self.flaw = self.flaw ?? flaw }

  func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

  /// Creates a pipe that only the world writes to. Returns it with the bench's descriptor.
  func makeSignals() -> (pipe: MemoryPipe, descriptor: CInt) {
    let pipe = MemoryPipe()
    pipe.writerCount = 1
    return (pipe, add(.reading(pipe)))
  }

  /// A signal arrives, which a handler puts into the pipe.
  func signal(_ number: CInt, _ pipe: MemoryPipe) {
    pipe.bytes.append(UInt8(number))
    isInterrupted = chance(2)
  }

  func makeListener() -> (listener: MemoryListener, descriptor: CInt) {
    let listener = MemoryListener()
    return (listener, add(.listener(listener)))
  }

  /// `capacities`: what the kernel can keep of what the client has not read.
  func connect(to listener: MemoryListener, capacities: [Int]) -> MemorySocket {
    let socket = MemorySocket(
      number: sockets.count, capacity: capacities.randomElement(using: &generator) ?? 8_192)
    sockets.append(socket)
    listener.waiting.append(socket)
    return socket
  }

  func makeFile() -> (file: MemoryFile, descriptor: CInt) {
    let file = MemoryFile()
    return (file, add(.file(file)))
  }

  func standard(_ number: CInt) -> MemoryPipe {
    guard case .writing(let pipe)? = things[number] else { return MemoryPipe() }
    return pipe
  }

  // MARK: Its own work

  private func add(_ thing: Thing) -> CInt {
    nextDescriptor += 1
    things[nextDescriptor] = thing
    return nextDescriptor
  }

  private func find(_ descriptor: CInt, _ call: StaticString) -> Thing? {
    tick()
    if let thing = things[descriptor] { return thing }
    note("\(call) of a descriptor that is not open")
    return nil
  }

  /// Time passes, and other programs run.
  private func tick() {
    clock = clock + .nanoseconds(.random(in: 100...900, using: &generator))
    runDue()
  }

  private func runDue() {
    while let first = due.first, first.time <= clock {
      due.removeFirst()
      first.action()
    }
    for pty in ptys { pty.pump() }
    for socket in sockets { socket.pump() }
    for case .writing(let pipe) in [things[STDOUT_FILENO], things[STDERR_FILENO]] { pipe.pump() }
  }

  /// Returns a number up to `count`, mostly all of it.
  private func some(_ count: Int) -> Int {
    count > 1 && chance(6) ? .random(in: 1...count, using: &generator) : count
  }

  private func isReadable(_ thing: Thing) -> Bool {
    switch thing {
    case .master(let pty): pty.hasControl || !pty.toBench.isEmpty || pty.isHungUp
    case .terminal, .writing, .file: false
    case .watch(let pty): !pty.openings.isEmpty
    case .order(let pty): !pty.actions.isEmpty
    case .writes(let pty): pty.actions.contains(.write)
    case .listener(let listener): !listener.waiting.isEmpty
    case .socket(let socket): !socket.toBench.isEmpty || socket.isDone || socket.isReset
    case .reading(let pipe): !pipe.bytes.isEmpty || pipe.writerCount == 0
    }
  }

  // MARK: Time

  var now: HostTime {
    tick()
    return clock
  }

  func sharpenTimers() {}

  func wait(for descriptors: [CInt], timeout: Interval?) -> [CInt] {
    waitCount += 1
    onWait()
    tick()
    for descriptor in descriptors where things[descriptor] == nil {
      note("a wait for a descriptor that is not open")
    }
    if flaw != nil {
      giveUp()
      return []
    }
    // A long wait can end early, and any wait late.
    var deadline = timeout.map { clock + max($0, .zero) }
    if let timeout, timeout > .milliseconds(20), chance(2) {
      deadline = clock + .nanoseconds(timeout.nanoseconds - timeout.nanoseconds / 500)
    }
    while true {
      runDue()
      if isInterrupted {
        isInterrupted = false
        return []
      }
      let ready = descriptors.filter { things[$0].map(isReadable) ?? false }
      if !ready.isEmpty { return ready }
      if let first = due.first, first.time <= deadline ?? first.time {
        clock = max(clock, first.time)
      } else if let deadline {
        let late: Int64 = chance(100) ? 3_000_000 : 60_000
        clock = max(clock, deadline) + .nanoseconds(.random(in: 0...late, using: &generator))
        runDue()
        return []
      } else {
        note("the bench waits for ever")
        giveUp()
        return []
      }
    }
  }

  /// Lets the bench come to an end, whatever it waits for.
  private func giveUp() {
    uselessCount += 1
    precondition(uselessCount < 10_000, "\(flaw ?? ""); the bench cannot be ended")
    signals?.bytes = [UInt8(SIGTERM)]
    for child in children { child.end(9) }
    for number in [STDOUT_FILENO, STDERR_FILENO] { standard(number).isClosed = true }
  }

  func poll(_ descriptor: CInt, _ events: CInt, within milliseconds: CInt) -> CInt {
    guard let thing = find(descriptor, "poll") else { return 0 }
    let deadline = clock + .milliseconds(Int64(milliseconds))
    while true {
      let found = state(thing, events)
      if found != 0 || clock >= deadline { return found }
      if let first = due.first, first.time <= deadline {
        clock = max(clock, first.time)
      } else {
        clock = deadline
      }
      runDue()
    }
  }

  private func state(_ thing: Thing, _ events: CInt) -> CInt {
    var found: CInt = 0
    if events & CInt(POLLIN) != 0, isReadable(thing) { found |= CInt(POLLIN) }
    switch thing {
    case .master(let pty): if pty.isHungUp { found |= CInt(POLLHUP) }
    case .socket(let socket):
      if events & CInt(POLLOUT) != 0, socket.room > 0 { found |= CInt(POLLOUT) }
      // POLLRDHUP
      if events & 0x2000 != 0, socket.isDone || socket.isReset { found |= 0x2000 }
    case .writing(let pipe):
      if events & CInt(POLLOUT) != 0, pipe.isClosed || pipe.room >= 4_096 {
        found |= CInt(POLLOUT)
      }
    default: break
    }
    return found
  }

  // MARK: Descriptors

  func read(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    let bytes: [UInt8]
    switch find(descriptor, "read") {
    case .master(let pty):
      if pty.hasControl {
        pty.hasControl = false
        bytes = [UInt8(TIOCPKT_IOCTL)]
      } else {
        guard !pty.toBench.isEmpty else { throw pty.isHungUp ? .ioError : .wouldBlock }
        let count = some(min(buffer.count - 1, pty.toBench.count))
        takenFromPtys += pty.toBench.prefix(count)
        bytes = [UInt8(TIOCPKT_DATA)] + pty.toBench.prefix(count)
        pty.toBench.removeFirst(count)
      }
    case .socket(let socket):
      bytes = try socket.take(some(min(buffer.count, socket.toBench.count)))
    case .reading(let pipe):
      if pipe.bytes.isEmpty, pipe.writerCount > 0 { throw .wouldBlock }
      let count = some(min(buffer.count, pipe.bytes.count))
      bytes = Array(pipe.bytes.prefix(count))
      pipe.bytes.removeFirst(count)
    default: throw .badFileDescriptor
    }
    buffer.copyBytes(from: bytes)
    return bytes.count
  }

  func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    switch find(descriptor, "write") {
    case .master(let pty):
      guard pty.openCount > 0 else { throw .ioError }
      let count = min(bytes.count, pty.outputCapacity - pty.fromBench.count)
      guard count > 0 else { throw .wouldBlock }
      pty.fromBench += bytes.prefix(count)
      pty.acceptedCount += count
      return count
    case .socket(let socket): return try socket.put(bytes)
    case .writing(let pipe):
      guard !pipe.isClosed else { throw .brokenPipe }
      if descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO, pipe.room < bytes.count {
        note("a write that blocks")
      }
      guard pipe.room > 0 else { throw .wouldBlock }
      let count = min(bytes.count, pipe.room)
      pipe.bytes += bytes.prefix(count)
      return count
    case .file(let file):
      let count = some(min(bytes.count, file.limit - file.bytes.count))
      guard count > 0 else { throw .noSpace }
      file.bytes += bytes.prefix(count)
      return count
    default: throw .badFileDescriptor
    }
  }

  func close(_ descriptor: CInt) {
    switch find(descriptor, "close") {
    case .terminal(let pty): pty.close()
    case .socket(let socket): socket.isClosed = true
    case .writing(let pipe): pipe.writerCount -= 1
    default: break
    }
    things[descriptor] = nil
  }

  func makeNonblocking(_ descriptor: CInt) { _ = find(descriptor, "fcntl") }

  func pipe() throws(Errno) -> (readEnd: CInt, writeEnd: CInt) {
    tick()
    let pipe = MemoryPipe()
    pipe.writerCount = 1
    return (add(.reading(pipe)), add(.writing(pipe)))
  }

  func truncate(_ file: CInt, to length: Int64) {
    guard case .file(let file)? = find(file, "truncate") else { return }
    file.bytes.removeLast(file.bytes.count - Int(length))
  }

  func synchronize(_ file: CInt) throws(Errno) {
    guard case .file(let file)? = find(file, "fsync") else { throw .badFileDescriptor }
    file.isSynchronized = true
  }

  // MARK: Terminals

  func openPty() throws(Errno) -> (master: CInt, path: String) {
    tick()
    let pty = MemoryPty(path: "/dev/pts/\(ptys.count)", capacity: ptyCapacity)
    ptys.append(pty)
    return (add(.master(pty)), pty.path)
  }

  func openTerminal(_ path: String) throws(Errno) -> CInt {
    tick()
    guard let pty = ptys.first(where: { $0.path == path }) else { throw .noSuchFileOrDirectory }
    guard pty.open() else { throw .resourceBusy }
    return add(.terminal(pty))
  }

  func isTerminal(_ descriptor: CInt) -> Bool { false }

  private func pty(_ descriptor: CInt, _ call: StaticString) -> MemoryPty? {
    switch find(descriptor, call) {
    case .master(let pty), .terminal(let pty): pty
    default: nil
    }
  }

  func settings(of terminal: CInt) -> termios? { pty(terminal, "tcgetattr")?.settings }

  func set(_ settings: termios, of terminal: CInt) throws(Errno) {
    pty(terminal, "tcsetattr")?.settings = settings
  }

  func speed(of terminal: CInt) -> Int? { pty(terminal, "tcgetattr")?.speed }

  func set(speed: Int, of terminal: CInt) throws(Errno) {
    pty(terminal, "tcsetattr")?.speed = speed
  }

  func change(_ terminal: CInt, _ change: TerminalChange) throws(Errno) {
    guard let pty = pty(terminal, "ioctl") else { throw .badFileDescriptor }
    switch change {
    case .beginPackets: break
    // The kernel reports these in a packet of their own.
    case .hold: (pty.isHeld, pty.hasControl) = (true, true)
    case .release: (pty.isHeld, pty.hasControl) = (false, true)
    case .discardInput: (pty.fromBench, pty.hasControl) = ([], true)
    case .giveUp: pty.isClaimed = false
    }
  }

  func watch(_ path: String) throws(Errno) -> CInt {
    tick()
    guard let pty = ptys.first(where: { $0.path == path }) else { throw .noSuchFileOrDirectory }
    pty.openings = []
    return add(.watch(pty))
  }

  func takeOpenings(_ watch: CInt) -> [Bool] {
    guard case .watch(let pty)? = find(watch, "inotify") else { return [] }
    defer { pty.openings = [] }
    return pty.openings
  }

  func watchOrder(
    of path: String, _ master: CInt
  ) throws(Errno) -> (order: CInt, writes: CInt) {
    tick()
    guard let pty = ptys.first(where: { $0.path == path }) else { throw .noSuchFileOrDirectory }
    return (add(.order(pty)), add(.writes(pty)))
  }

  func takeOrder(_ order: CInt, writes: CInt) -> [SenderAction] {
    guard case .order(let pty)? = find(order, "epoll") else { return [] }
    defer { pty.actions = [] }
    return pty.actions
  }

  // MARK: Sockets

  func accept(
    _ listener: CInt, from address: inout sockaddr_storage
  ) throws(Errno) -> CInt {
    guard case .listener(let listener)? = find(listener, "accept") else {
      throw .badFileDescriptor
    }
    guard !listener.waiting.isEmpty else { throw .wouldBlock }
    if let shortage { throw shortage }
    let socket = listener.waiting.removeFirst()
    socket.isAccepted = true
    withUnsafeMutableBytes(of: &address) { bytes in
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = in_port_t(socket.number + 1).bigEndian
      withUnsafeBytes(of: name) { bytes.copyMemory(from: $0) }
    }
    return add(.socket(socket))
  }

  func send(_ socket: CInt, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try write(socket, bytes)
  }

  func set(_ options: [SocketOption], of socket: CInt) { _ = find(socket, "setsockopt") }

  func endWriting(_ socket: CInt) { _ = find(socket, "shutdown") }

  // MARK: Processes

  /// What the command after `--` does.
  var behaviour = MemoryChild.Behaviour()
  /// Where the signals of the bench are put.
  var signals: MemoryPipe?

  func start(_ program: NewProgram) throws(Errno) -> pid_t {
    tick()
    let isWatcher = program.words.contains("sentrybench-watcher")
    if !isWatcher, let error = behaviour.startError { throw error }
    let id = pid_t(100_000_000 + children.count)
    var errors: MemoryPipe?
    if case .descriptor(let number) = program.errors, case .writing(let pipe)? = things[number] {
      errors = pipe
      pipe.writerCount += 1
    }
    let group = program.group.map { $0 == 0 ? id : $0 } ?? 1
    let child = MemoryChild(id: id, group: group, isWatcher: isWatcher, errors: errors)
    child.behaviour = behaviour
    children.append(child)
    if !isWatcher, let lifetime = behaviour.lifetime {
      after(lifetime) { [self] in end(child, behaviour.status) }
    }
    return id
  }

  private func end(_ child: MemoryChild, _ state: CInt) {
    guard child.state == nil else { return }
    child.end(state)
    if let signals { signal(SIGCHLD, signals) }
  }

  /// The command writes to its standard error, and ends.
  func commandWrites(_ text: String) {
    guard let child = children.last(where: { !$0.isWatcher && $0.state == nil }) else { return }
    if let errors = child.errors, errors.room >= text.utf8.count { errors.bytes += text.utf8 }
  }

  func commandEnds(_ state: CInt) {
    for child in children where !child.isWatcher { end(child, state) }
  }

  private func child(_ id: pid_t) -> MemoryChild? { children.first { $0.id == id } }

  func hasEnded(_ process: pid_t) -> Bool {
    tick()
    return child(process)?.state != nil
  }

  func takeEnd(of process: pid_t) -> CInt? {
    tick()
    guard let child = child(process), !child.isTaken else {
      note("a wait for a process that is no child")
      return nil
    }
    guard let state = child.state else { return nil }
    child.isTaken = true
    return state
  }

  func signal(_ process: pid_t, _ number: CInt) {
    tick()
    for child in children where child.state == nil {
      guard child.id == process || child.group == -process else { continue }
      if child.isWatcher {
        if number == SIGKILL { child.end(number) }
      } else if number == SIGKILL || !child.behaviour.ignoresTermination {
        after(.microseconds(300)) { [self] in end(child, number) }
      }
    }
  }
}

/// A pty, as its kernel and the programs at its other end see it.
final class MemoryPty {
  let path: String
  private let capacity: Int
  /// How many bytes the kernel keeps for the programs.
  var outputCapacity: Int { min(capacity / 2, 4_095) }
  var settings = termios()
  var speed = 38_400
  var toBench: [UInt8] = []
  var fromBench: [UInt8] = []
  /// How many bytes of the bench the kernel has accepted.
  var acceptedCount = 0
  /// Whether a packet without data waits.
  var hasControl = false { didSet { if hasControl { note(.change) } } }
  /// What the programs have done since the bench looked, each once, in order.
  var actions: [SenderAction] = []
  var isHeld = false
  var isClaimed = false
  private(set) var openCount = 0
  private var wasOpened = false
  var openings: [Bool] = []
  var programs: [MemoryProgram] = []

  init(path: String, capacity: Int) {
    self.path = path
    self.capacity = capacity
  }

  var isHungUp: Bool { wasOpened && openCount == 0 }

  /// Returns false if a program has claimed it.
  func open() -> Bool {
    guard !isClaimed else { return false }
    openCount += 1
    wasOpened = true
    note(true)
    return true
  }

  func close() {
    openCount -= 1
    note(false)
  }

  /// The kernel merges equal events that were not read.
  private func note(_ isOpening: Bool) {
    if openings.last != isOpening { openings.append(isOpening) }
  }

  private func note(_ action: SenderAction) {
    if !actions.contains(action) { actions.append(action) }
  }

  /// Programs continue that wait for room or for bytes.
  func pump() {
    for program in programs where program.isOpen {
      if program.isReading, !fromBench.isEmpty {
        program.received += fromBench
        fromBench = []
      }
      let count = isHeld ? 0 : min(program.unsent.count, capacity - toBench.count)
      guard count > 0 else { continue }
      toBench += program.unsent.prefix(count)
      note(.write)
      program.unsent.removeFirst(count)
    }
  }
}

/// A program that uses a pty.
final class MemoryProgram {
  private var pty: MemoryPty?
  var isReading = true
  /// What it has not been able to write yet.
  var unsent: [UInt8] = []
  var received: [UInt8] = []

  var isOpen: Bool { pty != nil }

  func open(_ pty: MemoryPty) {
    guard self.pty == nil, pty.open() else { return }
    self.pty = pty
    pty.programs.append(self)
  }

  func close() {
    guard let pty else { return }
    // What it was still writing is gone with it.
    unsent = []
    pty.programs.removeAll { $0 === self }
    pty.close()
    self.pty = nil
  }

  func write(_ bytes: [UInt8]) {
    guard let pty else { return }
    unsent += bytes
    pty.pump()
  }

  func set(speed: Int) {
    pty?.speed = speed
    pty?.hasControl = true
  }

  func setParity() {
    pty?.settings.c_cflag |= tcflag_t(PARODD)
    pty?.hasControl = true
  }

  func claim() { pty?.isClaimed = true }
}

final class MemoryListener {
  var waiting: [MemorySocket] = []
}

/// A connection, and the client at its other end.
final class MemorySocket {
  let number: Int
  /// The bytes on their way to the bench, and whether they are data for the line.
  private(set) var toBench: [(byte: UInt8, isData: Bool)] = []
  private var unsent: [(byte: UInt8, isData: Bool)] = []
  private var fromBench: [UInt8] = []
  private let capacity: Int
  /// What the client has read.
  private(set) var received: [UInt8] = []
  /// The data that the bench has read.
  private(set) var taken: [UInt8] = []
  var isReading = true
  var isAccepted = false
  /// Whether the last thing that the client has sent is the beginning of something.
  var isHalf = false
  /// Whether the client sends nothing more, and whether it is gone.
  private(set) var isDone = false
  private(set) var isGone = false
  private(set) var isReset = false
  private var isResetReported = false
  /// Whether the bench has closed it.
  var isClosed = false

  init(number: Int, capacity: Int) {
    self.number = number
    self.capacity = capacity
  }

  var room: Int { isReset ? 1 : capacity - fromBench.count }
  /// Whether the bench has told the client, or tried to, that another one has the port.
  private(set) var isRefused = false
  /// Whether the client still takes part.
  var isConnected: Bool { !isDone && !isGone && !isReset && !isClosed }
  /// How many of its bytes the bench has not read.
  var waitingCount: Int { toBench.count + unsent.count }

  func pump() {
    if isReading, !fromBench.isEmpty {
      received += fromBench
      fromBench = []
    }
    let count = min(unsent.count, capacity - toBench.count)
    guard count > 0, !isReset else { return }
    toBench += unsent.prefix(count)
    unsent.removeFirst(count)
  }

  // The client's acts.

  func send(_ bytes: some Sequence<UInt8>, isData: Bool) {
    guard isConnected else { return }
    unsent += bytes.map { ($0, isData) }
    pump()
  }

  /// Ends its direction of the connection.
  func finish() { isDone = true }

  /// Closes the connection. What arrives after that is answered with a reset.
  func leave() { (isDone, isGone, isReading) = (true, true, false) }

  func reset() { (isReset, isReading, unsent) = (true, false, []) }

  // The bench's calls.

  func take(_ count: Int) throws(Errno) -> [UInt8] {
    guard !toBench.isEmpty else {
      if isReset, !isResetReported {
        isResetReported = true
        throw .connectionReset
      }
      guard isDone || isReset else { throw .wouldBlock }
      return []
    }
    let items = toBench.prefix(count)
    toBench.removeFirst(count)
    taken += items.filter(\.isData).map(\.byte)
    return items.map(\.byte)
  }

  func put(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    if bytes.starts(with: "Another client has this port open".utf8) { isRefused = true }
    if isReset { throw .brokenPipe }
    let count = min(bytes.count, room)
    guard count > 0 else { throw .wouldBlock }
    fromBench += bytes.prefix(count)
    if isGone { isReset = true }
    return count
  }
}

final class MemoryPipe {
  private let capacity: Int

  init(capacity: Int = 65_536) { self.capacity = capacity }

  /// What was written and not read, by the bench or by the pipe's reader.
  var bytes: [UInt8] = []
  var writerCount = 0
  /// What the reader of one of the standard outputs has read.
  private(set) var received: [UInt8] = []
  var isReading = true
  /// Whether its reader is gone.
  var isClosed = false

  var room: Int { capacity - bytes.count }

  func pump() {
    guard isReading, !bytes.isEmpty else { return }
    received += bytes
    bytes = []
  }
}

final class MemoryFile {
  var bytes: [UInt8] = []
  /// How many bytes there is room for.
  var limit = Int.max
  var isSynchronized = false
}

/// A process that the bench has started.
final class MemoryChild {
  struct Behaviour: Hashable {
    /// Why it cannot be started; nil if it can.
    var startError: Errno?
    /// How long it runs by itself; nil for until it is ended.
    var lifetime: Interval?
    /// How it ends, as `waitpid` reports it.
    var status: CInt = 0
    var ignoresTermination = false
    /// Whether it leaves another process behind that keeps its standard error open.
    var leavesAnother = false
  }

  let id: pid_t
  let group: pid_t
  let isWatcher: Bool
  let errors: MemoryPipe?
  var behaviour = Behaviour()
  /// How it has ended; nil while it runs.
  private(set) var state: CInt?
  var isTaken = false

  init(id: pid_t, group: pid_t, isWatcher: Bool, errors: MemoryPipe?) {
    (self.id, self.group, self.isWatcher, self.errors) = (id, group, isWatcher, errors)
  }

  func end(_ state: CInt) {
    guard self.state == nil else { return }
    self.state = state
    if !behaviour.leavesAnother { errors?.writerCount -= 1 }
  }
}
