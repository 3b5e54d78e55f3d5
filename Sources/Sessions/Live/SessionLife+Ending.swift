import Devices

extension SessionLife {
  /// Why a session ended.
  enum Ending: Hashable, Sendable {
    case signal(CInt)
    /// The time that was asked for is over.
    case time
    /// The command after `--` has ended, and what it sent has been carried out.
    case command
    /// The device does not work any more.
    case fault(DeviceError)
  }
}
