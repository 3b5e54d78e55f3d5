import NIOCore
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

/// The names and addresses for which a certificate of this computer is valid.
package struct CertificateNames: Hashable, Sendable {
  /// How many of each are kept.
  static let countMax = 64
  /// A name has at most this many characters (RFC 1035, 2.3.4).
  private static let nameLengthMax = 253

  /// Host names in lower case.
  package let names: [String]
  /// IP addresses, in the system's own form.
  package let addresses: [String]

  /// - Parameters:
  ///   - hostName: that of this computer; nil if it has none.
  ///   - hosts: the hosts on which the server listens, as given.
  ///   - interfaces: the addresses of this computer. They are used only if the server listens on
  ///     all of them, and only the IPv4 ones: systems replace their IPv6 addresses every day.
  package init(hostName: String?, hosts: [String], interfaces: [String]) {
    var names = ["localhost"]
    var addresses = ["127.0.0.1", "::1"]
    if let hostName {
      names += [hostName.lowercased(), LocalName.named(hostName)].compactMap { $0 }
    }
    for host in hosts {
      guard let address = Self.address(host) else {
        names.append(host.lowercased())
        continue
      }
      if Self.isWildcard(address) {
        addresses += interfaces.compactMap(Self.address).filter {
          !$0.contains(":") && !$0.hasPrefix("169.254.")
        }
      } else {
        addresses.append(address)
      }
    }
    self.names = Array(Set(names.filter(Self.isName)).sorted().prefix(Self.countMax))
    self.addresses = Array(Set(addresses).sorted().prefix(Self.countMax))
  }

  /// The names and addresses of this computer, for a server that listens on these hosts.
  package static func ofThisComputer(listeningOn hosts: [String]) -> CertificateNames {
    let devices = (try? System.enumerateDevices()) ?? []
    return CertificateNames(
      hostName: LocalName.hostName, hosts: hosts,
      interfaces: devices.compactMap { $0.address?.ipAddress })
  }

  /// The hosts by which other computers reach the server at `host`, best first. An address is
  /// better than a name, because few phones can resolve a computer's name.
  package func reachable(at host: String) -> [String] {
    guard let address = Self.address(host) else { return [host] }
    guard Self.isWildcard(address) else { return [address] }
    let others = addresses.filter { $0 != "::1" && !$0.hasPrefix("127.") }
    return others.isEmpty ? ["127.0.0.1"] : others
  }

  /// The maximum number of addresses shown to a person, if the computer has many.
  private static let shownMax = 4

  /// The addresses at which a browser reaches a server that listens on these, best first.
  package func reachable(at endpoints: [Endpoint]) -> [Endpoint] {
    let all = endpoints.flatMap { endpoint in
      reachable(at: endpoint.host).map { Endpoint(host: $0, port: endpoint.port) }
    }
    return Array(all.prefix(Self.shownMax))
  }

  /// The canonical form of an IP address; nil for anything else.
  private static func address(_ host: String) -> String? {
    // A certificate cannot contain the zone of a link-local address.
    let plain = String(host.prefix { $0 != "%" })
    return (try? SocketAddress(ipAddress: plain, port: 0))?.ipAddress
  }

  private static func isWildcard(_ address: String) -> Bool {
    address == "0.0.0.0" || address == "::"
  }

  /// Whether a certificate can contain the name. Other characters could begin a new line in the
  /// request's file.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= nameLengthMax
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte.isDigit
          || "-.".utf8.contains(byte)
      }
  }
}
