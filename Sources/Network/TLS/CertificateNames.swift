import NIOCore

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
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
