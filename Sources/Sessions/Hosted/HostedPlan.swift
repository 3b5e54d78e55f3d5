package import Devices
package import Engine
package import Turret

/// The settings of a session for a client in the same process.
package struct HostedPlan: Sendable {
  /// For code that has another type of the name `Firmware`.
  package typealias Sketch = Firmware

  package let source: any DeviceSource
  package let session: SessionPlan
  /// The commands that the network accepts; nil for those of the sketch.
  package let accepted: ProfileChoice?
  /// How long the bootloader owns the line when a sender opens the port; nil if opening does not
  /// reset the board.
  package var resetOnOpen: Interval?
  /// Whether a device in virtual time starts up at once, not in real time.
  package var skipsStartUp = true

  package init(_ stated: StatedSession, on source: any DeviceSource) {
    self.source = source
    session = SessionPlan(stated, on: source)
    accepted = session.sketch.accepted(stated.profile, on: source)
  }
}
