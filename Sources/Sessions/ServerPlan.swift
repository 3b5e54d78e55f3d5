import Engine
package import Logging
package import Network

/// A server as a command line describes it.
package struct ServerPlan {
  /// The addresses, as `HOST:PORT`.
  private let webSocket: [String]
  private let tcp: [String]
  package var limits = Limits()
  /// The address of the detector; nil for none.
  package var detector: String?
  package var allowsRemoteDetector = false
  /// The files of the certificate and its key; nil for no TLS.
  package var certificate: String?
  package var key: String?
  /// Whether the server uses a certificate that it signs itself.
  package var signsItself = false
  package var tokenFile: String?
  package var allowsAnonymous = false
  package var allowedOrigins: [String] = []

  package init(webSocket: [String], tcp: [String]) {
    self.webSocket = webSocket
    self.tcp = tcp
  }

  /// Checks everything and returns the server's configuration. Important warnings are written to
  /// the log.
  package func configuration(log: Logger) throws(Failure) -> ServerConfiguration {
    var server = ServerConfiguration()
    server.webSocket = try Self.endpoints(webSocket)
    server.tcp = try Self.endpoints(tcp)
    server.limits = limits
    if let detector {
      do throws(NetworkError) {
        server.detector = try DetectorPlan(detector, allowsRemote: allowsRemoteDetector)
      } catch {
        throw Failure(error)
      }
      if let warning = server.detector?.warning { log.warning("\(warning)") }
    }
    if let certificate, let key {
      try Outputs.spare([certificate, key])
      // Checked before anything is opened or recorded.
      guard TLSLayer.isBuiltIn else { throw Failure(.builtWithoutTLS("--tls-cert")) }
      server.tls = TLSFiles(certificates: certificate, key: key)
    }
    if signsItself, !TLSLayer.isBuiltIn { throw Failure(.builtWithoutTLS("--tls-self-signed")) }
    var access = AccessPolicy()
    access.allowsAnonymous = allowsAnonymous
    access.allowedOrigins = allowedOrigins
    access.ownHosts = server.webSocket.map(\.host)
    access.localName = LocalName.ofThisComputer
    access.isTLS = server.tls != nil || signsItself
    var warnings: [String] = []
    do throws(NetworkError) {
      if let tokenFile {
        let file = try TokenFile.read(path: tokenFile)
        access.tokens = file.tokens
        warnings += file.warnings
      }
      for endpoint in server.webSocket {
        warnings += try access.check(listening: endpoint, transport: .webSocket)
      }
      for endpoint in server.tcp {
        warnings += try access.check(listening: endpoint, transport: .tcp)
      }
    } catch {
      throw Failure(error)
    }
    var reported: Set<String> = []
    for warning in warnings where reported.insert(warning).inserted { log.warning("\(warning)") }
    for endpoint in server.tcp {
      if let note = access.note(listening: endpoint, transport: .tcp) { log.notice("\(note)") }
    }
    server.authorize(by: access)
    if signsItself { try signItself(&server, token: access.tokens.first) }
    return server
  }

  private func signItself(_ server: inout ServerConfiguration, token: Token?) throws(Failure) {
    let names = CertificateNames.ofThisComputer(listeningOn: server.webSocket.map(\.host))
    let own = try OwnCertificate.make(for: names)
    server.tls = own.files
    server.invitation = PhoneInvitation(
      fingerprint: own.fingerprint, names: names, token: token)
  }

  private static func endpoints(_ texts: [String]) throws(Failure) -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for text in texts {
      guard let endpoint = Endpoint(text) else {
        throw Failure(
          .usage,
          "error: \"\(text)\" is not an address to listen on; expected HOST:PORT, for example "
            + "127.0.0.1:12354 or [::1]:12354")
      }
      endpoints.append(endpoint)
    }
    return endpoints
  }
}
