import Engine
package import Network

/// Records the calls of a server, one line each.
package final class RecordingDelegate: ServerDelegate {
  /// The recorded lines, which can be read from any thread.
  package let told = Told()
  /// Called on the loop for a client that joins, and for one that has sent something.
  package var whenJoined: (any Client) -> Void = { _ in }
  package var whenReceived: (any Client) -> Void = { _ in }
  package private(set) var clients: [any Client] = []
  package var isWell = true

  private func tell(_ line: String) { told.add(line) }

  package func joined(_ client: any Client) {
    clients.append(client)
    tell("joined \(client.id) \(client.transport.rawValue)")
    whenJoined(client)
  }

  package func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    tell("\(client.id) \(kind) \(String(decoding: bytes, as: UTF8.self))")
    whenReceived(client)
  }

  package func receivedAll() { tell("all") }

  package func left(_ client: any Client, _ departure: Departure) {
    clients.removeAll { $0.id == client.id }
    tell("left \(client.id) \(departure)")
  }

  package func watcherJoined(_ watcher: any Client) {
    clients.append(watcher)
    tell("watching \(watcher.id)")
    whenJoined(watcher)
  }

  package func dashboardJoined(_ dashboard: any Client) {
    clients.append(dashboard)
    tell("showing \(dashboard.id)")
    whenJoined(dashboard)
  }

  package func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    clients.removeAll { $0.id == watcher.id }
    tell("watched \(watcher.id) \(departure)")
  }

  package func refused(_ status: Int) { tell("refused \(status)") }
  package func health() -> (json: String, isWell: Bool) { ("{\"ok\": \(isWell)}", isWell) }
  package func metrics() -> String { "a 1\n" }
  /// The answer to `/session.jsonl`.
  package var makeTrace: @Sendable () -> [UInt8] = { Array("{}\n".utf8) }
  package func session() -> (@Sendable () -> [UInt8])? { isWell ? makeTrace : nil }
}
