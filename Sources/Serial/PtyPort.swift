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
  package var clientCount: Int {
    isOpen ? max(1, watch.count) : 0
  }
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
    missedFirsts += watch.look(withOwn: isFull ? .opening : .closing)
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
