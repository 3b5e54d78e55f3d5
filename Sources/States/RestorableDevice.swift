package import Devices
package import Turret

/// A device whose state at an instant can be written to a file, read again, and continued.
package protocol RestorableDevice: RealTimeDevice, Codable {
  /// The device's name in a state file.
  static var kind: String { get }
  /// Called once after the device has been read: time continues at `instant`, and the board's port
  /// runs at `baud` bits a second. Returns false if no such device can be in that state then. Must
  /// not trap, whatever was read.
  ///
  /// Whether pulses are shown is not part of the state.
  mutating func resume(
    _ firmware: Firmware, at instant: Instant, baud: Int, showsPulses: Bool
  ) -> Bool
}
