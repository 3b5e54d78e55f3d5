import AVR
import Turret

/// Something about a program that people who run it should know.
struct ChipRemark: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case notEmulated(Notice)
    /// The watchdog restarted the chip.
    case watchdog
    /// Stores of a width can't be seen: neither does Timer 1 drive the pin, nor is there the servo
    /// library's table.
    case hidesServo
  }

  var kind: Kind
  var instant: Instant
}
