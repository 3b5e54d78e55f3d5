#if !TLS
  import NIOCore
  import Turret

  /// Takes the place of encryption in a program built without the package trait TLS. The type has
  /// no value, so nothing that should be encrypted can be sent in the clear.
  package enum TLSLayer: Sendable {
    package static let isBuiltIn = false

    var warnings: [String] { switch self {} }

    static func serving(
      _ files: TLSFiles, closeTime: Interval
    ) throws(GatewayError) -> TLSLayer {
      throw .builtWithoutTLS("a certificate")
    }

    static func trusting(
      authorities: String?, closeTime: Interval
    ) throws(GatewayError) -> TLSLayer {
      throw .builtWithoutTLS("a wss:// target")
    }

    func serve(_ pipeline: ChannelPipeline.SynchronousOperations) throws { switch self {} }

    func connect(_ pipeline: ChannelPipeline.SynchronousOperations, to host: String) throws {
      switch self {}
    }

    static func client(
      in pipeline: ChannelPipeline.SynchronousOperations
    ) -> ChannelHandlerContext? { nil }

    static func words(for error: any Error) -> String? { nil }
  }
#endif
