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
  package mutating func close() {
    if state == .open { state = .closing }
  }

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
    case .close, .ping, .pong:
      control.removeAll(keepingCapacity: true)
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

  /// The action for a complete frame.
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
