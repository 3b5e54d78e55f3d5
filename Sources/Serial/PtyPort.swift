package import Platform
package import SystemPackage

/// The pty that senders open. Reports when they open and close it, their bytes and their speed.
package struct PtyPort: ~Copyable, Sendable {
  /// An event on the pty, in order.
  package enum Event: Hashable, Sendable {
    /// A sender opened the port while no other had it open.
    case opened
    /// The last sender closed it.
    case closed
    /// From here on senders write at this speed, in bits a second.
    case baud(Int)
    case bytes([UInt8])
    /// A sender has changed its speed, in bits a second, while bytes were unread, and it is unknown
    /// how many of them it wrote before. They follow at the old speed. Only the first time.
    case unordered(from: Int, to: Int)
    /// A sender has set a parity, which a pty does not carry. Only the first time.
    case parity
    /// The last sender ended without giving up its claim to the port (TIOCEXCL), with which a pty,
    /// unlike a port, keeps out all later ones. The port is another pty from here on, at this path.
    case replaced(path: String)
  }

  private var pty: PseudoTerminal
  private let isReplaceable: Bool
  private var watch: ClientWatch
  private var order: WriteOrder
  /// The speed of the bytes received last, in bits a second.
  private var baud: Int
  /// The speed that a sender has set.
  private var speed: Int
  /// The speed of what was unread when a sender set another one, and how much that can be at most;
  /// nil if nothing was.
  private var unread: (baud: Int, most: Int)?
  /// Whether a sender that has the port open has set it, and nothing was unread since.
  private var isSetUp = false
  private var hasChanged = false
  private var hasReportedOrder = false
  /// Whether a sender has the port open.
  package private(set) var isOpen = false
  private var hasSeenParity = false
  /// How many times a first sender opened the port while the bench itself was using it.
  private var missedFirsts = 0

  private init(
    _ pty: consuming PseudoTerminal, _ watch: consuming ClientWatch,
    _ order: consuming WriteOrder, baud: Int, isReplaceable: Bool
  ) {
    self.pty = pty
    self.isReplaceable = isReplaceable
    self.watch = watch
    self.order = order
    self.baud = baud
    speed = baud
  }

  /// Creates a pty for a board that receives at `baud` bits a second. `isReplaceable` is whether
  /// another pty can take its place, since senders know it by a link.
  package static func make(
    baud: Int, isReplaceable: Bool = false, on system: any SystemCalls = HostSystem.shared
  ) throws(SerialError) -> PtyPort {
    let pty = try PseudoTerminal.make(baud: baud, on: system)
    let watch = try ClientWatch(path: pty.path, on: system)
    let order = try WriteOrder(path: pty.path, pty.descriptor, on: system)
    try pty.dropControl()
    return PtyPort(pty, watch, order, baud: baud, isReplaceable: isReplaceable)
  }

  /// The path of the sender's end.
  package var path: String { pty.path }
  /// The speed at which whoever has it open reads, in bits a second: the one set last, as it is
  /// for both directions of a port. At first it is the board's.
  package var readerBaud: Int { pty.senderBaud ?? baud }
  /// How many senders have it open.
  package var clientCount: Int { isOpen ? max(1, watch.count) : 0 }
  /// The descriptors to wait on. They become readable when a sender opens or closes the port and,
  /// if there is room for bytes, when bytes arrive.
  package func descriptors(hasRoom: Bool) -> [FileDescriptor] {
    isOpen && hasRoom ? allDescriptors : [watch.descriptor]
  }

  /// All descriptors that it ever waits on.
  package var allDescriptors: [FileDescriptor] {
    [watch.descriptor, order.descriptor, pty.descriptor]
  }

  /// Returns the events since the last call, with at most `room` bytes.
  package mutating func look(room: Int) throws(SerialError) -> [Event] {
    var events: [Event] = []
    let firsts = watch.look() + missedFirsts
    missedFirsts = 0
    let isHungUp = !pty.isHolding && pty.isHungUp
    if firsts > 0 || (!isOpen && !isHungUp) {
      if isOpen { events.append(.closed) }
      // There may have been several unnoticed openings; only that the port was reopened matters.
      open(&events)
    }
    guard isOpen else { return events }

    var left = room
    var isDrained = false
    var hasClosed = false
    while left > 0, !isDrained {
      order.look()
      let (hadWritten, now) = (order.hasWritten, pty.senderBaud ?? speed)
      switch try pty.read(upTo: left) {
      case .bytes(let bytes):
        if !isOpen { open(&events) }
        lookForParity(&events)
        // A sender can turn the notifications off, and set the speed without one.
        set(speed: now, afterBytes: isSetUp)
        take(bytes, &events)
        left -= bytes.count
      case .control(let isSetting):
        lookForParity(&events)
        hasChanged = true
        order.look()
        // A notification is one for all that has happened. That of a flush can hide a change.
        let isFirst = order.changedAfterWrite == false && (isSetting || !isSetUp)
        let isLast = order.changedAfterWrite ?? hadWritten
        set(speed: pty.senderBaud ?? speed, afterBytes: isLast || isSetUp && !isFirst)
      case .nothing:
        if !isOpen { open(&events) }
        isDrained = true
        speed = now
        isSetUp = isSetUp || hasChanged
        unread = nil
        order.reset()
      case .hungUp where hasClosed: isDrained = true
      case .hungUp:
        events.append(.closed)
        if try close() {
          try replace()
          events.append(.replaced(path: path))
        }
        // A sender may have opened and closed the port while the bench itself was using it.
        hasClosed = true
      }
    }
    return events
  }

  /// Takes the speed that a sender has set. `afterBytes` is whether unread bytes came before.
  private mutating func set(speed new: Int, afterBytes: Bool) {
    guard new != speed else { return }
    if afterBytes, unread == nil { unread = (speed, Self.unreadMax) }
    speed = new
  }

  /// The most bytes that can be unread in a pty.
  private static var unreadMax: Int { 20_480 }

  private mutating func take(_ bytes: [UInt8], _ events: inout [Event]) {
    let now = unread?.baud ?? speed
    if let unread, !hasReportedOrder {
      hasReportedOrder = true
      events.append(.unordered(from: unread.baud, to: speed))
    }
    if now != baud {
      baud = now
      events.append(.baud(now))
    }
    events.append(.bytes(bytes))
    unread?.most -= bytes.count
    if unread?.most ?? 1 <= 0 { unread = nil }
  }

  private mutating func lookForParity(_ events: inout [Event]) {
    guard !hasSeenParity, pty.hasParity else { return }
    hasSeenParity = true
    events.append(.parity)
  }

  private mutating func open(_ events: inout [Event]) {
    events.append(.opened)
    isOpen = true
    (isSetUp, hasChanged) = (false, false)
  }

  /// Writes bytes for the senders. Returns how many there was room for, 0 if no sender has it open.
  package mutating func write(_ bytes: [UInt8]) throws(SerialError) -> Int {
    guard isOpen else { return 0 }
    return try pty.write(bytes)
  }

  /// Makes senders wait, or lets them continue.
  package mutating func hold(_ isFull: Bool) throws(SerialError) {
    guard isFull != pty.isHolding else { return }
    if isFull {
      try pty.holdWriters()
    } else {
      pty.releaseWriters()
    }
    missedFirsts += watch.look(ownOpening: isFull)
  }

  /// Prepares the port for the next sender. Returns whether that is impossible, because the last
  /// one has claimed it for itself.
  private mutating func close() throws(SerialError) -> Bool {
    isOpen = false
    unread = nil
    order.reset()
    watch.reset()
    try pty.makeRaw()
    let isOpenable = try pty.clear()
    try pty.dropControl()
    // A sender that opens the port in the meantime is detected by the next read.
    _ = watch.look()
    watch.reset()
    return !isOpenable && isReplaceable && pty.isHungUp
  }

  /// Puts another pty with the same speed in its place.
  private mutating func replace() throws(SerialError) {
    let next = try PseudoTerminal.make(baud: readerBaud, on: pty.system)
    watch = try ClientWatch(path: next.path, on: pty.system)
    order = try WriteOrder(path: next.path, next.descriptor, on: pty.system)
    try next.dropControl()
    pty = next
  }
}

/// The bench's end of a pty: bytes that a sender writes to `path` can be read here, and vice versa.
package struct PseudoTerminal: ~Copyable, Sendable {
  /// The result of one read.
  package enum Received: Hashable, Sendable {
    case bytes([UInt8])
    /// A sender changed its settings or flushed. There are no bytes. `isSetting`: it only changed
    /// its settings.
    case control(isSetting: Bool)
    /// There are no bytes yet.
    case nothing
    /// There are no bytes, and no program has the sender's end open.
    case hungUp
  }

  /// The sender's end.
  package let path: String
  let system: any SystemCalls
  private let master: Descriptor
  /// The sender's end, kept open only while writers are held.
  private var holding: Descriptor?

  private init(_ master: consuming Descriptor, path: String, on system: any SystemCalls) {
    self.system = system
    self.master = master
    self.path = path
  }

  /// Whether the system has ptys at all; some containers have none.
  package static var areAvailable: Bool { access("/dev/ptmx", R_OK | W_OK) == 0 }

  /// Creates a pty in raw mode, since its bytes are for a device rather than a person, at `baud`
  /// bits a second.
  package static func make(
    baud: Int, on system: any SystemCalls = HostSystem.shared
  ) throws(SerialError) -> PseudoTerminal {
    let pty: PseudoTerminal
    do throws(Errno) {
      let (master, path) = try system.openPty()
      pty = PseudoTerminal(Descriptor(master, of: system), path: path, on: system)
    } catch {
      throw SerialError(
        .unavailable, path: "/dev/ptmx", cause: error, "cannot allocate a pseudo-terminal")
    }
    // The master reports a hang-up only after the other end has been opened and closed once.
    _ = try pty.openSenderEnd()
    try pty.makeRaw(baud: baud)
    return pty
  }

  /// Becomes readable when a sender has written, changed its settings or closed the pty.
  package var descriptor: FileDescriptor { master.value }

  /// Whether no program has the sender's end open. Must not be used while writers are held.
  package var isHungUp: Bool { system.poll(descriptor.rawValue, 0, within: 0) & CInt(POLLHUP) != 0 }

  /// Reads at most `countMax` bytes without waiting.
  package func read(upTo countMax: Int) throws(SerialError) -> Received {
    do throws(Errno) {
      // In packet mode the first byte of a read is its type.
      let packet = try system.read(descriptor.rawValue, upTo: countMax + 1)
      guard let type = packet.first else { return .nothing }
      guard type == UInt8(TIOCPKT_DATA) else {
        return .control(isSetting: type == UInt8(TIOCPKT_IOCTL))
      }
      return packet.count == 1 ? .nothing : .bytes(Array(packet.dropFirst()))
    } catch {
      switch error {
      case .wouldBlock, .interrupted: return .nothing
      case .ioError: return .hungUp
      case let cause: throw SerialError(.inputOutput, path: path, cause: cause, "cannot be read")
      }
    }
  }

  /// Takes the notification of what the bench itself has changed. It takes no bytes.
  package func dropControl() throws(SerialError) { _ = try read(upTo: 0) }

  /// Writes bytes for the sender to read. Returns how many there was room for.
  package func write(_ bytes: [UInt8]) throws(SerialError) -> Int {
    do throws(Errno) {
      return try system.write(descriptor.rawValue, bytes[...])
    } catch {
      switch error {
      case .wouldBlock, .interrupted, .ioError: return 0
      case let cause: throw SerialError(.inputOutput, path: path, cause: cause, "cannot be written")
      }
    }
  }

  /// Makes writers wait, as a full port does: they block or receive EAGAIN. Bytes that the kernel
  /// has already accepted (up to about 18 KB if that much is written at once) can still be read.
  package mutating func holdWriters() throws(SerialError) {
    guard holding == nil else { return }
    do throws(SerialError) {
      let end = try openSenderEnd()
      try? system.change(end.value.rawValue, .hold)
      holding = consume end
    } catch {
      // A sender can claim the port for itself (TIOCEXCL). Then only the kernel's own limit holds
      // it.
      guard error.cause == .resourceBusy else { throw error }
    }
  }

  /// Lets writers continue.
  package mutating func releaseWriters() {
    guard let end = holding.take() else { return }
    try? system.change(end.value.rawValue, .release)
  }

  package var isHolding: Bool { holding != nil }

  /// Discards what the last sender has left behind: bytes that it has not read, and its claim to
  /// the port for itself (TIOCEXCL), which outlives it on a pty. Returns false if that claim keeps
  /// out this program too, as it does unless it is root's.
  package func clear() throws(SerialError) -> Bool {
    do throws(SerialError) {
      let end = try openSenderEnd()
      try? system.change(end.value.rawValue, .discardInput)
      try? system.change(end.value.rawValue, .giveUp)
      return true
    } catch {
      guard error.cause == .resourceBusy else { throw error }
      return false
    }
  }

  /// Sets raw mode and requests notification of changed settings. The speed is kept unless one is
  /// given. Senders leave their settings behind, and some (tio, minicom, screen) turn the
  /// notification off.
  package func makeRaw(baud: Int? = nil) throws(SerialError) {
    // The master has the same settings as the sender's end.
    let number = master.value.rawValue
    do throws(Errno) {
      guard var settings = system.settings(of: number).map(PortSystem.raw) else {
        throw .inappropriateIOCTLForDevice
      }
      settings.c_lflag |= tcflag_t(EXTPROC)
      try system.set(settings, of: number)
      try system.change(number, .beginPackets)
      if let baud { try system.set(speed: baud, of: number) }
    } catch {
      throw SerialError(.inputOutput, path: path, cause: error, "its settings cannot be set")
    }
  }

  /// The speed set last, in bits a second; nil if it is 0 (hang up) or unknown.
  package var senderBaud: Int? { system.speed(of: master.value.rawValue) }

  /// Whether a sender has set a parity, as far as that can be seen. A pty resets PARENB, and with
  /// it even parity; the bits of the others stay.
  package var hasParity: Bool {
    system.settings(of: master.value.rawValue).map { $0.c_cflag & tcflag_t(PARODD) != 0 } ?? false
  }

  private func openSenderEnd() throws(SerialError) -> Descriptor {
    do throws(Errno) {
      return Descriptor(try system.openTerminal(path), of: system)
    } catch {
      throw SerialError(.unavailable, path: path, cause: error, "cannot be opened")
    }
  }
}

/// Detects when programs open and close the sender's end of a pty.
///
/// The kernel merges identical events that have not been read, so if several senders open it at
/// once the count can be too low. `reset()` corrects it whenever the pty is known to be hung up.
package struct ClientWatch: ~Copyable, Sendable {
  /// How many times it is currently open.
  package private(set) var count = 0
  private let system: any SystemCalls
  private let source: Descriptor

  /// Watches the pty at `path`, which must not be a link.
  package init(path: String, on system: any SystemCalls) throws(SerialError) {
    self.system = system
    do throws(Errno) {
      source = Descriptor(try system.watch(path), of: system)
    } catch {
      throw SerialError(.unavailable, path: path, cause: error, "cannot be watched")
    }
  }

  /// Becomes readable when a program opens or closes the pty.
  package var descriptor: FileDescriptor { source.value }

  /// Returns how many times, since the last call, a sender opened the pty while no other had it
  /// open. What the bench itself has done since then is not counted: `ownOpening` is whether it has
  /// opened or closed the pty; nil if neither.
  package mutating func look(ownOpening: Bool? = nil) -> Int {
    var openings = system.takeOpenings(source.value.rawValue)
    if let ownOpening, let index = openings.lastIndex(of: ownOpening) { openings.remove(at: index) }
    var firsts = 0
    for isOpening in openings {
      if isOpening {
        if count == 0 { firsts += 1 }
        count += 1
      } else if count > 0 {
        count -= 1
      }
    }
    return firsts
  }

  /// Resets the count: the pty is hung up, so no program has it open.
  package mutating func reset() { count = 0 }
}

/// Whether a sender first wrote to a pty or first changed its settings, since nothing was unread.
///
/// A pty reports changed settings ahead of all unread bytes, and its speed is known only as it is
/// now. `tcdrain`, which on a port waits for the bytes before a change, returns at once.
struct WriteOrder: ~Copyable, Sendable {
  /// Whether the sender has written.
  private(set) var hasWritten = false
  /// Whether its first change came after a write; nil if it made none, or if that is unknown.
  private(set) var changedAfterWrite: Bool?
  private let system: any SystemCalls
  private let order: Descriptor
  private let writes: Descriptor

  /// Watches the pty at `path`, which must not be a link. `master` is its other end.
  init(path: String, _ master: FileDescriptor, on system: any SystemCalls) throws(SerialError) {
    self.system = system
    do throws(Errno) {
      let made = try system.watchOrder(of: path, master.rawValue)
      order = Descriptor(made.order, of: system)
      writes = Descriptor(made.writes, of: system)
    } catch {
      throw SerialError(.unavailable, path: path, cause: error, "cannot be watched")
    }
  }

  /// Becomes readable when a sender has written. Its bytes can have been read before.
  var descriptor: FileDescriptor { writes.value }

  /// Takes what has happened since the last call.
  mutating func look() {
    for action in system.takeOrder(order.value.rawValue, writes: writes.value.rawValue) {
      switch action {
      case .write: hasWritten = true
      case .change: changedAfterWrite = changedAfterWrite ?? hasWritten
      }
    }
  }

  /// Begins again: nothing is unread.
  mutating func reset() { (hasWritten, changedAfterWrite) = (false, nil) }
}
