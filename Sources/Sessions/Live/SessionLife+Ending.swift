import Devices
import Turret

extension SessionLife {
  /// Why a session ended.
  enum Ending: Hashable, Sendable {
    case signal(CInt)
    /// The view's key that ends the session, or a client of --api.
    case key
    /// The requested time is over.
    case time
    /// The command after `--` has ended, and what it sent has been carried out.
    case command
    /// The command after `--` has taken longer than this, its limit.
    case commandTimeout(Interval)
    /// The device no longer works.
    case fault(DeviceError)
  }
}
