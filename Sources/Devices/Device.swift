package import Traces
package import Turret

/// Whatever stands at the end of the line: bytes go in, outputs come out, at instants.
///
/// Calls come in order of time. `advance` in two parts is the same as in one.
///
/// In virtual time `advance` takes no time and all that happens up to its end has been put out when
/// it returns. A board on a wire lives in real time: there `advance` waits until its end has come,
/// and what happened during the last `lag` before it comes with a later call. Either way outputs
/// come in order of time.
package protocol Device: Sendable {
  /// The kinds of output that can be observed on it.
  var observes: Set<Output.Kind> { get }
  /// When it does something next if nothing more is sent; nil: never.
  var nextDeadline: Instant? { get }
  /// What it is doing, where that can be known.
  var activity: Activity? { get }
  /// How many bytes wait to be taken, where that can be known.
  var waitingCount: Int? { get }
  /// Whether it says what became of each byte that its sketch took.
  var tellsFates: Bool { get }
  /// What people should know about the program that runs on it, once each, in the order it was
  /// noticed.
  var remarks: [String] { get }

  /// How many bytes have been sent and have not arrived yet.
  var onTheWayCount: Int { get }

  /// How many of them the port has not passed on, as it says itself; in virtual time those that
  /// have not arrived.
  var untakenCount: Int { get }

  /// How many of them wait before the line; less than those that have not arrived.
  var backlogCount: Int { get }

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

  // What only a device in real time says of itself; the defaults are those of virtual time.

  /// Who stamps its outputs: `host` says that it lives in real time.
  var clock: Header.Clock { get }
  /// How its session began: `unknown` where it could not be restarted.
  var start: Header.Start { get }
  /// The moment of its time 0; nil in virtual time.
  var origin: HostTime? { get }
  /// How long it takes from a restart until its sketch runs.
  var bootTime: Interval { get }
  /// How long after an instant outputs of that instant may still come.
  var lag: Interval { get }
  /// For `poll`: readable when it has something to say; nil in virtual time.
  var descriptor: CInt? { get }
  /// Bytes that somebody else has read from its descriptor; none: nobody else does any more.
  mutating func arrived(_ bytes: [UInt8])
  /// The bytes for the sender that have come since the last call, before they are put out, kept
  /// from the first call on; nil: what it puts out is not late.
  mutating func takeForSender() -> [UInt8]?
  /// How long it can be left alone if nothing comes in; nil: until `nextDeadline`.
  var patience: Interval? { get }
  /// Whether anybody looks at what it transmits. While nobody does it need not put it out, which at
  /// megabytes a second is most of the work; once somebody does again, nothing comes out from
  /// before `instant`. At first somebody does.
  mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant)
  /// Why it does not work any more; from then on it puts out nothing and nothing waits.
  var fault: DeviceError? { get }
}

extension Device {
  package var tellsFates: Bool { true }
  package var remarks: [String] { [] }
  package var clock: Header.Clock { .device }
  package var start: Header.Start { .reset }
  package var origin: HostTime? { nil }
  package var bootTime: Interval { .zero }
  package var lag: Interval { .zero }
  package var descriptor: CInt? { nil }
  package var fault: DeviceError? { nil }
  package var backlogCount: Int { onTheWayCount }
  package var untakenCount: Int { onTheWayCount }
  package mutating func arrived(_ bytes: [UInt8]) {}
  package mutating func takeForSender() -> [UInt8]? { nil }
  package var patience: Interval? { nil }
  package mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {}

  package var isRealTime: Bool { clock == .host }
}
