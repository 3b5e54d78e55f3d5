import NIOCore

/// The head of a frame that came in (RFC 6455, 5.2).
struct FrameHeader: Hashable, Sendable {
  enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    var isControl: Bool { rawValue >= 0x8 }
  }

  /// Who sends: a client masks what it sends, a server must not (RFC 6455, 5.1).
  enum Side: Hashable {
    case client, server
  }

  /// What makes a head unusable whatever came before it.
  enum Violation: Error, Hashable {
    case reservedBits, reservedOpcode, fragmentedControl, unmasked, masked, longControl, longForm
  }

  /// The longest payload of a control frame.
  static let controlBytesMax = 125

  var isFinal: Bool
  var opcode: Opcode
  var payloadBytes: Int
  /// nil: a server's frame.
  var key: MaskingKey?

  /// Reads a head from the front of `input`; nil, and nothing read, where it is not whole yet. What is
  /// wrong is thrown with the first byte that shows it.
  static func read(
    from input: inout ByteBuffer, sentBy side: Side = .client
  ) throws(Violation) -> FrameHeader? {
    // Through a copy of the reader index only: the bytes are shared.
    var cursor = input
    guard let first: UInt8 = cursor.readInteger() else { return nil }
    // No extension is ever agreed on, so nothing gives these bits a meaning.
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
  /// For the other end's programmer.
  var sentence: String {
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
