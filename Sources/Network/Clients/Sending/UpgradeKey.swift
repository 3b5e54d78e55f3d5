package import NIOCore
import NIOHTTP1
import NIOWebSocket

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
