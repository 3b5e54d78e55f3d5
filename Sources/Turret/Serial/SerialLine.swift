/// The cable between a sender and the board: ten bit times a byte, bytes queue behind each other.
///
/// A byte arrives when its stop bit ends. Where the two ends run at different speeds, what arrives
/// is what the board's USART samples.
package struct SerialLine: Hashable, Sendable, Savable {
  /// The speeds a line can have, bits a second: up to what a USART at 16 MHz can do.
  package static let bauds = 1...2_000_000

  private var sender: Sender
  private var receiver: Receiver

  /// A line to a board that listens at `baud` bits a second; the sender begins with the same speed.
  package init(baud: Int) {
    sender = Sender(baud: baud)
    receiver = Receiver(baud: baud)
  }

  /// Whether a line to a board at `baud` can be like this: one that was read from a file may not.
  package func isPossible(baud: Int) -> Bool {
    receiver.baud == baud && sender.isPossible && receiver.isPossible
  }

  /// The sender's speed for what is sent from here on, bits a second.
  package var senderBaud: Int {
    get { sender.baud }
    set { sender.baud = newValue }
  }

  /// The speed the board samples at from here on, bits a second.
  package var receiverBaud: Int {
    get { receiver.baud }
    set { receiver.baud = newValue }
  }

  /// Sends bytes from `instant` on, or from when the line is free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    sender.send(bytes, at: instant)
  }

  /// How many bytes are on the line or queue for it.
  package var count: Int { sender.count + receiver.count }

  /// When the next byte arrives, or at the earliest could; nil when nothing is on the line.
  package var nextDeadline: Instant? {
    if let deadline = receiver.nextDeadline { return deadline }
    guard let frame = sender.frame else { return nil }
    if frame.baud == receiver.baud { return frame.end }
    var copy = receiver
    copy.append(frame)
    return copy.nextDeadline
  }

  /// The next byte that arrives by `end`. All that begins by then must have been sent.
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
      // What is decided before the frame begins must not depend on how time is cut into pieces.
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
