package import Logging

/// The sockets on which a gateway listens before it accepts connections.
package final class ServerSockets {
  let configuration: ServerConfiguration
  let tls: TLSLayer?
  let webSocket: [ListeningSocket]
  let tcp: [ListeningSocket]

  /// Listens on all endpoints of the configuration, or on none.
  ///
  /// - Throws: `unavailable` for an address that is not available, `noInput` or `malformed` for a
  ///   file.
  package init(_ configuration: ServerConfiguration, log: Logger) throws(NetworkError) {
    self.configuration = configuration
    tls = try configuration.tls.map { (files) throws(NetworkError) in
      try TLSLayer.serving(files, closeTime: configuration.limits.closeTime)
    }
    for warning in tls?.warnings ?? [] { log.warning("\(warning)") }
    webSocket = try ListeningSocket.open(configuration.webSocket)
    tcp = try ListeningSocket.open(configuration.tcp)
  }

  package var addresses: ListeningAddresses {
    ListeningAddresses(webSocket: Self.endpoints(webSocket), tcp: Self.endpoints(tcp))
  }

  private static func endpoints(_ sockets: [ListeningSocket]) -> [Endpoint] {
    sockets.map { Endpoint($0.address.endpoint) ?? Endpoint(host: "?", port: 0) }
  }
}
