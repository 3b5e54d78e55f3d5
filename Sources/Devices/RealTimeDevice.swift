package import Turret

/// A device that a live session can use. The defaults are those of a device in virtual time, which
/// is never late and has no descriptor.
package protocol RealTimeDevice: Device {
  /// The moment of its time 0; nil: when the session begins.
  var origin: HostTime? { get }
  /// How long it takes from a restart until its sketch runs.
  var bootTime: Interval { get }
  /// For `poll`: readable when the board has sent something.
  var descriptor: CInt? { get }
  /// How long it can be left alone if nothing comes in; nil: until `nextDeadline`.
  var patience: Interval? { get }
  /// How many bytes the port has not passed on; in virtual time, those that have not arrived.
  var untakenCount: Int { get }
  /// How many of them wait in front of the line.
  var backlogCount: Int { get }

  /// Takes bytes that another reader has read from its descriptor; an empty array means that there
  /// is no other reader any more.
  mutating func arrived(_ bytes: [UInt8])
  /// Returns the board's bytes since the last call, before they are put out as outputs. They are
  /// kept from the first call on. Nil if outputs are never late.
  mutating func takeForSender() -> [UInt8]?
  /// Sets whether transmitted bytes are put out, which at megabytes a second is most of the work.
  /// When switched on again, nothing from before `instant` comes out. On at first.
  mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant)
}

extension RealTimeDevice {
  package var origin: HostTime? { nil }
  package var bootTime: Interval { .zero }
  package var descriptor: CInt? { nil }
  package var patience: Interval? { nil }
  package var untakenCount: Int { onTheWayCount }
  package var backlogCount: Int { onTheWayCount }
  package mutating func arrived(_ bytes: [UInt8]) {}
  package mutating func takeForSender() -> [UInt8]? { nil }
  package mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {}
}
