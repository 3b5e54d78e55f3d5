#if TLS
  import NIOSSL
  import Sketches

  /// The servers that a client trusts.
  enum TLSTrust {
    /// - Parameter authorities: a PEM file with the certificates to trust; nil for those of this
    ///   computer.
    /// - Throws: `noInput` or `malformed`, naming the file.
    static func makeContext(
      authorities: String?, closeTime: Interval
    ) throws(NetworkError) -> NIOSSLContext {
      var configuration = TLSConfiguration.makeClientConfiguration()
      if let authorities {
        configuration.trustRoots = .certificates(try TLSFiles.certificates(in: authorities))
      }
      configuration.restrict(closeTime: closeTime)
      do {
        return try NIOSSLContext(configuration: configuration)
      } catch {
        throw NetworkError(
          .inputOutput, "error: the certificates that this computer trusts cannot be read")
      }
    }
  }
#endif
