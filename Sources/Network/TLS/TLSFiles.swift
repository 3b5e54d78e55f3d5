import Platform
import Sketches
import SystemPackage

#if TLS
  import NIOSSL
#endif

/// The files with the server's certificate and its key, both in PEM.
package struct TLSFiles: Hashable, Sendable {
  /// The server's own certificate first, then the chain to the root.
  package var certificates: String
  package var key: String

  package init(certificates: String, key: String) {
    self.certificates = certificates
    self.key = key
  }

  /// Checks that a file can be read: the library does not distinguish a missing file from an
  /// invalid one.
  static func check(_ path: String) throws(NetworkError) {
    do {
      try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec).close()
    } catch let error as Errno {
      throw NetworkError(
        error == .noSuchFileOrDirectory ? .noInput : .inputOutput,
        "\(path): error: cannot be read: \(error)")
    } catch {
      throw NetworkError(.inputOutput, "\(path): error: cannot be read: \(error)")
    }
  }
}

#if TLS
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

/// The period in which a certificate is valid.
struct CertificateDates: Hashable, Sendable {
  /// Its first and last second, since the beginning of 1970, in UTC.
  var start: Int64
  var end: Int64

  /// How many days before the expiry the operator is warned.
  private static let noticeDays: Int64 = 14
  private static let day: Int64 = 86_400

  /// A warning; nil if there is none. `name` is that of the certificate.
  func warning(at now: WallTime, of name: String) -> String? {
    let now = now.microseconds / 1_000_000
    if now > end {
      return "\(name): the certificate expired on \(Self.text(end)); clients refuse it, "
        + "so replace it"
    }
    if now < start {
      return "\(name): the certificate is not valid before \(Self.text(start)); clients refuse it, "
        + "so wait until then or check this computer's clock"
    }
    guard end - now < Self.noticeDays * Self.day else { return nil }
    let days = (end - now) / Self.day
    let rest = days == 0 ? "in less than a day" : days == 1 ? "in 1 day" : "in \(days) days"
    return "\(name): the certificate expires \(rest), on \(Self.text(end)); replace it before then"
  }

  /// `2026-11-21 07:06:22 UTC`.
  private static func text(_ seconds: Int64) -> String {
    // The years in a certificate have four digits.
    let seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
    let text = WallTime(microseconds: seconds * 1_000_000).text
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }
}
