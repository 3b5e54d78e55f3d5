import NIOCore
import Sketches

/// One client of a `VisionServer`.
final class VisionServerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: VisionServer
  private var reader = VisionCommandReader(readsLines: false)
  private var idle: Scheduled<Void>?
  private var isFirstRead = true
  private var isOver = false

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
    guard !isOver else { return }
    let bytes = unwrapInboundIn(data).readableBytesView
    if isFirstRead, let foreign = ForeignProtocol(firstRead: bytes) {
      return refuse(context, "it begins as \(foreign.name)")
    }
    isFirstRead = false
    let commands = reader.receive(bytes)
    for command in commands {
      guard command == .vision else {
        context.flush()
        return server.shutDown()
      }
      // A client that sends requests without reading the answers is closed.
      guard context.channel.isWritable else { return context.close(promise: nil) }
      context.write(wrapOutboundOut(server.nextAnswer()), promise: nil)
    }
    if !commands.isEmpty {
      server.spoke(context.channel)
      context.flush()
      expect(context)
    }
    if reader.isSpoiled { refuse(context, "it sent something other than VISION and SHUTDOWN") }
  }

  private func refuse(_ context: ChannelHandlerContext, _ why: String) {
    isOver = true
    server.refuse(context.remoteAddress?.endpoint ?? "?", why)
    context.close(promise: nil)
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
