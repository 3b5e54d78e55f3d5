/// The state of the connection to the target, as the apps show it.
package enum SenderState: Hashable, Sendable, CustomStringConvertible {
  case connecting
  case connected
  /// With the reason in a few words. The next attempt follows after a while.
  case disconnected(String)

  package var description: String {
    switch self {
    case .connecting: "connecting"
    case .connected: "connected"
    case .disconnected(let why): "disconnected: \(why)"
    }
  }
}
