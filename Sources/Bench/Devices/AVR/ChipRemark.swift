import AVR
import Turret

/// Something about a program that people who run it should know.
struct ChipRemark: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case notEmulated(Notice)
    /// The watchdog restarted the chip.
    case watchdog
  }

  var kind: Kind
  var instant: Instant
}
