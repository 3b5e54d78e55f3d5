package import SystemPackage

/// The pty as a door for senders: who opens it, what they write and at which speed.
package struct PtyDoor: ~Copyable, Sendable {
  /// What came in by the door, in order.
  package enum Event: Hashable, Sendable {
    /// A first sender opened the port.
    case opened
    /// The last sender closed it.
    case closed
    /// From here on senders write at this speed, bits a second.
    case baud(Int)
    case bytes([UInt8])
  }

  private var pty: PseudoTerminal
  private var watch: ClientWatch
  /// The speed of the bytes that came last, bits a second.
  private var baud: Int
  /// Whether a sender has the port open.
  package private(set) var isOpen = false
  /// First senders that opened the port while the door was busy with itself.
  private var missedFirsts = 0
  /// Whether senders may have left something unread.
  private var mayHaveUnread = false

  private init(_ pty: consuming PseudoTerminal, _ watch: consuming ClientWatch, baud: Int) {
    self.pty = pty
    self.watch = watch
    self.baud = baud
  }

  /// A door to a board that listens at `baud` bits a second.
  package static func make(baud: Int) throws(SerialError) -> PtyDoor {
    let pty = try PseudoTerminal.make(baud: baud)
    let watch = try ClientWatch(path: pty.path)
    return PtyDoor(pty, watch, baud: baud)
  }

  /// The sender's end.
  package var path: String { pty.path }
  /// How many senders have it open.
  package var clientCount: Int {
    isOpen ? max(1, watch.count) : 0
  }
  /// What to wait on: readable when somebody comes or goes, and, where there is room for bytes,
  /// when some have come.
  package func descriptors(hasRoom: Bool) -> [FileDescriptor] {
    isOpen && hasRoom ? allDescriptors : [watch.descriptor]
  }

  /// All it ever waits on.
  package var allDescriptors: [FileDescriptor] { [watch.descriptor, pty.descriptor] }

  /// What has happened since the last look, with at most `room` bytes.
  package mutating func look(room: Int) throws(SerialError) -> [Event] {
    var events: [Event] = []
    let firsts = watch.look() + missedFirsts
    missedFirsts = 0
    let isHungUp = !pty.isHolding && pty.isHungUp
    if firsts > 0 || (!isOpen && !isHungUp) {
      if isOpen { events.append(.closed) }
      // One opening or many that nobody saw: what counts is that the port was opened anew.
      open(&events)
    }
    guard isOpen else { return events }

    // Looked up before the bytes are taken: on its way out a sender puts the old speed back.
    let speed = pty.senderBaud ?? baud
    var left = room
    var isDrained = false
    var hasClosed = false
    while left > 0, !isDrained {
      switch try pty.read(upTo: left) {
      case .bytes(let bytes):
        if !isOpen { open(&events) }
        if speed != baud {
          baud = speed
          events.append(.baud(speed))
        }
        events.append(.bytes(bytes))
        left -= bytes.count
      case .control: continue
      case .nothing:
        if !isOpen { open(&events) }
        isDrained = true
      case .hungUp where hasClosed: isDrained = true
      case .hungUp:
        events.append(.closed)
        try close()
        // Somebody may have come, and gone, while the door was busy with itself.
        hasClosed = true
      }
    }
    return events
  }

  private mutating func open(_ events: inout [Event]) {
    events.append(.opened)
    isOpen = true
  }

  /// Gives bytes to the senders; returns how many there was room for, 0 where nobody has it open.
  package mutating func write(_ bytes: [UInt8]) throws(SerialError) -> Int {
    guard isOpen else { return 0 }
    mayHaveUnread = true
    return try pty.write(bytes)
  }

  /// Has senders wait, or lets them go on.
  package mutating func hold(_ isFull: Bool) throws(SerialError) {
    guard isFull != pty.isHolding else { return }
    if isFull {
      try pty.holdWriters()
    } else {
      pty.releaseWriters()
    }
    missedFirsts += watch.look(withOwn: isFull ? .opening : .closing)
  }

  private mutating func close() throws(SerialError) {
    isOpen = false
    watch.nobody()
    try pty.makeRaw()
    if mayHaveUnread {
      try pty.discardUnread()
      mayHaveUnread = false
      // Who came in meanwhile is noticed by what the next read says.
      _ = watch.look()
      watch.nobody()
    }
  }
}
