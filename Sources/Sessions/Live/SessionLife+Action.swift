import Devices
import Turret

extension SessionLife {
  enum Action: Hashable, Sendable {
    /// Start the command after `--`.
    case startCommand
    /// Report and record that the board is disconnected, and drop what waits for it.
    case missBoard(DeviceError)
    /// Look for the board; then report `boardIsBack` or `boardIsStillAway`.
    case lookForBoard
    /// Report that the board is back. It can receive bytes after this time.
    case welcomeBoard(listensAfter: Interval)
    /// Accept nothing more from the network, and send what waits.
    case leave
    /// Report what the board has not taken in time.
    case reportUntaken
    /// End the session at this instant of its own time.
    case end(at: Instant)
  }
}
