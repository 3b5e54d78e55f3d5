import NIOSSL
import SystemPackage
import Turret

/// The files with the server's certificate and its key, both in PEM.
package struct TLSFiles: Hashable, Sendable {
  /// The server's own certificate first, then the chain to the root.
  package var certificates: String
  package var key: String

  package init(certificates: String, key: String) {
    self.certificates = certificates
    self.key = key
  }

  /// Warnings about the dates of the certificates. A file without a certificate causes none here;
  /// `makeContext` reports it.
  func warnings(at now: WallTime) -> [String] {
    let chain = (try? Self.certificates(in: certificates)) ?? []
    return chain.enumerated().compactMap { index, certificate in
      CertificateDates(certificate).warning(
        at: now, of: index == 0 ? certificates : "\(certificates), certificate \(index + 1)")
    }
  }

  /// - Throws: `noInput` or `malformed`, naming the file.
  func makeContext(closeTime: Interval) throws(GatewayError) -> NIOSSLContext {
    try Self.check(certificates)
    try Self.check(key)
    let chain = try Self.certificates(in: certificates)
    let privateKey: NIOSSLPrivateKey
    do {
      privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
    } catch {
      throw GatewayError(
        .malformed, "\(key): error: not a private key in PEM form, or it has a passphrase")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.restrict(closeTime: closeTime)
    do {
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw GatewayError(
        .malformed, "\(key): error: not the key of the certificate in \(certificates)")
    }
  }

  /// - Throws: `noInput` or `malformed`, naming the file.
  static func certificates(in path: String) throws(GatewayError) -> [NIOSSLCertificate] {
    try check(path)
    do {
      let found = try NIOSSLCertificate.fromPEMFile(path)
      guard !found.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
      return found
    } catch {
      throw GatewayError(.malformed, "\(path): error: not a certificate in PEM form")
    }
  }

  /// The library does not distinguish a missing file from an invalid one.
  private static func check(_ path: String) throws(GatewayError) {
    do {
      try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec).close()
    } catch let error as Errno {
      throw GatewayError(
        error == .noSuchFileOrDirectory ? .noInput : .inputOutput,
        "\(path): error: cannot be read: \(error)")
    } catch {
      throw GatewayError(.inputOutput, "\(path): error: cannot be read: \(error)")
    }
  }
}
