import NIOCore
import Testing

@testable import Network

struct PeerTests {
  @Test(arguments: [
    ("127.0.0.1", Peer.loopback), ("127.255.0.9", .loopback), ("::1", .loopback),
    ("::ffff:127.0.0.1", .loopback), ("192.168.1.20", .four(0xC0A8_0114)),
    ("::ffff:192.168.1.20", .four(0xC0A8_0114)), ("128.0.0.1", .four(0x8000_0001)),
    ("2001:db8:1:2::1", .six(0x2001_0db8_0001_0002)),
    ("2001:db8:1:2:ffff:ffff:ffff:ffff", .six(0x2001_0db8_0001_0002)),
    ("2001:db8:1:3::1", .six(0x2001_0db8_0001_0003)), ("fe80::1", .six(0xFE80_0000_0000_0000)),
    ("::2", .six(0)),
  ])
  func `A peer is an IPv4 address or an IPv6 network`(text: String, peer: Peer) throws {
    #expect(Peer(try SocketAddress(ipAddress: text, port: 1)) == peer)
  }

  @Test func `A connection without an address has an unknown peer`() {
    #expect(Peer(nil) == .unknown)
    #expect(Peer(address: [1, 2, 3]) == .unknown)
  }
}
