import NIOCore
import NIOPosix
import NetworkTestSupport
import Platform

@testable import Networking

/// Says what it has to say, never reads the answer, and breaks the connection off with a reset.
final class RudeClient: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let opening: String
  /// How the answer to the opening ends.
  private let answerEnd: String
  private let bytes: [UInt8]
  private var answer: [UInt8] = []

  private init(_ bytes: [UInt8], isWebSocket: Bool) {
    self.bytes = bytes
    // A reset that comes before the server has accepted the connection takes all bytes with it.
    opening = isWebSocket ? Wire.handshake() : "z\n"
    answerEnd = isWebSocket ? "\r\n\r\n" : "\n"
  }

  /// Done when the connection is gone.
  static func run(
    _ bytes: [UInt8], to endpoint: Endpoint, isWebSocket: Bool, tls: TLSLayer?,
    on group: any EventLoopGroup
  ) throws {
    try ClientBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try tls?.connect(pipeline, to: endpoint.host)
          try pipeline.addHandler(RudeClient(bytes, isWebSocket: isWebSocket))
        }
      }
      .connect(host: endpoint.host, port: endpoint.port)
      .flatMap { $0.closeFuture }.wait()
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: opening)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    answer += unwrapInboundIn(data).readableBytesView
    if answer.suffix(answerEnd.utf8.count).elementsEqual(answerEnd.utf8) { speak(context) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func speak(_ context: ChannelHandlerContext) {
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    // Zero seconds of lingering: what is unread is answered with a reset, and so is what is unsent.
    _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    // From before TLS: without its goodbye.
    let tls = TLSLayer.client(in: context.pipeline.syncOperations)
    (tls ?? context).close(promise: nil)
  }
}
