import NIOCore

/// Hands what happens on one connection to the phone over to whom it belongs to.
final class VisionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let owner: VisionConnection
  private let attempt: Int
  /// What the system said before the connection ended.
  private var failure: String?

  init(_ owner: VisionConnection, attempt: Int) {
    self.owner = owner
    self.attempt = attempt
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    owner.received(unwrapInboundIn(data), attempt: attempt)
  }

  func channelInactive(context: ChannelHandlerContext) {
    owner.closed(failure, attempt: attempt)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failure = failure ?? ConnectionFailure.words(for: error)
    context.close(promise: nil)
  }
}
