#if !TLS
  import NIOCore
  import Turret

  /// The same in a program that is built without the package trait TLS: it has no value, so that
  /// nothing can be encrypted by mistake, and nothing that was to be encrypted goes out in the clear.
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
