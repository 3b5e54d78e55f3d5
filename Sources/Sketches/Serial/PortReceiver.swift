/// The receiver of the port that a sender has open: an Uno's USB chip (an ATmega16U2, whose USART
/// is the same as the board's). It samples what the board sends at the speed and in the format that
/// the sender has set.
///
/// Where both have the same speed and format, the bytes pass unchanged.
package struct PortReceiver: Sendable {
  private var receiver: Receiver
  /// What the board sent in frames from which a byte can still be received.
  private var sent = FIFO<UInt8>()
  private var lineFree = Instant.zero
  /// The time of a byte at the board's speed.
  private var byteTime = Interval.zero
  /// Whether a byte was received that the board did not send, or one was missed, since this was
  /// last set to false.
  package var hasGarbled = false

  /// Creates a receiver at `baud` bits a second.
  package init(baud: Int) { receiver = Receiver(baud: baud) }

  /// Whether two speeds count as the same: they differ by at most 3 %, as those that a chip's clock
  /// can make do from the usual ones.
  package static func isSame(_ speed: Int, as other: Int) -> Bool {
    abs(speed - other) * 100 <= other * 3
  }

  /// When the next byte is available if the board sends nothing more; nil if none is on its way.
  package var nextDeadline: Instant? { receiver.nextDeadline.map { $0 + byteTime } }

  /// Takes the board's bytes. Returns the bytes that are received by `now` at `baud` bits a second,
  /// in a format.
  ///
  /// Each frame is known only when it has ended. So a byte that is sampled from several frames is
  /// returned when nothing can follow that belongs to it, at most one of the board's bytes later.
  package mutating func receive(
    _ bytes: SentBytes, at baud: Int, in format: LineFormat = .standard, by now: Instant
  ) -> [UInt8] {
    let bauds = SerialLine.bauds
    receiver.baud = min(max(baud, bauds.lowerBound), bauds.upperBound)
    receiver.format = format
    if receiver.isIdle,
      bytes.isEmpty
        || Self.isSame(receiver.baud, as: bytes.baud) && bytes.format.received == format.received
    {
      return bytes.bytes
    }
    if !bytes.isEmpty { append(bytes, by: now) }
    var received: [UInt8] = []
    while let byte = receiver.next(by: now - byteTime)?.byte {
      if sent.first != byte { hasGarbled = true }
      if !sent.isEmpty { sent.dropFirst() }
      received.append(byte)
    }
    if receiver.isIdle, !sent.isEmpty {
      hasGarbled = true
      sent.removeAll()
    }
    return received
  }

  private mutating func append(_ bytes: SentBytes, by now: Instant) {
    byteTime = ByteClock.byteTime(baud: bytes.baud, format: bytes.format)
    let count = Int64(bytes.bytes.count)
    for (index, byte) in bytes.bytes.enumerated() {
      let before = Interval(nanoseconds: (count - Int64(index)) * byteTime.nanoseconds)
      let start = max(index < bytes.starts.count ? bytes.starts[index] : now - before, lineFree)
      lineFree = start + byteTime
      sent.append(byte)
      receiver.append(
        ByteFrame(
          byte: byte, baud: bytes.baud, format: bytes.format, start: start, end: lineFree))
    }
  }
}

/// Bytes that the board has sent, whose stop bits have ended.
package struct SentBytes: Hashable, Sendable {
  package var bytes: [UInt8]
  /// When each of them began; empty if all that is known is that they have just arrived.
  package var starts: [Instant]
  /// The speed at which they were sent, in bits a second.
  package var baud: Int
  package var format: LineFormat

  package init(
    _ bytes: [UInt8] = [], starts: [Instant] = [], baud: Int, format: LineFormat = .standard
  ) {
    self.bytes = bytes
    self.starts = starts
    self.baud = baud
    self.format = format
  }

  package var isEmpty: Bool { bytes.isEmpty }
}
