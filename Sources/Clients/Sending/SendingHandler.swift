import NIOCore
import Networking

/// One connection to a target. Carries out what the conversation decides. Passes events to its
/// owner from `begin` until the end, which is reported once.
final class SendingHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let target: SenderTarget
  private let settings: SenderSettings
  private var owner: TargetLink?
  private var context: ChannelHandlerContext?
  private var conversation: TargetConversation?
  private var input = ByteBuffer()
  /// The pong to send when there is room. Only the last ping is answered (RFC 6455, 5.5.3).
  private var pong: [UInt8]?
  private var failure: String?
  private var isClosing = false

  init(_ target: SenderTarget, _ settings: SenderSettings) {
    self.target = target
    self.settings = settings
  }

  var isWritable: Bool { context?.channel.isWritable == true }

  /// Makes this the connection in use.
  func begin(_ owner: TargetLink) {
    self.owner = owner
    guard let context, context.channel.isActive else {
      return end(failure ?? "it was closed at once")
    }
    guard target.kind != .tcp else {
      conversation =
        settings.passesBytes
        ? .bytes : TargetConversation(messageBytesMax: settings.messageBytesMax)
      owner.opened(self)
      return take()
    }
    let key = UpgradeKey.random()
    key.accept(on: context.channel).assumeIsolated().whenComplete { [self] result in
      switch result {
      case .success(let accept):
        conversation = TargetConversation(
          accept: accept, messageBytesMax: settings.messageBytesMax)
        write(ByteBuffer(string: key.request(to: target)))
        take()
      case .failure(let error): end("\(error)")
      }
    }
  }

  /// Sends one message; over bare TCP, its bytes.
  func send(_ message: [UInt8], as kind: MessageKind = .text) {
    guard target.kind != .tcp else { return write(ByteBuffer(bytes: message)) }
    write(kind == .text ? .text : .binary, message)
  }

  /// Closes in order, after everything sent so far. The end is reported when the other end has
  /// answered.
  func close() {
    guard let context, !isClosing else { return }
    isClosing = true
    guard target.kind == .tcp else {
      conversation?.close()
      return write(.close, OutboundFrame.closePayload(CloseCode.normal))
    }
    // If unread data has arrived, closing at once would cause a reset, which would also discard
    // what was sent with it.
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
      bound.value.close(mode: .output, promise: nil)
    }
  }

  /// Closes at once, without a TLS shutdown. Reports nothing.
  func cut() {
    owner = nil
    guard let context else { return }
    // Closes from the context of the TLS handler, if there is one, which skips its shutdown.
    let tls = TLSLayer.client(in: context.pipeline.syncOperations)
    (tls ?? context).close(promise: nil)
  }

  // MARK: The channel

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    end(failure)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
    take()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(conversation?.farewell ?? failure)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    guard context.channel.isWritable else { return }
    answerPing()
    owner?.hasRoom(self)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failure = failure ?? ConnectionFailure.reason(for: error)
    let why = conversation?.farewell ?? failure ?? ""
    let owner = owner
    cut()
    owner?.ended(self, why)
  }

  // MARK: Decisions of the conversation

  private func take() {
    while owner != nil, let action = conversation?.next(&input) {
      switch action {
      case .opened: owner?.opened(self)
      case .message(let message, let kind): owner?.received(message, kind, from: self)
      case .pong(let payload):
        pong = payload
        answerPing()
      case .end(let closeFrame, let why):
        if let closeFrame, !isClosing { write(.close, closeFrame) }
        return end(why)
      }
    }
    if input.readableBytes == 0 { input = ByteBuffer() }
  }

  private func answerPing() {
    guard !isClosing, isWritable, let payload = pong else { return }
    pong = nil
    write(.pong, payload)
  }

  private func end(_ why: String?) {
    guard let owner else { return }
    self.owner = nil
    context?.close(promise: nil)
    owner.ended(self, why)
  }

  private func write(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) {
    var buffer = ByteBufferAllocator().buffer(
      capacity: payload.count + OutboundFrame.headBytesMax)
    OutboundFrame.write(opcode, payload, key: .random(), into: &buffer)
    write(buffer)
  }

  private func write(_ bytes: ByteBuffer) {
    context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }
}
