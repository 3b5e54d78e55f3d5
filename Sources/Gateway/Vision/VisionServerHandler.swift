import NIOCore

/// One client of a `VisionServer`.
final class VisionServerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: VisionServer
  private var reader = VisionCommandReader(readsLines: false)
  private var idle: Scheduled<Void>?

  init(_ server: VisionServer) { self.server = server }

  func handlerAdded(context: ChannelHandlerContext) {
    server.joined(context.channel)
    expect(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    idle?.cancel()
    server.left(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let commands = reader.receive(unwrapInboundIn(data).readableBytesView)
    for command in commands {
      guard command == .vision else {
        context.flush()
        return server.shutDown()
      }
      // Who asks and does not read has had its share.
      guard context.channel.isWritable else { return context.close(promise: nil) }
      context.write(wrapOutboundOut(server.nextAnswer()), promise: nil)
    }
    guard reader.junkBytes <= server.limits.junkBytesMax else {
      return context.close(promise: nil)
    }
    guard !commands.isEmpty else { return }
    context.flush()
    expect(context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func expect(_ context: ChannelHandlerContext) {
    idle?.cancel()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    idle = context.eventLoop.scheduleTask(in: .init(server.limits.idleTime)) {
      bound.value.close(promise: nil)
    }
  }
}
