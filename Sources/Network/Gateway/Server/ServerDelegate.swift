/// Receives the clients that the server admits, and answers its status requests. All calls are made
/// on the event loop.
package protocol ServerDelegate: AnyObject {
  /// Called for a client that can send commands.
  func joined(_ client: any Client)
  /// Called for a message from a client or a dashboard; over TCP, for some bytes.
  func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client)
  /// Called when all received data has been passed on.
  func receivedAll()
  func left(_ client: any Client, _ departure: Departure)

  /// Called for a client of `/events`, which receives events and sends nothing.
  func watcherJoined(_ watcher: any Client)
  /// Called for a dashboard, which receives messages and sends inputs of the board. `watcherLeft`
  /// follows, as for a client of `/events`.
  func dashboardJoined(_ dashboard: any Client)
  func watcherLeft(_ watcher: any Client, _ departure: Departure)

  /// Called when a request or a client was refused, with this HTTP status.
  func refused(_ status: Int)
  /// The answer to `/health`: a JSON object, and whether the gateway is healthy.
  func health() -> (json: String, isWell: Bool)
  /// The answer to `/metrics`, in Prometheus' text format.
  func metrics() -> String
  /// Makes the answer to `/session.jsonl`, on any thread: the last minutes as a trace; nil if they
  /// are not kept.
  func session() -> (@Sendable () -> [UInt8])?
}

/// How a client's connection ended.
package enum Departure: Hashable, Sendable {
  /// The client closed it, or it broke.
  case closed
  /// The client did not answer a ping.
  case silent
  /// This end closed it.
  case dismissed(Closing)
}

extension Departure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closed: "closed"
    case .silent: "did not answer a ping"
    case .dismissed(let closing): closing.reason
    }
  }
}

/// Returns every message to its sender. Passes status requests to another delegate.
final class EchoDelegate: ServerDelegate {
  private let inner: any ServerDelegate

  init(_ inner: any ServerDelegate) { self.inner = inner }

  func joined(_ client: any Client) {}
  func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    client.send(bytes, as: kind)
  }
  func receivedAll() {}
  func left(_ client: any Client, _ departure: Departure) {}

  func watcherJoined(_ watcher: any Client) { inner.watcherJoined(watcher) }
  func dashboardJoined(_ dashboard: any Client) { inner.dashboardJoined(dashboard) }
  func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    inner.watcherLeft(watcher, departure)
  }
  func refused(_ status: Int) { inner.refused(status) }
  func health() -> (json: String, isWell: Bool) { inner.health() }
  func metrics() -> String { inner.metrics() }
  func session() -> (@Sendable () -> [UInt8])? { inner.session() }
}
