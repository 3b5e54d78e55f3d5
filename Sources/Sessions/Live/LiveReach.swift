import Gateway
import Networking

/// The addresses of a live session.
struct LiveReach {
  /// The pty's stable path; nil if there is no pty.
  var port: String?
  var addresses: ListeningAddresses
  var hasTLS: Bool
  /// Where a browser can show the session.
  var dashboard: [Endpoint] = []
  /// The addresses of the port over TCP.
  var remote: [Endpoint] = []
  /// The path of the socket for requests; nil if there is none.
  var api: String?

  var webSocketURLs: [String] {
    addresses.webSocket.map { "\(hasTLS ? "wss" : "ws")://\($0)/" }
  }
  /// The addresses for a browser.
  var dashboardURLs: [String] {
    dashboard.map { "\(hasTLS ? "https" : "http")://\($0)/" }
  }
  var remoteURLs: [String] { remote.map { "rfc2217://\($0)" } }
  var tcpURLs: [String] { addresses.tcp.map { "tcp://\($0)" } }

  /// The environment of a command that is run against the bench.
  var environment: [(name: String, value: String)] {
    var variables: [(name: String, value: String)] = []
    if let port { variables.append(("SENTRY_PORT", port)) }
    if let url = webSocketURLs.first { variables.append(("SENTRY_WEBSOCKET", url)) }
    if let address = addresses.tcp.first { variables.append(("SENTRY_TCP", "\(address)")) }
    if let url = remoteURLs.first { variables.append(("SENTRY_RFC2217", url)) }
    if let api { variables.append(("SENTRY_API", api)) }
    return variables
  }
}
