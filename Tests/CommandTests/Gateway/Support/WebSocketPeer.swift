/// A WebSocket client that does only what a test requests. It does not answer pings automatically.
struct WebSocketPeer: ~Copyable {
  enum Message: Equatable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    /// Nil if there is no code.
    case close(UInt16?)
    /// The connection ended without a close.
    case end
  }

  let socket: PlainSocket
  /// The status of the answer to the request.
  let status: Int

  /// Requests a connection. `headers` are lines of the request.
  init(port: UInt16, path: String = "/", headers: [String] = []) throws {
    socket = try PlainSocket(port: port)
    let lines =
      [
        "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ] + headers
    socket.write((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    let answer = socket.read(through: "\r\n\r\n")
    status = Int(answer.split(separator: " ").dropFirst().first ?? "") ?? 0
  }

  func send(_ text: String) { send(opcode: 1, text.utf8) }
  func send(binary bytes: [UInt8]) { send(opcode: 2, bytes) }

  /// Sends a close frame. The answer arrives as a message.
  func sendClose() { send(opcode: 8, [0x03, 0xE8]) }

  /// Sends one frame. Its mask is zero, which is a valid mask.
  private func send(opcode: UInt8, _ payload: some Collection<UInt8>) {
    let count = payload.count
    let width = count < 126 ? 0 : count < 65_536 ? 2 : 8
    let marks: [Int: UInt8] = [0: UInt8(truncatingIfNeeded: count), 2: 126, 8: 127]
    let length = (0..<width).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    // In one piece, because data after a small piece waits until that is acknowledged.
    let head = [0x80 | opcode, 0x80 | marks[width, default: 0]] + length + [0, 0, 0, 0]
    socket.write(head + Array(payload))
  }

  /// Returns the next message, which can be a ping.
  func receiveAny() -> Message {
    let head = socket.read(2)
    guard head.count == 2 else { return .end }
    var length = Int(head[1] & 0x7F)
    if length == 126 { length = socket.read(2).reduce(0) { $0 << 8 | Int($1) } }
    let payload = socket.read(length)
    guard payload.count == length else { return .end }
    switch head[0] & 0x0F {
    case 1: return .text(String(decoding: payload, as: UTF8.self))
    case 2: return .binary(payload)
    case 8:
      return .close(payload.count < 2 ? nil : UInt16(payload[0]) << 8 | UInt16(payload[1]))
    case 9: return .ping(payload)
    default: return .pong(payload)
    }
  }

  /// Returns the next message other than a ping. Pings are answered.
  func receive() -> Message {
    while true {
      let message = receiveAny()
      guard case .ping(let payload) = message else { return message }
      send(opcode: 10, payload)
    }
  }
}
