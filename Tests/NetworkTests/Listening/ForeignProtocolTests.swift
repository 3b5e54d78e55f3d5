import Sketches
import Testing

@testable import Network

struct ForeignProtocolTests {
  private static let rest = "Host: 127.0.0.1:12340\r\nContent-Length: 4\r\n\r\nX45."

  @Test(arguments: [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY", "get",
    "Post", "M-SEARCH", "X45.", "L", "!#$%&'*+-.^_`|~0",
  ])
  func `A request is recognized with any method`(_ method: String) {
    for target in ["/", "/x?y=X45.", "http://127.0.0.1:12340/", "HTTPS://a.example", "*", "a:80"] {
      let head = "\(method) \(target) HTTP/1.1\r\n\(Self.rest)"
      #expect(ForeignProtocol(firstRead: head.utf8) == .http, "\(head)")
    }
  }

  @Test(arguments: [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.0\n\n", "GET / HTTP/", "\r\n\nGET / HTTP/1.1",
    "GET /a b HTTP/1.1\r\n", "GET  / HTTP/1.1\r\n", "POST / HTTP/9.9 X45.",
    // A target that is longer than one read, so that the line has not ended.
    "POST /\(String(repeating: "a", count: 5_000))", "POST /", "GET http://a",
    "GET https://127.0.0.1:12340/\(String(repeating: "X45.", count: 5_000))",
  ])
  func `A request is recognized in any form, and if it is cut off within its target`(_ text: String)
  {
    #expect(ForeignProtocol(firstRead: text.utf8) == .http)
  }

  @Test(arguments: 0...4 as ClosedRange<UInt8>)
  func `A TLS hello is recognized in any version`(_ minor: UInt8) {
    #expect(ForeignProtocol(firstRead: [0x16, 0x03, minor, 0x02, 0x00, 0x01]) == .tls)
    #expect(ForeignProtocol(firstRead: [0x16, 0x03, minor]) == .tls)
  }

  @Test(
    arguments: [
      // A binding request after the length of a frame, and an allocation.
      [0x00, 0x54, 0x00, 0x01, 0x00, 0x40, 0x21, 0x12, 0xA4, 0x42, 0x4C],
      [0x00, 0x03, 0x00, 0x08, 0x21, 0x12, 0xA4, 0x42],
    ] as [[UInt8]])
  func `WebRTC is recognized by its magic cookie`(_ bytes: [UInt8]) {
    #expect(ForeignProtocol(firstRead: bytes) == .stun)
  }

  @Test(arguments: [
    "", "L", "T", "O", "C", "?", "V", "X", "X90.", "X90", "X90.X91.L", "X45. X46. X47.",
    "L L L L", "X45.\r\nX46.\r\n", "\r\nX45.", "T O C", "TOC ? V", "GET", "POST ", "GET\n", "G",
    "HTTP/1.1 200 OK\r\n", "GET /\r\n", "CONNECT a:80 HT", " GET / HTTP/1.1", "X45. /\n", "VISION",
    "SHUTDOWN\r\n",
  ])
  func `Commands and undecided bytes are not taken for another protocol`(_ text: String) {
    #expect(ForeignProtocol(firstRead: text.utf8) == nil)
  }

  @Test(
    arguments: [
      [0x16], [0x16, 0x03], [0x16, 0x03, 0x05], [0x16, 0x02, 0x01], [0x17, 0x03, 0x03],
      [0x00, 0x01, 0x00, 0x00, 0x21, 0x12, 0xA4], [0xFF, 0x00],
    ] as [[UInt8]])
  func `Bytes that only start like another protocol pass`(_ bytes: [UInt8]) {
    #expect(ForeignProtocol(firstRead: bytes) == nil)
  }

  /// Each rule requires one of these bytes, so no stream of commands and white space can match.
  @Test func `No firmware has a command with a byte that another protocol requires`() {
    for firmware in Firmware.allCases {
      for byte: UInt8 in [UInt8(ascii: "/"), UInt8(ascii: ":"), 0x16, 0xA4] {
        var parser = CommandParser(for: firmware)
        #expect(Command(letter: byte, in: firmware) == nil)
        // Nor is it part of a number.
        #expect(parser.take([UInt8(ascii: "X"), UInt8(ascii: "4"), byte]).count == 2)
      }
    }
  }
}
