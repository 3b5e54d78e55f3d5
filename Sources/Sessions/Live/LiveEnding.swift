import Devices

/// Why a live session ended.
enum LiveEnding: Hashable {
  case signal(CInt)
  /// The time that was asked for is over.
  case time
  /// The command after `--` has ended, and what it sent has been seen to.
  case command
  /// The device does not work any more.
  case fault(DeviceError)
}
