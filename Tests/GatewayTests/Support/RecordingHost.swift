import Gateway
import NetworkTestSupport
import Networking

/// Writes down what a server tells it, one line each.
final class RecordingHost: Host {
  /// What was told; can be read from any thread.
  let told = Told()
  /// Done, on the loop, with a client that joins, and with one that something came from.
  var whenJoined: (any Client) -> Void = { _ in }
  var whenReceived: (any Client) -> Void = { _ in }
  private(set) var clients: [any Client] = []
  var isWell = true

  private func tell(_ line: String) { told.add(line) }

  func joined(_ client: any Client) {
    clients.append(client)
    tell("joined \(client.id) \(client.transport.rawValue)")
    whenJoined(client)
  }

  func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    tell("\(client.id) \(kind) \(String(decoding: bytes, as: UTF8.self))")
    whenReceived(client)
  }

  func receivedAll() { tell("all") }

  func left(_ client: any Client, _ departure: Departure) {
    clients.removeAll { $0.id == client.id }
    tell("left \(client.id) \(departure)")
  }

  func watcherJoined(_ watcher: any Client) {
    clients.append(watcher)
    tell("watching \(watcher.id)")
    whenJoined(watcher)
  }

  func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    clients.removeAll { $0.id == watcher.id }
    tell("watched \(watcher.id) \(departure)")
  }

  func refused(_ status: Int) { tell("refused \(status)") }
  func health() -> (json: String, isWell: Bool) { ("{\"ok\": \(isWell)}", isWell) }
  func metrics() -> String { "a 1\n" }
}
