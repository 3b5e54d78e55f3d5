import NIOCore

/// Passes the events of one connection to the phone to its owner.
final class VisionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let owner: VisionConnection
  private let attempt: Int
  /// The system's error before the connection ended.
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
    failure = failure ?? ConnectionFailure.reason(for: error)
    context.close(promise: nil)
  }
}
