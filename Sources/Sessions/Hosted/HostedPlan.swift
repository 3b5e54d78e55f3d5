package import Devices
package import Turret

/// The configuration of a session for a client in the same process.
package struct HostedPlan: Sendable {
  /// For code that has another type of the name `Firmware`.
  package typealias Sketch = Firmware

  /// The title of the session's trace and picture; nil for none.
  package var title: String?
  package var source: any DeviceSource
  package var sketch: SessionSketch
  /// The commands that the network accepts; nil for those of the sketch.
  package var profile: ProfileChoice?
  /// The board's speed in bits a second.
  package var baud = 9_600
  /// How long the bootloader owns the line when a sender opens the port; nil if opening does not
  /// reset the board.
  package var resetOnOpen: Interval?
  package var showsPulses = false
  /// Whether a device in virtual time starts up at once, not in real time.
  package var skipsStartUp = true

  package init(source: any DeviceSource, sketch: SessionSketch) {
    self.source = source
    self.sketch = sketch
  }
}
