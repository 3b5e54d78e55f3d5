package import NIOCore
import NIOHTTP1
import NIOWebSocket
import Traces

/// The client's opening handshake (RFC 6455, 4.2.1).
enum Handshake {
  enum Flaw: Error, Hashable {
    /// A request, but not for a WebSocket.
    case noUpgrade
    case version
    case malformed(String)
  }

  /// Extensions and subprotocols offered by a client are ignored; none is negotiated.
  static func check(_ head: HTTPRequestHead) throws(Flaw) {
    let headers = head.headers
    guard contains("websocket", in: headers["Upgrade"]),
      contains("upgrade", in: headers["Connection"])
    else { throw .noUpgrade }
    guard head.version == .http1_1 else { throw .malformed("A WebSocket needs HTTP/1.1.") }
    guard headers["Sec-WebSocket-Version"] == ["13"] else { throw .version }
    let keys = headers["Sec-WebSocket-Key"]
    guard keys.count == 1, isKey(keys[0]) else {
      throw .malformed("Sec-WebSocket-Key must be 16 bytes in base64.")
    }
    // Data after the head could not be distinguished from frames.
    guard !headers.contains(name: "Transfer-Encoding"),
      headers["Content-Length"].allSatisfy({ $0 == "0" })
    else { throw .malformed("A handshake must not have a body.") }
  }

  /// Whether a list field contains a word, ignoring case.
  static func contains(_ token: String, in fields: [String]) -> Bool {
    fields.contains { field in
      field.split(separator: ",").contains { part in
        part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased()
          == token
      }
    }
  }

  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == 24 && text.hasSuffix("==")
      && text.utf8.prefix(22).allSatisfy {
        $0.isLetter || $0.isDigit || "+/".utf8.contains($0)
      }
  }
}

extension Handshake.Flaw {
  var reply: HTTPReply {
    switch self {
    case .noUpgrade:
      HTTPReply(
        426,
        "This address speaks WebSocket: connect to it with ws://, or wss:// if it uses TLS.\n",
        fields: ["Upgrade": "websocket"])
    case .version:
      HTTPReply(
        426, "Only WebSocket version 13 is supported.\n",
        fields: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"])
    case .malformed(let sentence): HTTPReply(400, sentence + "\n")
    }
  }
}

/// The key of a client's opening handshake, and the answer that a server must derive from it (RFC
/// 6455, 4.1).
package struct UpgradeKey: Hashable {
  let text: String

  package init(text: String) { self.text = text }

  /// Sixteen random bytes in base64: 21 digits of six bits, one digit of two bits, and the padding.
  static func random() -> UpgradeKey {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let text = (0..<21).map { _ in digits[.random(in: 0..<64)] }
    return UpgradeKey(text: String(text + [digits[16 * .random(in: 0..<4)]]) + "==")
  }

  /// Computes the answer to the key. The library offers it only to servers, in header fields, so it
  /// is read from those.
  package func accept(on channel: any Channel) -> EventLoopFuture<String> {
    let upgrader = NIOWebSocketServerUpgrader(
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/",
      headers: ["Sec-WebSocket-Key": text, "Sec-WebSocket-Version": "13"])
    return upgrader.buildUpgradeResponse(
      channel: channel, upgradeRequest: head, initialResponseHeaders: [:]
    ).flatMapThrowing { fields in
      guard let accept = fields.first(name: "Sec-WebSocket-Accept") else {
        throw NIOWebSocketUpgradeError.invalidUpgradeHeader
      }
      return accept
    }
  }

  /// The complete request.
  func request(to target: SenderTarget) -> String {
    let query = target.request.query.map { "?\($0)" } ?? ""
    return "GET \(target.request.path)\(query) HTTP/1.1\r\nHost: \(target.endpoint)\r\n"
      + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \(text)\r\n"
      + "Sec-WebSocket-Version: 13\r\n"
      + (target.authorization.map { "Authorization: \($0)\r\n" } ?? "") + "\r\n"
  }
}

/// Parses a server's answer to a client's opening handshake (RFC 6455, 4.1), however it is split.
struct UpgradeReply: Hashable {
  enum Outcome: Hashable {
    case accepted
    /// With the reason in a few words.
    case refused(String)
  }

  /// The maximum length of its head, in bytes.
  static let bytesMax = 16_384
  private static let shownBytesMax = 120
  private static let start = Array("HTTP/1.".utf8)

  /// The answer that the server must derive from the key.
  let accept: String
  /// Where to continue the search for the end of the head.
  private var searched = 0

  init(accept: String) { self.accept = accept }

  /// Takes a complete head from the front of `input`, which keeps an incomplete one; nil if more
  /// bytes are needed.
  mutating func take(_ input: inout ByteBuffer) -> Outcome? {
    let bytes = input.readableBytesView
    guard bytes.prefix(Self.start.count).elementsEqual(Self.start.prefix(bytes.count)) else {
      return .refused("it does not answer in HTTP")
    }
    let head = bytes.prefix(Self.bytesMax)
    guard let end = head.dropFirst(searched).firstRange(of: Array("\r\n\r\n".utf8)) else {
      searched = max(head.count - 3, 0)
      return bytes.count >= Self.bytesMax ? .refused("its answer is too long") : nil
    }
    let body = bytes[end.upperBound...].prefix { $0 != 0x0A && $0 != 0x0D }
    let outcome = judge(
      String(decoding: bytes[..<end.lowerBound], as: UTF8.self),
      body: Array(body.prefix(Self.shownBytesMax)))
    input.moveReaderIndex(forwardBy: end.upperBound - bytes.startIndex)
    return outcome
  }

  private func judge(_ head: String, body: [UInt8]) -> Outcome {
    // Compares Unicode scalars, because Swift treats CR LF as one character.
    let lines = head.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
      line in line.last == "\r" ? line.dropLast() : line
    }
    let parts = String(lines[0]).split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[1].utf8.count == 3, let status = UInt16(parts[1]) else {
      return .refused("it does not answer in HTTP")
    }
    guard status == 101 else {
      let reason = parts.count == 3 ? " " + Self.plain(parts[2]) : ""
      let hint =
        status == 401
        ? " (put the token into a file, --token-file, or into the address, ?token=TOKEN)" : ""
      let said = body.isEmpty ? "" : ": \(ByteText.quoted(body))"
      return .refused("it answers \(status)\(reason)\(hint)\(said)")
    }
    guard parts[0] == "HTTP/1.1" else { return .refused("a WebSocket needs HTTP/1.1") }
    var fields: [String: [String]] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
        line[..<colon].allSatisfy({ $0.isASCII && $0.value > 0x20 })
      else { return .refused("a field of its answer is malformed") }
      let value = line[line.index(after: colon)...].trimmed { $0 == " " || $0 == "\t" }
      fields[String(line[..<colon]).lowercased(), default: []].append(String(value))
    }
    guard Handshake.contains("websocket", in: fields["upgrade"] ?? []),
      Handshake.contains("upgrade", in: fields["connection"] ?? [])
    else { return .refused("it answers 101, but not for a WebSocket") }
    guard fields["sec-websocket-accept"] == [accept] else {
      return .refused("its Sec-WebSocket-Accept does not match the key")
    }
    guard fields["sec-websocket-extensions"] == nil, fields["sec-websocket-protocol"] == nil else {
      return .refused("it accepts something that was not offered")
    }
    return .accepted
  }

  private static func plain(_ text: Substring) -> String {
    String(decoding: text.utf8.filter { (0x20...0x7E).contains($0) }.prefix(60), as: UTF8.self)
  }
}
