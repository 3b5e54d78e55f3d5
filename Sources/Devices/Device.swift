package import Turret

/// The receiver at the end of the serial line. Takes bytes and produces outputs, each at an
/// instant.
///
/// Calls are made in order of time. Advancing in two parts is the same as in one. In virtual time
/// `advance` takes no time, and everything up to its end has been put out when it returns. In real
/// time it waits for its end, and what happened during the last `capabilities.lag` comes with a
/// later call. Either way outputs come in order of time.
package protocol Device: Sendable {
  var capabilities: DeviceCapabilities { get }
  /// When it does something next if nothing more is sent; nil: never.
  var nextDeadline: Instant? { get }
  /// How many bytes have been sent and have not arrived yet.
  var onTheWayCount: Int { get }
  /// What the sketch is doing; nil if that cannot be known.
  var activity: Activity? { get }
  /// How many bytes wait in the ring; nil if that cannot be known.
  var waitingCount: Int? { get }
  /// Why it no longer works; from then on it puts out nothing and has no deadline.
  var fault: DeviceError? { get }
  /// What a person should know about the program that runs on it, once each, in the order in which
  /// it was noticed.
  var remarks: [String] { get }

  /// Sends bytes from `instant` on, or from when the line is free.
  mutating func send(_ bytes: [UInt8], at instant: Instant)
  /// Sets the sender's speed for what is sent from here on, bits a second.
  mutating func setSenderBaud(_ baud: Int)
  /// Restarts the board; the bootloader owns the line for `deadTime`.
  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder)
  /// Does what is due up to and including `end`.
  mutating func advance(to end: Instant, into recorder: inout Recorder)
  /// Removes what is still on the line: each byte and the end of its stop bit.
  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)]
}

extension Device {
  package var activity: Activity? { nil }
  package var waitingCount: Int? { nil }
  package var fault: DeviceError? { nil }
  package var remarks: [String] { [] }
}
