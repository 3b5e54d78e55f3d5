import Sketches

/// The certificate that a server signs itself, and how the `openssl` program makes it.
package struct CertificateRequest: Hashable, Sendable {
  /// How long it is valid. Browsers refuse certificates with more than 398 days.
  package static let days = 397
  /// A certificate with fewer days left is not used again.
  package static let daysLeftMin = 30
  private static let commonNameMax = 64

  package let names: CertificateNames

  package init(_ names: CertificateNames) { self.names = names }

  /// The name of the certificate's file. Each set of names has its own file, so a computer that
  /// returns to a network again uses the certificate that was accepted there.
  package var file: String {
    "gateway-\(String(configuration.utf8.fingerprint, radix: 16, digits: 16)).pem"
  }

  /// The request, in the form of `openssl req -config`. The certificate cannot sign others: anyone
  /// who steals the key can impersonate this gateway, but no other server.
  package var configuration: String {
    let name = names.names.first { $0 != "localhost" && $0.utf8.count <= Self.commonNameMax }
    var lines = [
      "[req]", "prompt = no", "distinguished_name = name", "x509_extensions = extensions",
      "[name]", "O = sentrybench", "CN = \(name ?? "localhost")",
      "[extensions]", "basicConstraints = critical, CA:FALSE",
      "keyUsage = critical, digitalSignature", "extendedKeyUsage = serverAuth",
      "subjectKeyIdentifier = hash", "subjectAltName = @names", "[names]",
    ]
    lines += names.names.enumerated().map { "DNS.\($0 + 1) = \($1)" }
    lines += names.addresses.enumerated().map { "IP.\($0 + 1) = \($1)" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The command that makes an elliptic-curve key, P-256.
  package static func makeKey(_ path: String) -> [String] {
    ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path]
  }

  /// The command that makes the certificate.
  package static func makeCertificate(
    _ path: String, key: String, configuration: String
  ) -> [String] {
    [
      "openssl", "req", "-x509", "-new", "-sha256", "-days", "\(days)", "-key", key, "-config",
      configuration, "-out", path,
    ]
  }

  /// The command that prints the fingerprint, and fails if few days are left.
  package static func inspect(_ path: String) -> [String] {
    [
      "openssl", "x509", "-in", path, "-noout", "-fingerprint", "-sha256", "-checkend",
      "\(daysLeftMin * 86_400)",
    ]
  }

  /// The fingerprint in the output of `inspect`, as 32 pairs of digits; nil if there is none.
  package static func fingerprint(in output: String) -> String? {
    for line in output.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "sha256 fingerprint" else { continue }
      let pairs = parts[1].split(separator: ":")
      if pairs.count == 32, pairs.allSatisfy({ $0.utf8.count == 2 && UInt8($0, radix: 16) != nil })
      {
        return String(parts[1])
      }
    }
    return nil
  }
}
