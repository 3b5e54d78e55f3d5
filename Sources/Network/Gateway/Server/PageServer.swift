package import Logging
import NIOCore

/// A server that serves only web pages.
package struct PageServer {
  private let sockets: ServerSockets
  private let log: Logger

  /// Listens at the endpoint.
  package init(_ pages: PageTable, at endpoint: Endpoint, log: Logger) throws(NetworkError) {
    var configuration = ServerConfiguration()
    configuration.webSocket = [endpoint]
    configuration.pages = pages
    var access = AccessPolicy()
    access.ownHosts = [endpoint.host]
    configuration.authorize(by: access)
    configuration.authorize = { _ in (404, "this server has pages only: see \(pages.start)") }
    sockets = try ServerSockets(configuration, log: log)
    self.log = log
  }

  /// The address of the first page.
  package var address: String {
    let endpoint = sockets.addresses.webSocket[0]
    return "http://\(endpoint)"
  }

  /// Serves until the process ends.
  package func run() throws(NetworkError) {
    try CurrentThreadLoop.run { [sockets, log] loop in
      GatewayServer.start(on: sockets, delegate: NoClients(), loop: loop, log: log)
        .whenFailure { log.error("the server ended: \($0)") }
    }
  }

  /// Only requests for pages are admitted, so there is nothing to do.
  private final class NoClients: ServerDelegate {
    func joined(_ client: any Client) {}
    func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {}
    func receivedAll() {}
    func left(_ client: any Client, _ departure: Departure) {}
    func watcherJoined(_ watcher: any Client) {}
    func dashboardJoined(_ dashboard: any Client) {}
    func watcherLeft(_ watcher: any Client, _ departure: Departure) {}
    func refused(_ status: Int) {}
    func health() -> (json: String, isWell: Bool) { ("{}", true) }
    func metrics() -> String { "" }
    func session() -> (@Sendable () -> [UInt8])? { nil }
  }
}
