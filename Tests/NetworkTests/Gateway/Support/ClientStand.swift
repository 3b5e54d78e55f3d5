import Engine
import Logging
import NIOEmbedded
import Network
import NetworkTestSupport
import Sketches

/// The clients of a session whose bench has no board.
final class ClientStand {
  let loop = EmbeddedEventLoop()
  let clients: NetworkClients
  let bench: ArbiterBench

  init(
    raw: Bool = false, control: ControlPolicy = .first, onDisconnect: DisconnectAction = .hold
  ) {
    var settings = ArbiterSettings(firmware: .guarded, baud: 9_600)
    settings.isRaw = raw
    settings.control = control
    settings.onDisconnect = onDisconnect
    clients = NetworkClients(
      settings, watchers: Broadcaster(on: loop),
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    bench = ArbiterBench(clients, settings)
  }

  func join(_ number: Int, _ transport: Transport = .webSocket) -> RecordingClient {
    let client = RecordingClient(number, transport)
    clients.joined(client)
    return client
  }

  func send(_ text: String, from client: RecordingClient, as kind: MessageKind = .text) {
    clients.received(Array(text.utf8), as: kind, from: client)
    clients.receivedAll()
  }
}
