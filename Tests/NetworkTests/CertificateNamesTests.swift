import Testing

@testable import Network

struct CertificateNamesTests {
  private static let interfaces = [
    "127.0.0.1", "192.168.1.5", "169.254.7.7", "10.0.0.2", "fe80::1%eth0", "2001:db8::1",
  ]

  @Test(arguments: [
    (["127.0.0.1"], ["127.0.0.1", "::1"]),
    (["0.0.0.0"], ["10.0.0.2", "127.0.0.1", "192.168.1.5", "::1"]),
    (["::"], ["10.0.0.2", "127.0.0.1", "192.168.1.5", "::1"]),
    (["192.168.1.5"], ["127.0.0.1", "192.168.1.5", "::1"]),
    (["2001:DB8:0::1"], ["127.0.0.1", "2001:db8::1", "::1"]),
    ([], ["127.0.0.1", "::1"]),
  ])
  func `A certificate is for the addresses that the server listens on`(
    hosts: [String], addresses: [String]
  ) {
    let names = CertificateNames(hostName: nil, hosts: hosts, interfaces: Self.interfaces)
    #expect(names.addresses == addresses)
    #expect(names.names == ["localhost"])
  }

  @Test(arguments: [
    ("Turret.lan", ["localhost", "turret.lan", "turret.local"]), ("turret", nil),
    ("localhost", ["localhost"]), ("", ["localhost"]), ("a b\nIP.9 = 1.2.3.4", ["localhost"]),
    (String(repeating: "a", count: 254), ["localhost"]),
  ])
  func `A certificate is for the names of this computer that are host names`(
    hostName: String, expected: [String]?
  ) {
    let names = CertificateNames(hostName: hostName, hosts: [], interfaces: [])
    #expect(names.names == expected ?? ["localhost", "turret", "turret.local"])
  }

  @Test func `A host that is a name is one of the certificate's names`() {
    let names = CertificateNames(hostName: nil, hosts: ["Pi.Example"], interfaces: [])
    #expect(names.names == ["localhost", "pi.example"])
  }

  @Test func `A certificate has at most 64 addresses`() {
    let many = (0..<200).map { "10.1.1.\($0)" }
    let names = CertificateNames(hostName: nil, hosts: ["0.0.0.0"], interfaces: many)
    #expect(names.addresses.count == CertificateNames.countMax)
  }

  @Test(arguments: [
    ("0.0.0.0", ["10.0.0.2", "192.168.1.5"]), ("192.168.1.5", ["192.168.1.5"]),
    ("127.0.0.1", ["127.0.0.1"]), ("pi.local", ["pi.local"]),
  ])
  func `A server on all addresses is reached by each that is not loopback`(
    host: String, expected: [String]
  ) {
    let names = CertificateNames(hostName: nil, hosts: [host], interfaces: Self.interfaces)
    #expect(names.reachable(at: host) == expected)
  }

  @Test func `Of a computer that has many addresses, four are shown`() {
    let many = (1...9).map { "10.0.0.\($0)" }
    let names = CertificateNames(hostName: nil, hosts: ["0.0.0.0"], interfaces: many)
    let shown = names.reachable(at: [Endpoint(host: "0.0.0.0", port: 80)])
    #expect(shown.map(\.description) == (1...4).map { "10.0.0.\($0):80" })
    let local = Endpoint(host: "127.0.0.1", port: 81)
    #expect(names.reachable(at: [local]) == [local])
  }
}
