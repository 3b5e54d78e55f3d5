import AVR
import Turret

/// Something about a program that people who run it should know.
struct ChipRemark: Hashable, Sendable, Savable {
  enum Kind: Hashable, Sendable, Savable {
    case notEmulated(Notice)
    /// It waits for nothing, with interrupts off, at a byte address.
    case stuck(at: UInt16, isAsleep: Bool)
    /// The watchdog restarted the chip.
    case watchdog
    /// Stores of a width can't be seen: neither does Timer 1 drive the pin, nor is there the servo
    /// library's table.
    case hidesServo
  }

  var kind: Kind
  var instant: Instant
}
