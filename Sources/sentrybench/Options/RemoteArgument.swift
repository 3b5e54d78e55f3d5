import Engine
import Networking
import RemotePorts
import Sessions

/// A board on an RFC 2217 server, as the command line names it: `rfc2217://HOST:PORT`.
enum RemoteArgument {
  private static let scheme = "rfc2217:"

  static func isRemote(_ text: String) -> Bool { text.hasPrefix(scheme) }

  /// Returns the board's place; nil if the text is not an address of this kind.
  static func place(_ text: String) throws(Failure) -> RemotePlace? {
    guard isRemote(text) else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard rest.hasPrefix("//"), let endpoint = Endpoint(String(rest.dropFirst(2))),
      endpoint.port > 0
    else {
      throw Failure(
        .usage,
        "error: \"\(text)\" is not the address of a port; expected rfc2217://HOST:PORT, for "
          + "example rfc2217://127.0.0.1:2217")
    }
    return RemotePlace(endpoint)
  }
}
