/// A receiver at the end of a serial line, which has the sender's side of it.
package protocol OnSerialLine {
  var line: SerialLine { get set }
}

extension OnSerialLine {
  /// The number of bytes sent that have not arrived yet.
  package var onTheWayCount: Int { line.count }

  /// Sends bytes, starting at `instant` or when the line becomes free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    line.send(bytes, at: instant)
  }

  /// Sets the sender's speed, in bits a second, for bytes sent from now on.
  package mutating func setSenderBaud(_ baud: Int) { line.senderBaud = baud }

  /// Sets the sender's format for bytes sent from now on.
  package mutating func setSenderFormat(_ format: LineFormat) { line.senderFormat = format }

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
