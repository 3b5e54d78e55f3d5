import NIOCore
import NIOEmbedded
import Testing

@testable import Network

struct UpgradeReplyTests {
  /// The key in RFC 6455, 1.3, and its answer there.
  static let key = UpgradeKey(text: "dGhlIHNhbXBsZSBub25jZQ==")
  static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
  static let fields = [
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(accept)",
  ]

  static func answer(_ fields: [String]) -> String {
    answer("HTTP/1.1 101 Switching Protocols", fields)
  }

  static func answer(_ status: String, _ fields: [String]) -> String {
    ([status] + fields).joined(separator: "\r\n") + "\r\n\r\n"
  }

  static let cases: [(String, UpgradeReply.Outcome?)] = [
    (answer(fields), .accepted),
    (answer("HTTP/1.1 101", fields), .accepted),
    (
      answer(["UPGRADE:WebSocket", "connection: keep-alive,  upgrade\t", fields[2] + " "]),
      .accepted
    ),
    (
      answer([fields[0], fields[1], "Sec-WebSocket-Accept: AAAA"]),
      .refused("its Sec-WebSocket-Accept does not match the key")
    ),
    (
      answer(fields + [fields[2]]),
      .refused("its Sec-WebSocket-Accept does not match the key")
    ),
    (
      answer([fields[0], fields[1]]),
      .refused("its Sec-WebSocket-Accept does not match the key")
    ),
    (answer([fields[1], fields[2]]), .refused("it answers 101, but not for a WebSocket")),
    (answer([fields[0], fields[2]]), .refused("it answers 101, but not for a WebSocket")),
    (
      answer(fields + ["Sec-WebSocket-Extensions: permessage-deflate"]),
      .refused("it accepts something that was not offered")
    ),
    (
      answer(fields + ["Sec-WebSocket-Protocol: chat"]),
      .refused("it accepts something that was not offered")
    ),
    (answer(fields + ["no colon"]), .refused("a field of its answer is malformed")),
    (answer(fields + [": empty"]), .refused("a field of its answer is malformed")),
    (answer(fields + [" folded: x"]), .refused("a field of its answer is malformed")),
    (answer("HTTP/1.0 101 Old", fields), .refused("a WebSocket needs HTTP/1.1")),
    (answer("HTTP/1.1 403 Forbidden", []), .refused("it answers 403 Forbidden")),
    (answer("HTTP/1.1 404 Not \u{1B}[31mFound", []), .refused("it answers 404 Not [31mFound")),
    (
      answer("HTTP/1.1 401 Unauthorized", []),
      .refused(
        "it answers 401 Unauthorized (put the token into a file, --token-file, "
          + "or into the address, ?token=TOKEN)")
    ),
    (answer("HTTP/1.1 20 OK", []), .refused("it does not answer in HTTP")),
    ("SSH-2.0-OpenSSH\r\n", .refused("it does not answer in HTTP")),
    (String(repeating: "HTTP/1.1 ", count: 1), nil),
    ("HTTP/1.1 101 S\r\nUpgrade: websocket\r\n", nil),
  ]

  @Test(arguments: cases.indices)
  func `An answer is checked against RFC 6455, however it is divided`(index: Int) {
    let (text, expected) = Self.cases[index]
    let bytes = Array(text.utf8)
    for size in [1, 2, 3, 7, bytes.count] {
      var reply = UpgradeReply(accept: Self.accept)
      var buffer = ByteBuffer()
      var outcome: UpgradeReply.Outcome?
      var rest = bytes[...]
      while outcome == nil, !rest.isEmpty {
        buffer.writeBytes(rest.prefix(size))
        rest = rest.dropFirst(size)
        outcome = reply.take(&buffer)
      }
      #expect(outcome == expected, "pieces of \(size)")
    }
  }

  @Test func `Bytes after the head are kept, and one line of a refusal's body is shown`() {
    var reply = UpgradeReply(accept: Self.accept)
    var buffer = ByteBuffer(string: Self.answer(Self.fields) + "frames")
    #expect(reply.take(&buffer) == .accepted)
    #expect(String(buffer: buffer) == "frames")
    var refusal = UpgradeReply(accept: Self.accept)
    buffer = ByteBuffer(string: Self.answer("HTTP/1.1 404 Not Found", []) + "Only \u{7} /.\nMore")
    #expect(refusal.take(&buffer) == .refused("it answers 404 Not Found: `Only \\x07 /.`"))
  }

  @Test func `A head without an end is given up`() {
    var reply = UpgradeReply(accept: Self.accept)
    var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\n")
    buffer.writeRepeatingByte(0x61, count: UpgradeReply.bytesMax)
    #expect(reply.take(&buffer) == .refused("its answer is too long"))
  }

  @Test func `A key is answered as the standard requires, and each key is different`() throws {
    let channel = EmbeddedChannel()
    #expect(try Self.key.accept(on: channel).wait() == Self.accept)
    let keys = (0..<200).map { _ in UpgradeKey.random().text }
    #expect(Set(keys).count == 200)
    #expect(keys.allSatisfy { $0.utf8.count == 24 && "AQgw".contains($0.dropLast(2).last!) })
  }
}
