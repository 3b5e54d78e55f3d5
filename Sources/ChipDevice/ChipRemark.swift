import AVR
import Turret

/// A remark about a program that its user should see.
struct ChipRemark: Hashable, Sendable, Savable {
  enum Kind: Hashable, Sendable, Savable {
    case notEmulated(Notice)
    /// No device on the two-wire bus has this address; nil for more addresses than are named.
    case silentDevice(UInt8?)
    /// USART0's receiver is off, and these pins look like those of a receiver by software.
    case nothingListens([String])
    /// The program sends bytes on this pin by software.
    case sendsOn(String)
    /// The program loops or sleeps at a byte address with interrupts off, and can never continue.
    case stuck(at: UInt16, isAsleep: Bool)
    /// The watchdog restarted the chip.
    case watchdog
    /// Stores of a servo's width cannot be observed: no timer drives it, and the servo library's
    /// table does not exist. Only of a program that has a servo, as its pulses or another library's
    /// table show.
    case hidesServo
    /// The only servo is on this pin, not on the session's own.
    case servoElsewhere(String)
    /// The range of a servo is not known, so that another one is assumed for its angles.
    case assumesRange
    /// The servo on this pin was detached in the middle of a pulse.
    case leftHigh(String)
  }

  var kind: Kind
  var instant: Instant
}
