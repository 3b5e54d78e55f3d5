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
