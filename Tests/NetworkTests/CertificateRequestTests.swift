import Testing

@testable import Network

struct CertificateRequestTests {
  private static func request(_ hostName: String, _ hosts: [String] = []) -> CertificateRequest {
    CertificateRequest(CertificateNames(hostName: hostName, hosts: hosts, interfaces: []))
  }

  @Test func `The request names each name and address once, and a server that signs nothing`() {
    let lines = Self.request("turret", ["10.0.0.2"]).configuration.split(separator: "\n")
    #expect(lines.contains("basicConstraints = critical, CA:FALSE"))
    #expect(lines.contains("extendedKeyUsage = serverAuth"))
    #expect(lines.contains("CN = turret"))
    #expect(
      lines.suffix(7) == [
        "[names]", "DNS.1 = localhost", "DNS.2 = turret", "DNS.3 = turret.local",
        "IP.1 = 10.0.0.2", "IP.2 = 127.0.0.1", "IP.3 = ::1",
      ])
  }

  @Test func `Other names have another file, and the same names the same`() {
    #expect(Self.request("turret").file == Self.request("TURRET").file)
    #expect(Self.request("turret").file != Self.request("turret", ["10.0.0.2"]).file)
    #expect(Self.request("turret").file.utf8.count == "gateway-0123456789abcdef.pem".utf8.count)
  }

  @Test func `A certificate is valid for 397 days`() {
    let words = CertificateRequest.makeCertificate("c", key: "k", configuration: "r")
    #expect(words.contains("397"))
    #expect(CertificateRequest.days <= 397)
  }

  private static let pairs = Array(repeating: "0F", count: 32).joined(separator: ":")

  @Test(arguments: [
    ("sha256 Fingerprint=\(pairs)\nCertificate will not expire\n", true),
    ("SHA256 Fingerprint=\(pairs)\r\n", true), ("Certificate will expire\n", false), ("", false),
    ("sha1 Fingerprint=\(pairs)\n", false), ("sha256 Fingerprint=\(pairs):00\n", false),
    ("sha256 Fingerprint=\(pairs.dropLast(2))XY\n", false), ("sha256 Fingerprint=\n", false),
  ])
  func `The fingerprint is 32 pairs of digits in what openssl prints`(output: String, isOne: Bool) {
    #expect(CertificateRequest.fingerprint(in: output) == (isOne ? Self.pairs : nil))
  }
}
