/// The pins whose levels a session records.
package enum PinSelection: Hashable, Sendable {
  /// Every pin that the sketch drives, except those of servos and of the serial port.
  case all
  case some(Set<BoardPin>)
}
