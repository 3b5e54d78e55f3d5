/// What happened to a byte that was sent to the sketch, in clock cycles.
struct ByteTimes {
  var byte: UInt8
  /// The end of its stop bit.
  var arrival: UInt64
  /// The cycle at which the main loop took it from the ring.
  var taken: UInt64?
  /// The cycle at which its commanded pulse, if any, was in Timer 1's register.
  var servo: UInt64?
  /// The cycle at which all its effects were done and the main loop began again.
  var done: UInt64?

  /// The time from its arrival, in cycles.
  var takenAfter: UInt64? { taken.map { $0 - arrival } }
  var servoAfter: UInt64? { servo.map { $0 - arrival } }
  var doneAfter: UInt64? { done.map { $0 - arrival } }
}
