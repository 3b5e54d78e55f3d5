package import NIOCore

/// Passes on everything read from a descriptor. At the end of the input it passes on an empty
/// array; the owner then finds out the cause.
package final class StreamHandler: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer

  private let arrived: ([UInt8]) -> Void
  private let complete: () -> Void

  /// `complete`: called when all received bytes have been passed on, or none will follow.
  package init(_ arrived: @escaping ([UInt8]) -> Void, complete: @escaping () -> Void = {}) {
    self.arrived = arrived
    self.complete = complete
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    arrived(Array(unwrapInboundIn(data).readableBytesView))
  }

  package func channelReadComplete(context: ChannelHandlerContext) { complete() }
  package func channelInactive(context: ChannelHandlerContext) {
    arrived([])
    complete()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
