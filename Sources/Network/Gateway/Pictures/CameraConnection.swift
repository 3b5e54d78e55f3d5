import NIOCore

/// A program that reads the camera's stream, after its request.
final class CameraConnection: ChannelInboundHandler, CameraReader, Connection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let pictures: CameraPictures
  private let registry: ConnectionRegistry
  private let gate: TLSGate?
  private var context: ChannelHandlerContext?
  private let lingering = Lingering()

  init(_ pictures: CameraPictures, _ registry: ConnectionRegistry, _ gate: TLSGate?) {
    self.pictures = pictures
    self.registry = registry
    self.gate = gate
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    registry.opened(self, as: .client, from: Peer(context.remoteAddress))
    guard !lingering.isOn else { return }
    // Without pictures, only the kernel notices that the reader's computer is gone. It must not end
    // a connection whose reader pauses, though: what was written is then not acknowledged.
    try? context.channel.set(KeepAlive.probes(idleSeconds: 5, count: 5))
    try? context.channel.syncOptions?.setOption(
      .socketOption(.so_sndbuf), value: .init(CameraPictures.sendBufferBytes))
    let head = HTTPReply(200, "", contentType: CameraPicture.contentType).head(length: nil)
    context.write(wrapOutboundOut(head), promise: nil)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: CameraPicture.boundary)), promise: nil)
    // The request was admitted only if there was room.
    if !pictures.join(self) { cut() }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    lingering.end()
    pictures.leave(self)
    registry.closed(self)
  }

  /// What a reader sends after its request is ignored.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func errorCaught(context: ChannelHandlerContext, error: any Error) { cut() }

  func send(_ part: ByteBuffer) {
    guard let context else { return }
    let taken = context.eventLoop.makePromise(of: Void.self)
    taken.futureResult.assumeIsolated().whenSuccess { [weak self] in
      guard let self else { return }
      pictures.taken(by: self)
    }
    context.writeAndFlush(wrapOutboundOut(part), promise: taken)
  }

  func shutDown() {
    pictures.leave(self)
    guard let context else { return }
    lingering.begin(context, in: TimeAmount(registry.limits.closeTime)) { [weak self] in
      self?.cut()
    }
  }

  func cut() { if let gate { gate.cut() } else { context?.close(promise: nil) } }
}
