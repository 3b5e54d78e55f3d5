#if !TLS
  package import NIOCore
  package import Sketches

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
