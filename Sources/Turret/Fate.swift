/// What became of one byte that was sent to the board. The raw value is what `explain` prints.
package enum Fate: String, Hashable, Sendable, CaseIterable {
  /// Taken as a command letter.
  case letter
  /// Part of a number.
  case digit
  /// The `.` that ended a number.
  case terminator
  /// Any other byte that ended a number and was lost with it.
  case swallowed
  /// 0xFF inside a number.
  case skipped
  /// An unknown byte, taken on its own.
  case junk
  /// Discarded by a purge.
  case purged
  /// Part of a number that was abandoned.
  case abandoned
  /// Lost before the sketch took it: 63 bytes were waiting.
  case ringFull = "ring-full"
  /// Lost before the sketch took it: the UART was full.
  case uartOverrun = "uart-overrun"
  /// Lost before the sketch took it: the bootloader owned the line, or the program's UART was
  /// off or stopped or took only addresses.
  case booting
  /// Discarded from the ring when the board restarted.
  case cleared
  /// Still waiting at the end.
  case waiting
  /// Taken by a program about which nothing else is known.
  case taken
  /// Arrived at a board that does not show whether its program took it.
  case arrived

  package init(_ loss: Output.Loss) {
    switch loss {
    case .ringFull: self = .ringFull
    case .uartOverrun: self = .uartOverrun
    case .booting: self = .booting
    }
  }
}
