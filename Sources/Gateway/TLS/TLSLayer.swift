#if TLS
  import NIOCore
  import NIOSSL
  import Turret

  /// Encryption of connections: the only place that hands BoringSSL to the rest. A program that is
  /// built without the package trait TLS has `TLSLayer+Missing.swift` in its place.
  package struct TLSLayer: Sendable {
    package static let isBuiltIn = true

    private let context: NIOSSLContext
    /// What is wrong with the server's own certificates, or soon will be.
    let warnings: [String]

    /// For a server.
    /// - Throws: `noInput` or `malformed`, naming the file.
    static func serving(
      _ files: TLSFiles, closeTime: Interval
    ) throws(GatewayError) -> TLSLayer {
      let context = try files.makeContext(closeTime: closeTime)
      return TLSLayer(context: context, warnings: files.warnings(at: .now))
    }

    /// For a client.
    /// - Parameter authorities: a PEM file with the certificates to trust; nil: those of this computer.
    /// - Throws: `noInput` or `malformed`, naming the file.
    static func trusting(
      authorities: String?, closeTime: Interval
    ) throws(GatewayError) -> TLSLayer {
      let context = try TLSTrust.makeContext(authorities: authorities, closeTime: closeTime)
      return TLSLayer(context: context, warnings: [])
    }

    /// Adds the server's end to a connection that was accepted.
    func serve(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
      try pipeline.addHandler(NIOSSLServerHandler(context: context))
    }

    /// Adds the client's end to a connection to `host`.
    func connect(_ pipeline: ChannelPipeline.SynchronousOperations, to host: String) throws {
      // An address is no name that can be asked for; it is looked for in the certificate all the same.
      let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
      try pipeline.addHandler(
        NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host))
    }

    /// The client's end in a connection; nil where there is none.
    static func client(
      in pipeline: ChannelPipeline.SynchronousOperations
    ) -> ChannelHandlerContext? {
      try? pipeline.context(handlerType: NIOSSLClientHandler.self)
    }

    /// Why TLS failed, in a few words; nil where the error is not of TLS.
    static func words(for error: any Error) -> String? {
      switch error {
      case NIOSSLError.handshakeFailed(let error): words(in: "\(error)")
      case NIOSSLError.uncleanShutdown: "it broke off"
      case let error as NIOSSLExtraError where error == .failedToValidateHostname:
        "its certificate is for another name"
      case is NIOSSLError, is BoringSSLError: words(in: "\(error)")
      default: nil
      }
    }

    /// The library tells its reasons in text only.
    private static func words(in text: String) -> String {
      if text.contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted" }
      if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
        return "it does not speak TLS"
      }
      return "TLS failed: \(text)"
    }
  }
#endif
