/// A wire between the board and what is connected to it.
package enum BoardWire: Int, Hashable, Sendable, CaseIterable {
  /// Serial data to the board.
  case rx
  /// Serial data from the board.
  case tx
  /// The servo's signal.
  case servo
  /// The buzzer's signal.
  case tone

  /// Its level while nothing happens: a serial line is high, the servo and the buzzer are low.
  package var isHighAtRest: Bool { self == .rx || self == .tx }
}
