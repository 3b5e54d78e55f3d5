/// How it stands with the target, as the apps show it.
package enum SenderState: Hashable, Sendable, CustomStringConvertible {
  case connecting
  case connected
  /// With why, in a few words; it tries again after a while.
  case disconnected(String)

  package var description: String {
    switch self {
    case .connecting: "connecting"
    case .connected: "connected"
    case .disconnected(let why): "disconnected: \(why)"
    }
  }
}
