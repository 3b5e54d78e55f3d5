package import NIOCore
package import Sketches

#if TLS
  import NIOSSL
  import Platform

  /// Encrypts connections. No other type exposes BoringSSL to the rest of the program. A program
  /// built without the package trait TLS has the one below in its place.
  package struct TLSLayer: Sendable {
    package static let isBuiltIn = true

    private let context: NIOSSLContext
    /// Present and imminent problems with the server's own certificates.
    package let warnings: [String]

    /// For a server.
    /// - Throws: `noInput` or `malformed`, naming the file.
    package static func serving(
      _ files: TLSFiles, closeTime: Interval
    ) throws(NetworkError) -> TLSLayer {
      let context = try files.makeContext(closeTime: closeTime)
      return TLSLayer(context: context, warnings: files.warnings(at: .now))
    }

    /// For a client.
    /// - Parameter authorities: a PEM file with the certificates to trust; nil for those of this
    ///   computer.
    /// - Throws: `noInput` or `malformed`, naming the file.
    package static func trusting(
      authorities: String?, closeTime: Interval
    ) throws(NetworkError) -> TLSLayer {
      var configuration = TLSConfiguration.makeClientConfiguration()
      if let authorities {
        configuration.trustRoots = .certificates(try TLSFiles.certificates(in: authorities))
      }
      configuration.restrict(closeTime: closeTime)
      do {
        return TLSLayer(context: try NIOSSLContext(configuration: configuration), warnings: [])
      } catch {
        throw NetworkError(
          .inputOutput, "error: the certificates that this computer trusts cannot be read")
      }
    }

    /// Adds the server's end to a connection that was accepted.
    package func serve(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
      try pipeline.addHandler(NIOSSLServerHandler(context: context))
    }

    /// Adds the client's end to a connection to `host`.
    package func connect(_ pipeline: ChannelPipeline.SynchronousOperations, to host: String) throws
    {
      // An address cannot be sent as a server name, but it is still looked for in the certificate.
      let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
      try pipeline.addHandler(
        NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host))
    }

    /// The client's end in a connection; nil if there is none.
    package static func client(
      in pipeline: ChannelPipeline.SynchronousOperations
    ) -> ChannelHandlerContext? {
      try? pipeline.context(handlerType: NIOSSLClientHandler.self)
    }

    /// The reason why TLS failed, in a few words; nil if the error is not one of TLS.
    package static func reason(for error: any Error) -> String? {
      switch error {
      case NIOSSLError.handshakeFailed(let error): reason(in: "\(error)")
      case NIOSSLError.uncleanShutdown: "it broke the connection"
      case let error as NIOSSLExtraError where error == .failedToValidateHostname:
        "its certificate is for another name"
      case is NIOSSLError, is BoringSSLError: reason(in: "\(error)")
      default: nil
      }
    }

    /// The library gives its reasons only as text.
    private static func reason(in text: String) -> String {
      if text.contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted" }
      if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
        return "it does not speak TLS"
      }
      return "TLS failed: \(text)"
    }
  }

  extension TLSConfiguration {
    /// The cipher suites of TLS 1.2 that are as secure as TLS 1.3: they use a separate key for each
    /// connection, so that a stolen certificate key does not reveal recorded data, and
    /// authenticated encryption.
    private static let forwardSecret: [NIOTLSCipher] = [
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
      .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// The settings common to both ends: TLS 1.2 or later with forward secrecy, HTTP/1.1 for
    /// WebSockets, and `closeTime` for a TLS shutdown.
    mutating func restrict(closeTime: Interval) {
      minimumTLSVersion = .tlsv12
      cipherSuiteValues = Self.forwardSecret
      applicationProtocols = ["http/1.1"]
      shutdownTimeout = .init(closeTime)
    }
  }
#else
  /// Takes the place of encryption in a program built without the package trait TLS. No value of it
  /// can be created, so nothing that should be encrypted can be sent in the clear.
  package struct TLSLayer: Sendable {
    package static let isBuiltIn = false

    private init() {}

    package var warnings: [String] { [] }

    package static func serving(
      _ files: TLSFiles, closeTime: Interval
    ) throws(NetworkError) -> TLSLayer {
      throw .builtWithoutTLS("a certificate")
    }

    package static func trusting(
      authorities: String?, closeTime: Interval
    ) throws(NetworkError) -> TLSLayer {
      throw .builtWithoutTLS("a wss:// target")
    }

    package func serve(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
      throw NetworkError.builtWithoutTLS("a certificate")
    }

    package func connect(_ pipeline: ChannelPipeline.SynchronousOperations, to host: String) throws
    {
      throw NetworkError.builtWithoutTLS("a wss:// target")
    }

    package static func client(
      in pipeline: ChannelPipeline.SynchronousOperations
    ) -> ChannelHandlerContext? { nil }

    package static func reason(for error: any Error) -> String? { nil }
  }
#endif
