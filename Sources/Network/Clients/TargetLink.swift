package import NIOCore
import NIOPosix
import Sketches
import SystemPackage
import Traces
package import TurretLink

/// Uses a link. All calls are made on its event loop.
package protocol CommandLinkOwner: AnyObject {
  func take(_ event: Reconnection.Event)
  func received(_ message: [UInt8], _ kind: MessageKind)
  /// The link can accept more data again.
  func hasRoom()
}

extension CommandLinkOwner {
  /// For an owner that sends one message at a time, so that nothing waits for room.
  package func hasRoom() {}
}

/// The connection to what receives commands: a target on the network or a serial port. Carries out
/// what a `Reconnection` decides, and passes events to its owner. Used only on its event loop.
package protocol CommandLink: AnyObject {
  /// Whether it can accept a message now. If it is open and cannot, it calls `hasRoom` when it can.
  var isWritable: Bool { get }
  func carryOut(_ action: Reconnection.Action, for owner: any CommandLinkOwner)
  /// Sends one message. Has no effect without a connection.
  func send(_ message: [UInt8])
  /// Closes in order, after everything sent so far.
  func close()
  /// Completes when `finish` is carried out. Call it before the event that leads to it.
  func awaitEnd() -> EventLoopFuture<Void>
}

/// The connection to a target on the network: the one in use, or one that has just been made.
package final class TargetLink: CommandLink {
  private let target: SenderTarget
  private let settings: SenderSettings
  private let tls: TLSLayer?
  private let loop: any EventLoop
  /// Kept from the first attempt to connect until the end.
  private var owner: (any CommandLinkOwner)?
  private var ending: EventLoopPromise<Void>?
  /// The connection in use.
  private var handler: SendingHandler?
  /// The channel that has just been connected.
  private var newcomer: (any Channel)?

  package init(
    to target: SenderTarget, _ settings: SenderSettings, _ tls: TLSLayer?, on loop: any EventLoop
  ) {
    self.target = target
    self.settings = settings
    self.tls = tls
    self.loop = loop
  }

  package var isWritable: Bool { handler?.isWritable == true }

  package func carryOut(_ action: Reconnection.Action, for owner: any CommandLinkOwner) {
    switch action {
    case .connect:
      self.owner = owner
      connect()
    case .greet: greet()
    case .discard: newcomer.take()?.close(promise: nil)
    case .cut: handler.take()?.cut()
    case .finish:
      self.owner = nil
      ending?.succeed()
    // Only the owner knows what they mean.
    case .ready, .away: break
    }
  }

  package func send(_ message: [UInt8]) {
    send(message, as: String(validating: message, as: UTF8.self) == nil ? .binary : .text)
  }

  /// Sends one message; over bare TCP, its bytes. Has no effect without a connection.
  func send(_ message: [UInt8], as kind: MessageKind) { handler?.send(message, as: kind) }

  package func close() { handler?.close() }

  package func awaitEnd() -> EventLoopFuture<Void> {
    loop.preconditionInEventLoop()
    let promise = ending ?? loop.makePromise(of: Void.self)
    ending = promise
    return promise.futureResult
  }

  // MARK: Events of a connection

  func opened(_ handler: SendingHandler) { if self.handler === handler { tell(.opened) } }

  func received(_ message: [UInt8], _ kind: MessageKind, from handler: SendingHandler) {
    if self.handler === handler { owner?.received(message, kind) }
  }

  func hasRoom(_ handler: SendingHandler) { if self.handler === handler { owner?.hasRoom() } }

  /// The connection has ended, for this reason; nil if the other end closed it. Called once.
  func ended(_ handler: SendingHandler, _ why: String?) {
    guard self.handler === handler else { return }
    self.handler = nil
    tell(.lost(why))
  }

  private func connect() {
    let bound = NIOLoopBound(self, eventLoop: loop)
    SenderBootstrap.connect(to: target, settings, tls, on: loop).whenComplete { result in
      bound.value.connected(result)
    }
  }

  private func connected(_ result: Result<any Channel, any Error>) {
    switch result {
    case .failure(let error): tell(.refused(ConnectionFailure.reason(for: error)))
    case .success(let channel):
      let bound = NIOLoopBound(self, eventLoop: loop)
      channel.closeFuture.whenComplete { _ in bound.value.tell(.closed) }
      newcomer = channel
      tell(.connected)
    }
  }

  private func greet() {
    handler = try? newcomer.take()?.pipeline.syncOperations.handler(type: SendingHandler.self)
    guard let handler else { return tell(.lost("it was closed at once")) }
    handler.begin(self)
  }

  private func tell(_ event: Reconnection.Event) { owner?.take(event) }
}

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
        conversation = TargetConversation(accept: accept, messageBytesMax: settings.messageBytesMax)
        write(ByteBuffer(string: key.request(to: target)))
        take()
      case .failure(let error): end("\(error)")
      }
    }
  }

  /// Sends one message; over bare TCP, its bytes.
  func send(_ message: [UInt8], as kind: MessageKind) {
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

  func channelInactive(context: ChannelHandlerContext) { end(conversation?.farewell ?? failure) }

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
    var buffer = ByteBufferAllocator().buffer(capacity: payload.count + OutboundFrame.headBytesMax)
    OutboundFrame.write(opcode, payload, key: .random(), into: &buffer)
    write(buffer)
  }

  private func write(_ bytes: ByteBuffer) {
    context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }
}

/// Makes connections to a target.
enum SenderBootstrap {
  /// At most one frame that the kernel did not accept is buffered, so that later commands wait
  /// where a newer one can replace them.
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 4)

  static func connect(
    to target: SenderTarget, _ settings: SenderSettings, _ tls: TLSLayer?,
    on loop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    var bootstrap = ClientBootstrap(group: loop)
    if let bytes = settings.kernelBufferBytes {
      bootstrap = bootstrap.channelOption(.socketOption(.so_sndbuf), value: bytes)
    }
    return
      bootstrap
      .connectTimeout(.init(settings.connectTime))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(.writeBufferWaterMark, value: waterMark)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.set(KeepAlive.options(settings.silenceTime))
          let pipeline = channel.pipeline.syncOperations
          try tls?.connect(pipeline, to: target.endpoint.host)
          try pipeline.addHandler(SendingHandler(target, settings))
        }
      }
      .connect(host: target.endpoint.host, port: target.endpoint.port)
  }
}

/// The reason why a connection could not be made, or broke, in a few words.
enum ConnectionFailure {
  static func reason(for error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      // A name can have several addresses; the failure of the first one is the most relevant.
      if let first = error.connectionErrors.first { return reason(for: first.error) }
      return "no address is known for \(error.host)"
    case ChannelError.connectTimeout(let time):
      return "no answer in \(String(readable: .nanoseconds(time.nanoseconds)))"
    case let error as IOError: return "\(Errno(rawValue: error.errnoCode))"
    default: return TLSLayer.reason(for: error) ?? "\(error)"
    }
  }
}
