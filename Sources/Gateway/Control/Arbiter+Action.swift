import Networking
import TurretProtocol

extension Arbiter {
  /// An action for a client, or a remark for the log.
  enum Action: Hashable, Sendable {
    case tell(ClientMessage, ClientID)
    /// Send these bytes from the board to this client, in this kind of message.
    case reply([UInt8], MessageKind, ClientID)
    /// Read nothing more from this client for now.
    case hold(ClientID)
    /// Resume reading from all clients that were held.
    case letGo
    case remark(Remark)
  }
}
