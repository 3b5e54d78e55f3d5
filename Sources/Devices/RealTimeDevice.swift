package import Sketches

/// A device that a live session can use. The defaults are those of a device in virtual time, which
/// is never late and has no descriptor.
package protocol RealTimeDevice: Device {
  /// The moment of its time 0; nil if that is when the session begins.
  var origin: HostTime? { get }
  /// How long it takes from a restart until its sketch runs.
  var bootTime: Interval { get }
  /// For `poll`: readable when the board has sent something.
  var descriptor: CInt? { get }
  /// The same as `nextDeadline`, found in steps of its own time for as long as `hasTime` returns
  /// true after a step. It may then be earlier, when nothing is due.
  func nextDeadline(inStepsOf step: Interval, while hasTime: () -> Bool) -> Instant?
  /// The longest time between calls if no input arrives; nil if until `nextDeadline`.
  var patience: Interval? { get }
  /// The number of bytes that the port has not sent on; in virtual time, those that have not
  /// arrived.
  var untakenCount: Int { get }
  /// The number of these that have not entered the line.
  var backlogCount: Int { get }

  /// The format that the board expects; 8N1 if it is not known.
  var receivingFormat: LineFormat { get }
  /// The format in which the board sends; 8N1 if it is not known.
  var sendingFormat: LineFormat { get }

  /// Takes bytes that another reader has read from its descriptor. An empty array means that there
  /// is no other reader any more.
  mutating func arrived(_ bytes: [UInt8])
  /// The speed at which the board sends, in bits a second; nil if that is the session's.
  var sendingBaud: Int? { get }
  /// Returns the board's bytes since the last call, before they appear as outputs. They are kept
  /// from the first call on. Nil if outputs are never late.
  mutating func takeForSender() -> SentBytes?
  /// Sets whether transmitted bytes become outputs, which at megabytes a second is most of the
  /// work. On at first. When it is switched on again, bytes from before `instant` are left out.
  mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant)
}

extension RealTimeDevice {
  package var origin: HostTime? { nil }
  package var bootTime: Interval { .zero }
  package var descriptor: CInt? { nil }
  package func nextDeadline(inStepsOf step: Interval, while hasTime: () -> Bool) -> Instant? {
    nextDeadline
  }
  package var patience: Interval? { nil }
  package var untakenCount: Int { onTheWayCount }
  package var backlogCount: Int { onTheWayCount }
  package var receivingFormat: LineFormat { .standard }
  package var sendingFormat: LineFormat { .standard }
  package mutating func arrived(_ bytes: [UInt8]) {}
  package var sendingBaud: Int? { nil }
  package mutating func takeForSender() -> SentBytes? { nil }
  package mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {}
}
