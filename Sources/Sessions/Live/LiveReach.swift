import Gateway

/// Where a live session can be reached.
struct LiveReach {
  /// The pty's stable path; nil: there is none.
  var port: String?
  var addresses: ListeningAddresses
  var hasTLS: Bool

  var webSocketURLs: [String] {
    addresses.webSocket.map { "\(hasTLS ? "wss" : "ws")://\($0)/" }
  }
  var tcpURLs: [String] { addresses.tcp.map { "tcp://\($0)" } }

  /// What a command that is run against the bench finds in its environment.
  var environment: [(name: String, value: String)] {
    var variables: [(name: String, value: String)] = []
    if let port { variables.append(("SENTRY_PORT", port)) }
    if let url = webSocketURLs.first { variables.append(("SENTRY_WEBSOCKET", url)) }
    if let address = addresses.tcp.first { variables.append(("SENTRY_TCP", "\(address)")) }
    return variables
  }
}
