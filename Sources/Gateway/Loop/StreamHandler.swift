import NIOCore

/// Hands over what is read from a descriptor, and no bytes at its end: its owner finds out itself what is
/// wrong with it.
final class StreamHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let arrived: ([UInt8]) -> Void
  private let complete: () -> Void

  /// `complete`: all that had come was handed over, or there is no more to come.
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
