import NIOCore
import Traces

/// Parses a server's answer to a client's opening handshake (RFC 6455, 4.1), however it is split.
struct UpgradeReply: Hashable {
  enum Outcome: Hashable {
    case accepted
    /// With the reason in a few words.
    case refused(String)
  }

  /// The maximum length of its head, in bytes.
  static let bytesMax = 16_384
  /// How many bytes of its body are shown.
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
    let limit = min(bytes.count, Self.bytesMax)
    let base = bytes.startIndex
    var index = searched
    while index + 4 <= limit {
      if bytes[base + index] == 0x0D, bytes[base + index + 1] == 0x0A,
        bytes[base + index + 2] == 0x0D, bytes[base + index + 3] == 0x0A
      {
        let head = String(decoding: bytes[base..<base + index], as: UTF8.self)
        let body = bytes[(base + index + 4)...].prefix { $0 != 0x0A && $0 != 0x0D }
        let outcome = judge(head, body: Array(body.prefix(Self.shownBytesMax)))
        input.moveReaderIndex(forwardBy: index + 4)
        return outcome
      }
      index += 1
    }
    searched = index
    return bytes.count >= Self.bytesMax ? .refused("its answer is too long") : nil
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
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      var end = value.endIndex
      while end > value.startIndex, [" ", "\t"].contains(value[value.index(before: end)]) {
        end = value.index(before: end)
      }
      fields[String(line[..<colon]).lowercased(), default: []].append(String(value[..<end]))
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
