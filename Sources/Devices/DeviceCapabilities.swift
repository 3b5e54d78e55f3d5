package import Traces
package import Turret

/// What a device can do. Constant while the device exists, so that no caller needs to know which
/// device it has.
package struct DeviceCapabilities: Hashable, Sendable {
  /// The kinds of output that can be observed on it.
  package var observes: Set<Output.Kind>
  /// Whether it reports the fate of each byte that its sketch took.
  package var reportsFates: Bool
  /// Whether it can record the level of each wire, and not only its outputs.
  package var showsWires = false
  /// Whether levels and voltages can be applied to its pins.
  package var takesInputs = false
  /// The pin of the servo whose events name none.
  package var ownServo = BoardPin.usualServo
  /// The pins whose levels were requested one by one.
  package var selectedPins: Set<BoardPin> = []
  /// Whether it can have other servos, whose events name their pins.
  package var hasOtherServos = false
  /// Whether a copy of it is a snapshot from which a session can continue.
  package var canRewind: Bool
  /// The clock that stamps its outputs: `device` in virtual time, `host` in real time.
  package var clock: Header.Clock
  /// How a session on it begins: `unknown` if the board cannot be restarted.
  package var start: Header.Start
  /// How long after an instant its outputs can still appear.
  package var lag: Interval

  /// The capabilities of a device in virtual time.
  package static func virtual(
    observing observes: Set<Output.Kind>, reportsFates: Bool, lag: Interval = .zero
  ) -> DeviceCapabilities {
    DeviceCapabilities(
      observes: observes, reportsFates: reportsFates, canRewind: true, clock: .device,
      start: .reset, lag: lag)
  }

  /// The capabilities of a device in real time, whose outputs the computer stamps.
  package static func realTime(
    observing observes: Set<Output.Kind>, start: Header.Start, lag: Interval
  ) -> DeviceCapabilities {
    DeviceCapabilities(
      observes: observes, reportsFates: false, canRewind: false, clock: .host, start: start,
      lag: lag)
  }
}
