package import NIOCore

/// A frame from the server: whole, unmasked, without extensions.
package enum OutboundFrame {
  /// The longest head of a frame from a server.
  static let headBytesMax = 10

  /// A text message, ready for `Client.send(prepared:)`. It may be sent to any number of clients.
  package static func text(_ bytes: [UInt8]) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: bytes.count + headBytesMax)
    write(.text, bytes, into: &buffer)
    return buffer
  }

  static func write(_ opcode: FrameHeader.Opcode, _ payload: [UInt8], into buffer: inout ByteBuffer)
  {
    buffer.writeInteger(0x80 | opcode.rawValue)
    switch payload.count {
    case ...125: buffer.writeInteger(UInt8(payload.count))
    case ...0xFFFF: buffer.writeMultipleIntegers(UInt8(126), UInt16(payload.count))
    default: buffer.writeMultipleIntegers(UInt8(127), UInt64(payload.count))
    }
    buffer.writeBytes(payload)
  }

  /// The payload of a close frame; nil: the empty one. A reason too long for it is cut between characters.
  static func closePayload(_ code: UInt16?, _ reason: String = "") -> [UInt8] {
    guard let code else { return [] }
    var cut = reason
    while cut.utf8.count > FrameHeader.controlBytesMax - 2 { cut.removeLast() }
    return [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(cut.utf8)
  }
}
