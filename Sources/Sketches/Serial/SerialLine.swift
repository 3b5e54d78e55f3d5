/// The cable between a sender and the board. Bytes are queued, and each takes the time of its
/// frame: ten bits in 8N1.
///
/// A byte arrives when its stop bit ends. If the two ends have different speeds or formats, the
/// byte that arrives is what the board's USART samples. The same holds for a break.
package struct SerialLine: Hashable, Sendable, Codable {
  /// The speeds a line can have, in bits a second, up to the limit of a USART at 16 MHz.
  package static let bauds = 1...2_000_000
  /// The speed in bits a second where none is stated: that of the sketches that the turret began
  /// with, and of a trace whose header states none.
  package static let usualBaud = 9_600

  /// A level of the line that begins at an instant.
  package struct Change: Hashable, Sendable {
    package var instant: Instant
    package var isHigh: Bool
  }

  /// The sending end, for its speed and format.
  package var sender: Sender
  /// The board's USART, for its speed, its format and its number of samples.
  package var receiver: Receiver
  /// The frame that the receiver has begun to sample last; it can still be on the line.
  private var sampling: ByteFrame?

  /// Creates a line to a board that receives at `baud` bits a second. The sender starts at the same
  /// speed.
  package init(baud: Int) {
    sender = Sender(baud: baud)
    receiver = Receiver(baud: baud)
  }

  /// Whether it can continue at `instant` after it was read from a file.
  package func canResume(at instant: Instant) -> Bool {
    sender.canResume && nextDeadline.map { $0 > instant } ?? true
  }

  /// Holds the line low for `length`, starting at `instant` or when the line becomes free. If the
  /// last break is not over, it only ends at another time: `length` after `instant`.
  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    if let changed = sender.sendBreak(lasting: length, at: instant) {
      receiver.changeBreak(changed)
      if sampling?.start == changed.start { sampling = changed }
    }
  }

  /// Makes the stop bit low of the next byte on its way with this value.
  package mutating func addFramingError(to byte: UInt8) {
    if receiver.addFramingError(to: byte) {
      sampling?.fault = .lowStop
    } else {
      sender.addFramingError(to: byte)
    }
  }

  /// Sends bytes, starting at `instant` or when the line becomes free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    sender.send(bytes, at: instant)
  }

  package var count: Int { sender.count + receiver.count }

  /// The frame that is on the line or is sent next, before any sampling; nil if all are sent.
  package var frame: ByteFrame? { sender.frame }

  /// Returns the line's level at an instant, and then its changes up to and including another: what
  /// is on the wire, before any sampling. An idle line is high.
  package func changes(from start: Instant, through end: Instant) -> [Change] {
    var sender = sender
    var now = Change(instant: start, isHigh: true)
    var later: [Change] = []
    var next = sampling
    while let frame = next ?? sender.frame, frame.start <= end {
      if next == nil { sender.finishFrame() }
      next = nil
      for index in 0..<frame.changeCount {
        let (instant, isHigh) = frame.change(index)
        if instant <= start {
          now.isHigh = isHigh
        } else if instant <= end {
          later.append(Change(instant: instant, isHigh: isHigh))
        }
      }
    }
    return [now] + later
  }

  /// Moves past that frame, which no USART receives. There must be one.
  package mutating func finishFrame() { sender.finishFrame() }

  /// Whether nothing is on the line or queued for it, as most of the time.
  @inline(__always)
  private var isIdle: Bool { receiver.isIdle && sender.isIdle }

  /// When the next byte arrives, or the earliest it could; nil if the line is empty.
  @inline(__always)
  package var nextDeadline: Instant? { isIdle ? nil : busyDeadline }

  // Not inlined, so that the line is not copied while it is idle.
  @inline(never)
  private var busyDeadline: Instant? {
    if let deadline = receiver.nextDeadline { return deadline }
    guard let frame = sender.frame else { return nil }
    if let arrival = receiver.arrival(of: frame) { return arrival.end }
    var copy = receiver
    copy.append(frame)
    return copy.nextDeadline
  }

  /// Returns the next byte that arrives by `end`. Everything that begins by then must have been
  /// sent.
  @inline(__always)
  package mutating func next(by end: Instant) -> Arrival? {
    if isIdle { return nil }
    if receiver.isIdle, receiver.format == .standard,
      let arrival = sender.finishFrame(at: receiver.baud, by: end)
    {
      return arrival
    }
    return sampled(by: end)
  }

  @inline(never)
  private mutating func sampled(by end: Instant) -> Arrival? {
    while let frame = sender.frame, frame.start <= end {
      // A decision made before the frame begins must not depend on how time is divided into steps.
      if !receiver.isIdle, let arrival = receiver.next(by: frame.start) { return arrival }
      if receiver.isIdle, let arrival = receiver.arrival(of: frame) {
        guard arrival.end <= end else { return nil }
        sender.finishFrame()
        return arrival
      }
      receiver.append(frame)
      sampling = frame
      sender.finishFrame()
    }
    return receiver.next(by: end)
  }

  /// Returns the bytes that a UART in 8N1 receives if these are sent in another format, at the same
  /// speed, without a gap.
  package static func bytes(of bytes: [UInt8], in format: LineFormat) -> [UInt8] {
    var line = SerialLine(baud: 9_600)
    line.sender.format = format
    line.send(bytes, at: .zero)
    return line.takeUndelivered().map { $0.byte }
  }

  /// Removes and returns the bytes that are still on their way, each with the end of its stop bit.
  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] {
    var rest: [(byte: UInt8, end: Instant)] = []
    while let arrival = next(by: .distantFuture) { rest.append((arrival.byte, arrival.end)) }
    return rest
  }
}

extension SerialLine {
  /// The speeds that programs use, in bits a second. From 16 MHz, 115 200 baud is actually 117 647.
  private static let usualSpeeds = [
    300, 600, 1_200, 2_400, 4_800, 9_600, 14_400, 19_200, 28_800, 31_250, 38_400, 57_600, 76_800,
    115_200, 230_400, 250_000, 500_000, 1_000_000, 2_000_000,
  ]

  /// Returns the usual speed that differs from a speed by at most 3 %, or else that speed itself.
  package static func usualSpeed(near speed: Int) -> Int {
    let nearest = usualSpeeds.min { abs($0 - speed) < abs($1 - speed) } ?? speed
    return abs(nearest - speed) * 100 <= nearest * 3 ? nearest : speed
  }
}

/// A sender's port at another speed than the board's.
package struct WrongSpeed: Hashable, Sendable {
  package enum Direction: Hashable, Sendable {
    /// The sender sends, and the board receives.
    case writing
    /// The board sends, and the sender receives.
    case reading
  }

  package var direction: Direction
  /// The speed of the sender's port, in bits a second.
  package var sender: Int
  package var board: Int

  package init(_ direction: Direction, sender: Int, board: Int) {
    self.direction = direction
    self.sender = sender
    self.board = board
  }

  /// The two speeds as a sentence without its full stop.
  package var text: String {
    switch direction {
    case .writing: "the sender writes at \(sender) baud, the board listens at \(board)"
    case .reading: "the sender reads at \(sender) baud, the board sends at \(board)"
    }
  }

  /// Whether not every byte arrives as it was sent.
  package var garbles: Bool {
    var line = SerialLine(baud: direction == .writing ? board : sender)
    line.sender.baud = direction == .writing ? sender : board
    let bytes = Array(UInt8.min...UInt8.max)
    line.send(bytes, at: .zero)
    for byte in bytes where line.next(by: .distantFuture)?.byte != byte { return true }
    return false
  }
}

/// A speed of a line, in bits a second. A file with any other number is not read.
@propertyWrapper
package struct LineSpeed: RawRepresentable, Hashable, Sendable, Codable {
  package var wrappedValue: Int
  package var rawValue: Int { wrappedValue }

  package init(wrappedValue: Int) { self.wrappedValue = wrappedValue }

  package init?(rawValue: Int) {
    guard SerialLine.bauds.contains(rawValue) else { return nil }
    wrappedValue = rawValue
  }
}

/// A receiver at the end of a serial line, which has the sender's side of it.
package protocol OnSerialLine {
  var line: SerialLine { get set }
}

extension OnSerialLine {
  package var onTheWayCount: Int { line.count }

  /// Sends bytes, starting at `instant` or when the line becomes free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    line.send(bytes, at: instant)
  }

  /// Sets the sender's speed, in bits a second, for bytes sent from now on.
  package mutating func setSenderBaud(_ baud: Int) { line.sender.baud = baud }

  /// Sets the sender's format for bytes sent from now on.
  package mutating func setSenderFormat(_ format: LineFormat) { line.sender.format = format }

  /// Holds the line low. See `SerialLine.sendBreak`.
  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    line.sendBreak(lasting: length, at: instant)
  }

  /// Makes the stop bit low of the next byte on its way with this value.
  package mutating func addFramingError(to byte: UInt8) { line.addFramingError(to: byte) }

  /// Removes and returns the bytes still on the line, each with the end of its stop bit.
  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] {
    line.takeUndelivered()
  }
}
