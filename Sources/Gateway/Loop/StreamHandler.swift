import NIOCore

/// Passes on everything read from a descriptor. At its end it passes on no bytes; the owner then
/// finds out what is wrong.
final class StreamHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let arrived: ([UInt8]) -> Void
  private let complete: () -> Void

  /// `complete`: called when all received bytes have been passed on, or none will follow.
  init(_ arrived: @escaping ([UInt8]) -> Void, complete: @escaping () -> Void = {}) {
    self.arrived = arrived
    self.complete = complete
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    arrived(Array(unwrapInboundIn(data).readableBytesView))
  }

  func channelReadComplete(context: ChannelHandlerContext) { complete() }
  func channelInactive(context: ChannelHandlerContext) {
    arrived([])
    complete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
