package import NIOCore

/// A complete frame to send, without extensions. A server's frame is not masked; a client's is.
package enum OutboundFrame {
  /// The maximum length of a frame's header.
  package static let headBytesMax = 14

  /// A text message for `Client.send(prepared:)`, which can be sent to any number of clients.
  package static func text(_ bytes: [UInt8]) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: bytes.count + headBytesMax)
    write(.text, bytes, into: &buffer)
    return buffer
  }

  /// - Parameter key: the key of a client; nil for a server.
  package static func write(
    _ opcode: FrameHeader.Opcode, _ payload: [UInt8], key: MaskingKey? = nil,
    into buffer: inout ByteBuffer
  ) {
    let mask: UInt8 = key == nil ? 0 : 0x80
    buffer.writeInteger(0x80 | opcode.rawValue)
    switch payload.count {
    case ...125: buffer.writeInteger(mask | UInt8(payload.count))
    case ...0xFFFF: buffer.writeMultipleIntegers(mask | 126, UInt16(payload.count))
    default: buffer.writeMultipleIntegers(mask | 127, UInt64(payload.count))
    }
    guard let key else {
      buffer.writeBytes(payload)
      return
    }
    key.write(into: &buffer)
    var masked = payload
    masked.withUnsafeMutableBytes { key.apply(to: $0, at: 0) }
    buffer.writeBytes(masked)
  }

  /// The payload of a close frame; nil for an empty one. A reason that is too long is truncated
  /// between characters.
  package static func closePayload(_ code: UInt16?, _ reason: String = "") -> [UInt8] {
    guard let code else { return [] }
    var cut = reason
    while cut.utf8.count > FrameHeader.controlBytesMax - 2 { cut.removeLast() }
    return [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(cut.utf8)
  }
}
