package import NIOCore

/// The header of a received frame (RFC 6455, 5.2).
package struct FrameHeader: Hashable, Sendable {
  package enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    package var isControl: Bool { rawValue >= 0x8 }
  }

  /// The sender of the frame. A client masks its frames; a server must not (RFC 6455, 5.1).
  package enum Side: Hashable {
    case client, server
  }

  /// The reasons for which a header is invalid regardless of the frames before it.
  package enum Violation: Error, Hashable {
    case reservedBits, reservedOpcode, fragmentedControl, unmasked, masked, longControl, longForm
  }

  /// The maximum length of a control frame's payload.
  package static let controlBytesMax = 125

  package var isFinal: Bool
  package var opcode: Opcode
  package var payloadBytes: Int
  /// nil for a server's frame.
  package var key: MaskingKey?

  /// Reads a header from the front of `input`. Returns nil, and reads nothing, if it is incomplete.
  /// An error is thrown at the first byte that reveals it.
  package static func read(
    from input: inout ByteBuffer, sentBy side: Side = .client
  ) throws(Violation) -> FrameHeader? {
    // Only the reader index of the copy changes; the bytes are shared.
    var cursor = input
    guard let first: UInt8 = cursor.readInteger() else { return nil }
    // No extension is ever negotiated, so these bits have no meaning.
    guard first & 0x70 == 0 else { throw .reservedBits }
    guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode }
    let isFinal = first & 0x80 != 0
    guard isFinal || !opcode.isControl else { throw .fragmentedControl }

    guard let second: UInt8 = cursor.readInteger() else { return nil }
    let isMasked = second & 0x80 != 0
    guard isMasked == (side == .client) else { throw isMasked ? .masked : .unmasked }
    let payloadBytes: Int
    switch second & 0x7F {
    case 126 where opcode.isControl, 127 where opcode.isControl: throw .longControl
    case 126:
      guard let length: UInt16 = cursor.readInteger() else { return nil }
      guard length > 125 else { throw .longForm }
      payloadBytes = Int(length)
    case 127:
      guard let length: UInt64 = cursor.readInteger() else { return nil }
      guard length > 0xFFFF, let length = Int(exactly: length) else { throw .longForm }
      payloadBytes = length
    case let length: payloadBytes = Int(length)
    }
    var key: MaskingKey?
    if isMasked {
      guard let (a, b, c, d) = cursor.readMultipleIntegers(as: (UInt8, UInt8, UInt8, UInt8).self)
      else { return nil }
      key = MaskingKey(a, b, c, d)
    }
    input.moveReaderIndex(to: cursor.readerIndex)
    return FrameHeader(
      isFinal: isFinal, opcode: opcode, payloadBytes: payloadBytes, key: key)
  }
}

extension FrameHeader.Violation {
  /// For the programmer of the other end.
  package var sentence: String {
    switch self {
    case .reservedBits: "a reserved bit is set, and no extension was agreed on"
    case .reservedOpcode: "a reserved opcode"
    case .fragmentedControl: "a control frame in fragments"
    case .unmasked: "a client's frame must be masked"
    case .masked: "a server's frame must not be masked"
    case .longControl: "a control frame of more than 125 bytes"
    case .longForm: "a length in a longer form than it needs"
    }
  }
}
