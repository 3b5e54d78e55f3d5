import AVR
import Turret

/// A remark about a program that its user should see.
struct ChipRemark: Hashable, Sendable, Savable {
  enum Kind: Hashable, Sendable, Savable {
    case notEmulated(Notice)
    /// The program waits for nothing, with interrupts off, at a byte address.
    case stuck(at: UInt16, isAsleep: Bool)
    /// The watchdog restarted the chip.
    case watchdog
    /// Stores of a width cannot be observed: Timer 1 does not drive the pin, and the servo
    /// library's table does not exist.
    case hidesServo
  }

  var kind: Kind
  var instant: Instant
}
