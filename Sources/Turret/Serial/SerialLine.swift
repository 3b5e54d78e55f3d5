/// The cable between a sender and the board. Bytes are queued and take ten bit times each.
///
/// A byte arrives when its stop bit ends. If the two ends run at different speeds, the byte that
/// arrives is what the board's USART samples.
package struct SerialLine: Hashable, Sendable, Savable {
  /// The speeds a line can have, in bits a second, up to the limit of a USART at 16 MHz.
  package static let bauds = 1...2_000_000

  private var sender: Sender
  private var receiver: Receiver

  /// Creates a line to a board that receives at `baud` bits a second. The sender starts at the same
  /// speed.
  package init(baud: Int) {
    sender = Sender(baud: baud)
    receiver = Receiver(baud: baud)
  }

  /// Whether this state is possible for a line to a board at `baud`. A line read from a file may be
  /// invalid.
  package func isPossible(baud: Int) -> Bool {
    receiver.baud == baud && sender.isPossible && receiver.isPossible
  }

  /// The sender's speed, in bits a second, for bytes sent from now on.
  package var senderBaud: Int {
    get { sender.baud }
    set { sender.baud = newValue }
  }

  /// The speed, in bits a second, at which the board samples from now on.
  package var receiverBaud: Int {
    get { receiver.baud }
    set { receiver.baud = newValue }
  }

  /// Sends bytes, starting at `instant` or when the line becomes free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    sender.send(bytes, at: instant)
  }

  /// The number of bytes on the line or queued for it.
  package var count: Int { sender.count + receiver.count }

  /// The frame that is on the line or is sent next, before any sampling; nil if all are sent.
  package var frame: ByteFrame? { sender.frame }

  /// Moves past that frame, which no USART receives. There must be one.
  package mutating func finishFrame() { sender.finishFrame() }

  /// When the next byte arrives, or the earliest it could; nil if the line is empty.
  package var nextDeadline: Instant? {
    if let deadline = receiver.nextDeadline { return deadline }
    guard let frame = sender.frame else { return nil }
    if frame.baud == receiver.baud { return frame.end }
    var copy = receiver
    copy.append(frame)
    return copy.nextDeadline
  }

  /// Returns the next byte that arrives by `end`. Everything that begins by then must have been
  /// sent.
  @inline(__always)
  package mutating func next(by end: Instant) -> (byte: UInt8, end: Instant)? {
    if receiver.isIdle, let arrival = sender.finishFrame(at: receiver.baud, by: end) {
      return arrival
    }
    return sampled(by: end)
  }

  @inline(never)
  private mutating func sampled(by end: Instant) -> (byte: UInt8, end: Instant)? {
    while let frame = sender.frame, frame.start <= end {
      // A decision made before the frame begins must not depend on how time is divided into steps.
      if !receiver.isIdle, let arrival = receiver.next(by: frame.start) { return arrival }
      if receiver.isIdle && frame.baud == receiver.baud {
        guard frame.end <= end else { return nil }
        sender.finishFrame()
        return (frame.byte, frame.end)
      }
      receiver.append(frame)
      sender.finishFrame()
    }
    return receiver.next(by: end)
  }
}
