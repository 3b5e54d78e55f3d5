package import Network
import Sketches

/// A board behind an RFC 2217 server at an address.
package struct RemotePlace: BoardPlace {
  private let endpoint: Endpoint

  package init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  package var name: String { "rfc2217" }

  /// A server can be started later.
  package var canAppear: Bool { true }

  /// Checks nothing, because a connection would restart the board.
  package func check() {}

  package func open(speed: Int, keepsLines: Bool) throws(SerialError) -> any BoardPort {
    try RemoteBoardPort(endpoint, speed: speed)
  }

  /// Waits only briefly for an answer, because the session waits meanwhile and will try again.
  package func reopen(speed: Int, keepsLines: Bool) throws(SerialError) -> (any BoardPort)? {
    try RemoteBoardPort(endpoint, speed: speed, connectingWithin: .milliseconds(300))
  }
}
