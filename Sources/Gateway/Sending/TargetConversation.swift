import NIOCore
import Traces

/// What a target says, from the connection on: bytes in, what is to be done out. Like
/// `WebSocketConversation` it neither reads nor writes.
///
///     handshake --accepted--> WebSocket --its close frame, or a mistake--> ended
///          '-- refused --> ended
///     lines (bare TCP)
struct TargetConversation {
  enum Action: Equatable {
    /// The server has taken the connection.
    case opened
    case notice(SenderNotice)
    case pong([UInt8])
    /// It is over, and why. First this close frame's payload, if any, is to be sent. Nothing
    /// follows.
    case end(closeFrame: [UInt8]?, String)
  }

  private enum State {
    case handshake(UpgradeReply)
    case webSocket(WebSocketConversation)
    case lines(LineReader)
    case ended
  }

  private var state: State
  private let messageBytesMax: Int
  /// Why the server is about to close, as bare TCP tells it.
  private(set) var farewell: String?

  /// A WebSocket whose request has been sent.
  init(accept: String, messageBytesMax: Int) {
    state = .handshake(UpgradeReply(accept: accept))
    self.messageBytesMax = messageBytesMax
  }

  /// Bare TCP.
  init(messageBytesMax: Int) {
    state = .lines(LineReader(bytesMax: messageBytesMax))
    self.messageBytesMax = messageBytesMax
  }

  /// This end has sent its close frame.
  mutating func close() {
    guard case .webSocket(var conversation) = state else { return }
    conversation.close()
    state = .webSocket(conversation)
  }

  /// Takes from `input` until there is something to be done; nil: more is needed.
  mutating func next(_ input: inout ByteBuffer) -> Action? {
    switch state {
    case .handshake(var reply):
      let outcome = reply.take(&input)
      switch outcome {
      case nil:
        state = .handshake(reply)
        return nil
      case .accepted:
        state = .webSocket(
          WebSocketConversation(messageBytesMax: messageBytesMax, with: .server))
        return .opened
      case .refused(let why):
        state = .ended
        return .end(closeFrame: nil, why)
      }
    case .webSocket(var conversation):
      // Not to have two of it, and so copies of what is under way.
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
        if let notice = SenderNotice(line) { return .notice(notice) }
        if let (code, reason) = SenderNotice.farewell(line) {
          farewell = Self.closed(code, reason)
        }
      }
      return nil
    case .ended:
      input.clear()
      return nil
    }
  }

  private func translate(
    _ action: WebSocketConversation.Action, _ conversation: WebSocketConversation
  ) -> Action? {
    switch action {
    case .deliver(let message, _): SenderNotice(message).map { .notice($0) }
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
    let said = reason.isEmpty ? "" : " and says \(ByteText.quoted(reason.utf8))"
    return code.map { "it closed with \($0)\(said)" } ?? "it closed"
  }
}
