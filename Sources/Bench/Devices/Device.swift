package import Turret

/// Whatever stands at the end of the line: bytes go in, outputs come out, at instants.
///
/// Calls come in order of time. `advance` in two parts is the same as in one.
package protocol Device: Sendable {
  /// The kinds of output that can be observed on it.
  var observes: Set<Output.Kind> { get }
  /// When it does something next if nothing more is sent; nil: never.
  var nextDeadline: Instant? { get }
  /// What it is doing, where that can be known.
  var activity: Activity? { get }
  /// How many bytes wait to be taken, where that can be known.
  var waitingCount: Int? { get }

  /// How many bytes have been sent and have not arrived yet.
  var onTheWayCount: Int { get }

  /// Sends bytes from `instant` on, or from when the line is free.
  mutating func send(_ bytes: [UInt8], at instant: Instant)
  /// The sender's speed for what is sent from here on, bits a second.
  mutating func setSenderBaud(_ baud: Int)
  /// Restarts the board; the bootloader owns the line for `deadTime`.
  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder)
  /// Does what is due up to and including `end`.
  mutating func advance(to end: Instant, into recorder: inout Recorder)
  /// Takes what is still on the line off it: each byte and the end of its stop bit.
  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)]
}
