#if TLS
  import NIOSSL
  import Platform
  import Sketches

  extension TLSFiles {
    /// The warnings about the certificates' dates. There are none for a file without a certificate,
    /// which `makeContext` reports.
    func warnings(at now: WallTime) -> [String] {
      let chain = (try? Self.certificates(in: certificates)) ?? []
      return chain.enumerated().compactMap { index, certificate in
        CertificateDates(certificate).warning(
          at: now, of: index == 0 ? certificates : "\(certificates), certificate \(index + 1)")
      }
    }

    /// - Throws: `noInput` or `malformed`, naming the file.
    func makeContext(closeTime: Interval) throws(NetworkError) -> NIOSSLContext {
      try Self.check(certificates)
      try Self.check(key)
      let chain = try Self.certificates(in: certificates)
      let privateKey: NIOSSLPrivateKey
      do {
        privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
      } catch {
        throw NetworkError(
          .malformed, "\(key): error: not a private key in PEM form, or it has a passphrase")
      }
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
      configuration.restrict(closeTime: closeTime)
      do {
        return try NIOSSLContext(configuration: configuration)
      } catch {
        throw NetworkError(
          .malformed, "\(key): error: not the key of the certificate in \(certificates)")
      }
    }

    /// - Throws: `noInput` or `malformed`, naming the file.
    static func certificates(in path: String) throws(NetworkError) -> [NIOSSLCertificate] {
      try check(path)
      do {
        let found = try NIOSSLCertificate.fromPEMFile(path)
        guard !found.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        return found
      } catch {
        throw NetworkError(.malformed, "\(path): error: not a certificate in PEM form")
      }
    }
  }

  extension CertificateDates {
    init(_ certificate: NIOSSLCertificate) {
      self.init(start: Int64(certificate.notValidBefore), end: Int64(certificate.notValidAfter))
    }
  }
#endif
