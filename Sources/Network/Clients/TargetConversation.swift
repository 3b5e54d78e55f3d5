import NIOCore
import Traces
import TurretLink

/// The data received from a target since the connection was made: takes bytes and returns actions.
/// Like `WebSocketConversation`, it neither reads nor writes.
///
///     handshake --accepted--> WebSocket --its close frame, or a mistake--> ended
///          '-- refused --> ended
///     lines, or bytes as they arrive (bare TCP)
struct TargetConversation {
  enum Action: Equatable {
    /// The server has accepted the connection.
    case opened
    /// A message; over bare TCP, a line, or bytes.
    case message([UInt8], MessageKind)
    case pong([UInt8])
    /// The conversation has ended, with the reason. If there is a payload, it must first be sent in
    /// a close frame. No action follows.
    case end(closeFrame: [UInt8]?, String)
  }

  private enum State {
    case handshake(UpgradeReply)
    case webSocket(WebSocketConversation)
    case lines(LineReader)
    case bytes
    case ended
  }

  private var state: State
  private let messageBytesMax: Int
  /// The reason for which the server is about to close, as reported over bare TCP.
  private(set) var farewell: String?

  /// A WebSocket whose request has been sent.
  init(accept: String, messageBytesMax: Int) {
    self.init(.handshake(UpgradeReply(accept: accept)), messageBytesMax)
  }

  /// Bare TCP.
  init(messageBytesMax: Int) {
    self.init(.lines(LineReader(bytesMax: messageBytesMax)), messageBytesMax)
  }

  /// Bare TCP, whose bytes are passed on as they arrive.
  static var bytes: TargetConversation { TargetConversation(.bytes, .max) }

  private init(_ state: State, _ messageBytesMax: Int) {
    self.state = state
    self.messageBytesMax = messageBytesMax
  }

  /// Records that this end has sent its close frame.
  mutating func close() {
    guard case .webSocket(var conversation) = state else { return }
    conversation.close()
    state = .webSocket(conversation)
  }

  /// Takes bytes from `input` until there is an action; nil if more bytes are needed.
  mutating func next(_ input: inout ByteBuffer) -> Action? {
    switch state {
    case .handshake(var reply):
      let outcome = reply.take(&input)
      switch outcome {
      case nil:
        state = .handshake(reply)
        return nil
      case .accepted:
        state = .webSocket(WebSocketConversation(messageBytesMax: messageBytesMax, with: .server))
        return .opened
      case .refused(let why):
        state = .ended
        return .end(closeFrame: nil, why)
      }
    case .webSocket(var conversation):
      // Avoids a second reference, which would cause copies.
      state = .ended
      while let action = conversation.next(&input) {
        if let action = translate(action, conversation) {
          if case .end = action { return action }
          state = .webSocket(conversation)
          return action
        }
      }
      state = .webSocket(conversation)
      return nil
    case .lines(var reader):
      state = .ended
      defer { state = .lines(reader) }
      while let line = reader.next(&input) {
        guard let (code, reason) = GatewayMessage.farewell(line) else {
          return .message(line, .text)
        }
        farewell = Self.closed(code, reason)
      }
      return nil
    case .bytes:
      guard input.readableBytes > 0 else { return nil }
      defer { input.clear() }
      return .message(Array(input.readableBytesView), .binary)
    case .ended:
      input.clear()
      return nil
    }
  }

  private func translate(
    _ action: WebSocketConversation.Action, _ conversation: WebSocketConversation
  ) -> Action? {
    switch action {
    case .deliver(let message, let kind): .message(message, kind)
    case .pong(let payload): .pong(payload)
    case .ponged, .late: nil
    case .answerClose(let code):
      .end(closeFrame: OutboundFrame.closePayload(code), Self.closed(code, conversation.farewell))
    case .fail(let closing):
      .end(
        closeFrame: OutboundFrame.closePayload(closing.code, closing.reason),
        "it broke the protocol: \(closing.reason)")
    case .end: .end(closeFrame: nil, "closed")
    }
  }

  private static func closed(_ code: UInt16?, _ reason: String) -> String {
    let said = reason.isEmpty ? "" : ": \(ByteText.quoted(reason.utf8))"
    return code.map { "it closed with \($0)\(said)" } ?? "it closed"
  }
}

/// Lines from a bare TCP target. A line that is too long is skipped.
struct LineReader: Hashable {
  private let bytesMax: Int
  private var line: [UInt8] = []
  private var isTooLong = false

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Takes bytes from `input` up to the end of a line; nil if more are needed.
  mutating func next(_ input: inout ByteBuffer) -> [UInt8]? {
    while input.readableBytes > 0 {
      let view = input.readableBytesView
      let end = view.firstIndex(of: 0x0A)
      let part = view[..<(end ?? view.endIndex)]
      if line.count + part.count > bytesMax { isTooLong = true }
      if isTooLong { line = [] } else { line += part }
      input.moveReaderIndex(forwardBy: part.count + (end == nil ? 0 : 1))
      guard end != nil else { return nil }
      defer {
        line = []
        isTooLong = false
      }
      if !isTooLong { return line.last == 0x0D ? line.dropLast() : line }
    }
    return nil
  }
}
