import Network
import Testing

struct OriginTests {
  @Test(arguments: [
    ("http://a.example", "http", "a.example", 80),
    ("https://a.example", "https", "a.example", 443),
    ("https://a.example:8443", "https", "a.example", 8_443),
    ("HTTPS://A.Example:443", "https", "a.example", 443),
    ("http://127.0.0.1:12354", "http", "127.0.0.1", 12_354),
    ("http://[::1]", "http", "[::1]", 80),
    ("http://[FE80::1]:81", "http", "[fe80::1]", 81),
    ("chrome-extension://abcdefgh", "chrome-extension", "abcdefgh", nil),
    ("http://under_score.example", "http", "under_score.example", 80),
    ("http://a.example:0", "http", "a.example", 0),
    ("http://a.example:65535", "http", "a.example", 65_535),
  ])
  func `An origin has a scheme, a host and a port`(
    text: String, scheme: String, host: String, port: Int?
  ) throws {
    let origin = try #require(Origin(text))
    #expect(origin.scheme == scheme)
    #expect(origin.host == host)
    #expect(origin.port == port)
  }

  @Test(arguments: [
    "", "null", "*", "a.example", "//a.example", "http:a.example", "http:/a.example", "http://",
    "http://:80", "http://a.example/", "http://a.example/page", "http://a.example?x",
    "http://a.example#x", "http://user@a.example", "http://a.example:", "http://a.example:x",
    "http://a.example:+8", "http://a.example:65536", "http://a.example:000080",
    "http://a.example:80:80", "http://a b.example", " http://a.example", "http://a.example ",
    "http://a.example, http://b.example", "http://a.example http://b.example", "http://é.example",
    "http://[::1", "http://::1", "http://[]", "http://[::1]x", "http://[a.example]",
    "http://[::1%eth0]", "http://a].example", "1http://a.example", "ht tp://a.example",
    "\u{212A}ttp://a.example", "http://a.example\n", "http://a\u{0}b.example", "://a.example",
  ])
  func `Text that no browser would send is not an origin`(text: String) {
    #expect(Origin(text) == nil)
  }

  @Test(arguments: [
    ("http://a.example", "http://a.example:80", true),
    ("https://a.example:443", "HTTPS://A.EXAMPLE", true),
    ("http://a.example", "https://a.example", false),
    ("http://a.example:443", "https://a.example", false),
    ("http://a.example", "http://a.example:8080", false),
    ("http://a.example", "http://b.a.example", false),
    ("http://a.example", "http://a.example.evil.example", false),
    ("http://a.example", "http://a.example.", false),
  ])
  func `Two origins are equal if they mean the same`(a: String, b: String, areEqual: Bool) throws {
    let first = try #require(Origin(a))
    let second = try #require(Origin(b))
    #expect((first == second) == areEqual)
  }

  @Test(arguments: [
    ("http://127.0.0.1", true), ("http://192.168.1.20:12354", true), ("http://[::1]:1", true),
    ("http://localhost", true), ("http://LOCALHOST:80", true), ("http://turret.local", false),
    ("http://a.example", false), ("http://local", false), ("http://notlocalhost", false),
    ("http://localhost.a.example", false), ("http://a.local.example", false),
    ("http://127.0.0.1.a.example", false), ("http://1.2.3", false), ("http://1.2.3.256", false),
    ("http://1.2.3.a", false), ("http://1.2.3.4.5", false), ("http://localhost.", false),
    ("http://0x7f.1.1.1", false), ("http://1..2.3", false), ("http://0001.2.3.4", false),
  ])
  func `An address or localhost cannot be made to point elsewhere`(
    text: String, isLocal: Bool
  ) throws {
    #expect(try #require(Origin(text)).isAddressOrLocalhost == isLocal)
  }
}
