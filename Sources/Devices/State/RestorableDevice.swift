package import Turret

/// A device that is a value: what it is at an instant can be written down, read again, and goes on.
package protocol RestorableDevice: Device, Codable {
  /// The word in a state's file.
  static var kind: String { get }
  /// Called once after it was read: time goes on at `instant`, the board's port is at `baud` bits a
  /// second. False: what was read is no such device as it could be then; it must not trap whatever
  /// was read.
  ///
  /// What is asked to be seen of it (`showsPulses`) is no part of its state.
  mutating func resume(
    _ firmware: Firmware, at instant: Instant, baud: Int, showsPulses: Bool
  ) -> Bool
}
