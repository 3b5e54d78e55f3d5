package import NIOHTTP1

/// The client's opening handshake (RFC 6455, 4.2.1).
package enum Handshake {
  package enum Flaw: Error, Hashable {
    /// A request, but not for a WebSocket.
    case noUpgrade
    case version
    case malformed(String)
  }

  /// Extensions and subprotocols offered by a client are ignored; none is negotiated.
  package static func check(_ head: HTTPRequestHead) throws(Flaw) {
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
  package static func contains(_ token: String, in fields: [String]) -> Bool {
    fields.contains { field in
      field.split(separator: ",").contains { part in
        part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased()
          == token
      }
    }
  }

  private static func isKey(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 24 && text.hasSuffix("==")
      && bytes.prefix(22).allSatisfy {
        switch $0 {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}

extension Handshake.Flaw {
  package var reply: HTTPReply {
    switch self {
    case .noUpgrade:
      HTTPReply(
        426,
        "This address speaks WebSocket: connect to it with ws://, or wss:// if it uses TLS.\n",
        fields: [.init(name: "Upgrade", value: "websocket")])
    case .version:
      HTTPReply(
        426, "Only WebSocket version 13 is supported.\n",
        fields: [
          .init(name: "Upgrade", value: "websocket"),
          .init(name: "Sec-WebSocket-Version", value: "13"),
        ])
    case .malformed(let sentence): HTTPReply(400, sentence + "\n")
    }
  }
}
