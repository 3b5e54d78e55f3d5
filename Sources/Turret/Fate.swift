/// What became of one byte that was sent to the board. The raw value is the word `explain` prints.
package enum Fate: String, Hashable, Sendable, CaseIterable {
  /// Taken as a command.
  case letter
  /// Part of a number.
  case digit
  /// The `.` that ended a number.
  case terminator
  /// Any other byte that ended a number and was lost with it.
  case swallowed
  /// 0xFF inside a number.
  case skipped
  /// Unknown, taken by itself.
  case junk
  /// Thrown away by a purge.
  case purged
  /// A number's byte that came to nothing.
  case abandoned
  /// Lost before the sketch: 63 bytes were waiting.
  case ringFull = "ring-full"
  /// Lost before the sketch: the UART was full.
  case uartOverrun = "uart-overrun"
  /// Lost before the sketch: the bootloader owned the line.
  case booting
  /// In the ring when the board restarted.
  case cleared
  /// Never taken before the end.
  case waiting

  package init(_ loss: Output.Loss) {
    switch loss {
    case .ringFull: self = .ringFull
    case .uartOverrun: self = .uartOverrun
    case .booting: self = .booting
    }
  }
}
