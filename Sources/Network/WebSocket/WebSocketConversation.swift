package import NIOCore

/// One end of a WebSocket after the handshake (RFC 6455): takes bytes and returns actions.
///
///     open --close()--> closing --the other's close frame, or a mistake--> ended
///     open --the other's close frame--> ended
///     open --a mistake--> ended
///
/// It neither reads nor writes. Text is checked as it arrives, so a message is refused at its first
/// invalid byte, and a message that is too long at the header that announces it.
package struct WebSocketConversation {
  package enum Action: Equatable {
    /// A complete message.
    case deliver([UInt8], MessageKind)
    /// A complete message that arrived after this end's close frame, so it cannot be answered any
    /// more.
    case late([UInt8], MessageKind)
    /// A ping was received; send this payload back.
    case pong([UInt8])
    /// A pong was received.
    case ponged
    /// The other end is closing; answer with its code. Nothing follows.
    case answerClose(UInt16?)
    /// The other end violated the protocol or a limit; report this and close. Nothing follows.
    case fail(Closing)
    /// The closing that `close()` began is complete. Nothing follows.
    case end
  }

  private enum State {
    case open, closing, ended
  }

  private let messageBytesMax: Int
  /// The same for a binary message.
  private let binaryBytesMax: Int
  /// The role of the other end.
  private let side: FrameHeader.Side
  private var state = State.open
  /// The present frame, and how much of its payload has been received.
  private var header: FrameHeader?
  private var payloadTaken = 0
  /// The kind of the present message; nil if there is none.
  private var kind: MessageKind?
  private var message: [UInt8] = []
  private var control: [UInt8] = []
  private var validator = UTF8Validator()

  /// The reason in the other end's close frame.
  package private(set) var farewell = ""

  /// - Parameter binaryBytesMax: the maximum length of a binary message, if it differs.
  package init(
    messageBytesMax: Int, binaryBytesMax: Int? = nil, with side: FrameHeader.Side = .client
  ) {
    self.messageBytesMax = messageBytesMax
    self.binaryBytesMax = binaryBytesMax ?? messageBytesMax
    self.side = side
  }

  package var isOpen: Bool { state == .open }

  /// Records that this end has sent its close frame. Nothing is answered any more.
  package mutating func close() { if state == .open { state = .closing } }

  /// Takes bytes from `input` until there is an action; nil if more bytes are needed. The bytes of
  /// an incomplete header stay in `input` and must be passed again together with the following
  /// ones.
  package mutating func next(_ input: inout ByteBuffer) -> Action? {
    while true {
      if state == .ended {
        input.clear()
        return nil
      }
      guard let header else {
        do throws(FrameHeader.Violation) {
          guard let next = try FrameHeader.read(from: &input, sentBy: side) else { return nil }
          if let failure = begin(next) { return failure }
        } catch {
          return fail(CloseCode.protocolError, error.sentence)
        }
        continue
      }
      if let failure = take(header, from: &input) { return failure }
      guard payloadTaken == header.payloadBytes else { return nil }
      self.header = nil
      if let action = finish(header) { return action }
    }
  }

  /// Begins a frame. Returns an action if the frame is not allowed now.
  private mutating func begin(_ next: FrameHeader) -> Action? {
    switch next.opcode {
    case .continuation:
      if kind == nil { return fail(CloseCode.protocolError, "a continuation without a message") }
    case .text, .binary:
      if kind != nil {
        return fail(CloseCode.protocolError, "a new message among another one's fragments")
      }
      kind = next.opcode == .text ? .text : .binary
      validator = UTF8Validator()
    case .close, .ping, .pong: control.removeAll(keepingCapacity: true)
    }
    let limit = kind == .binary ? binaryBytesMax : messageBytesMax
    if !next.opcode.isControl, next.payloadBytes > limit - message.count {
      return fail(CloseCode.tooBig, "a message of more than \(limit) bytes")
    }
    header = next
    payloadTaken = 0
    return nil
  }

  /// Takes the available part of a frame's payload.
  private mutating func take(_ header: FrameHeader, from input: inout ByteBuffer) -> Action? {
    let count = min(header.payloadBytes - payloadTaken, input.readableBytes)
    guard count > 0 else { return nil }
    let offset = payloadTaken
    payloadTaken += count
    var isValid = true
    if header.opcode.isControl {
      Self.move(count, of: &input, to: &control, header.key, offset) { _ in }
    } else if kind == .text {
      Self.move(count, of: &input, to: &message, header.key, offset) {
        isValid = validator.accepts($0)
      }
    } else {
      Self.move(count, of: &input, to: &message, header.key, offset) { _ in }
    }
    return isValid ? nil : fail(CloseCode.invalidData, "text that is not UTF-8")
  }

  private static func move(
    _ count: Int, of input: inout ByteBuffer, to bytes: inout [UInt8], _ key: MaskingKey?,
    _ offset: Int, _ check: (UnsafeRawBufferPointer) -> Void
  ) {
    let start = bytes.count
    input.readWithUnsafeReadableBytes { source in
      bytes.append(contentsOf: source[..<count])
      return count
    }
    bytes.withUnsafeMutableBytes { all in
      let new = UnsafeMutableRawBufferPointer(rebasing: all[start...])
      key?.apply(to: new, at: offset)
      check(UnsafeRawBufferPointer(new))
    }
  }

  private mutating func finish(_ header: FrameHeader) -> Action? {
    switch header.opcode {
    case .continuation, .text, .binary:
      guard header.isFinal, let kind else { return nil }
      guard kind == .binary || validator.isComplete else {
        return fail(CloseCode.invalidData, "text that is not UTF-8")
      }
      let whole = message
      message = []
      self.kind = nil
      return state == .open ? .deliver(whole, kind) : .late(whole, kind)
    case .ping: return state == .open ? .pong(control) : nil
    case .pong: return state == .open ? .ponged : nil
    case .close: return finishClose()
    }
  }

  private mutating func finishClose() -> Action {
    if control.isEmpty { return end(with: .answerClose(nil)) }
    guard control.count >= 2 else {
      return fail(CloseCode.protocolError, "a close frame of one byte")
    }
    let code = UInt16(control[0]) << 8 | UInt16(control[1])
    guard CloseCode.isValid(code) else {
      return fail(CloseCode.protocolError, "close code \(code) must not be sent")
    }
    var reason = UTF8Validator()
    guard control.withUnsafeBytes({ reason.accepts(.init(rebasing: $0[2...])) }),
      reason.isComplete
    else { return fail(CloseCode.invalidData, "a reason that is not UTF-8") }
    farewell = String(decoding: control[2...], as: UTF8.self)
    return end(with: .answerClose(code))
  }

  private mutating func fail(_ code: UInt16, _ reason: String) -> Action {
    end(with: .fail(Closing(code, reason)))
  }

  private mutating func end(with action: Action) -> Action {
    defer {
      state = .ended
      message = []
    }
    // The other end has sent a close frame, so nothing more follows.
    return state == .open ? action : .end
  }
}

/// The two kinds of WebSocket messages (RFC 6455, 5.6).
package enum MessageKind: Hashable, Sendable {
  /// UTF-8.
  case text
  case binary
}

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
    return FrameHeader(isFinal: isFinal, opcode: opcode, payloadBytes: payloadBytes, key: key)
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

/// The four bytes that mask a client's payload (RFC 6455, 5.3).
package struct MaskingKey: Hashable, Sendable {
  /// In the order on the wire, with the first byte lowest.
  private var bits: UInt32

  package init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
    bits = UInt32(a) | UInt32(b) << 8 | UInt32(c) << 16 | UInt32(d) << 24
  }

  /// An unpredictable key; each frame must have its own.
  package static func random() -> MaskingKey {
    var key = MaskingKey(0, 0, 0, 0)
    key.bits = .random(in: 0...UInt32.max)
    return key
  }

  package func write(into buffer: inout ByteBuffer) {
    buffer.writeInteger(bits, endianness: .little)
  }

  /// Masks or unmasks bytes that begin at `offset` in their frame's payload.
  package func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    let shift = UInt32(offset & 3) * 8
    let turned = shift == 0 ? bits : bits >> shift | bits << (32 - shift)
    let wide = (UInt64(turned) << 32 | UInt64(turned)).littleEndian
    var index = 0
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < bytes.count {
      bytes[index] ^= UInt8(truncatingIfNeeded: turned >> (UInt32(index & 3) * 8))
      index += 1
    }
  }
}

/// Checks UTF-8 as it arrives, in pieces of any size (Unicode 16, table 3-7).
///
/// A piece is refused at the first byte that no continuation could make valid: overlong forms,
/// surrogates and values above U+10FFFF at their second byte.
struct UTF8Validator: Hashable, Sendable {
  /// The number of continuation bytes that must follow.
  private var missing: UInt8 = 0
  /// The allowed range of the next continuation byte; for those after it, 80...BF.
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Whether no character is incomplete.
  var isComplete: Bool { missing == 0 }

  /// Takes the next piece. Returns false if it is not UTF-8; the validator cannot be used after
  /// that.
  mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        // Most text is ASCII.
        while index + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        { index += 8 }
        guard index < bytes.count else { break }
        guard begins(bytes[index]) else { return false }
      } else {
        guard (low...high).contains(bytes[index]) else { return false }
        (low, high) = (0x80, 0xBF)
        missing -= 1
      }
      index += 1
    }
    return true
  }

  private mutating func begins(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, low) = (2, 0xA0)
    case 0xED: (missing, high) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, low) = (3, 0x90)
    case 0xF4: (missing, high) = (3, 0x8F)
    case 0xF1...0xF3: missing = 3
    default: return false
    }
    return true
  }
}

/// The reason for which this end closes a connection: a status code (RFC 6455, 7.4.1) and a
/// sentence.
package struct Closing: Hashable, Sendable {
  package var code: UInt16
  package var reason: String

  package init(_ code: UInt16, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The bench is stopping.
  package static let goingAway = Closing(CloseCode.goingAway, "the bench is stopping")
}

/// The status codes of close frames (RFC 6455, 7.4, and IANA's registry).
package enum CloseCode {
  package static let normal: UInt16 = 1000
  package static let goingAway: UInt16 = 1001
  package static let protocolError: UInt16 = 1002
  package static let invalidData: UInt16 = 1007
  package static let policyViolation: UInt16 = 1008
  package static let tooBig: UInt16 = 1009
  package static let tryAgainLater: UInt16 = 1013

  /// Whether a close frame can have this code. 1004 has no meaning; 1005, 1006 and 1015 are only
  /// for internal use; 1016 to 2999 are unassigned.
  package static func isValid(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

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
