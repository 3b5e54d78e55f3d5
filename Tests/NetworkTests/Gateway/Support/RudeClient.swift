import NIOCore
import NIOPosix
import NetworkTestSupport
import Platform

@testable import Network

/// Sends its bytes, never reads the answer, and ends the connection with a reset.
final class RudeClient: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let opening: String
  /// The end of the answer to the opening.
  private let answerEnd: String
  private let bytes: [UInt8]
  private var answer: [UInt8] = []

  private init(_ bytes: [UInt8], isWebSocket: Bool) {
    self.bytes = bytes
    // A reset that arrives before the server has accepted the connection discards all bytes.
    opening = isWebSocket ? Wire.handshake() : "z\n"
    answerEnd = isWebSocket ? "\r\n\r\n" : "\n"
  }

  /// Completes when the connection is closed.
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
    // Without lingering, closing sends a reset, whether data is unread or unsent.
    _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    // Closes from the TLS handler's context, which skips the TLS shutdown.
    let tls = TLSLayer.client(in: context.pipeline.syncOperations)
    (tls ?? context).close(promise: nil)
  }
}
