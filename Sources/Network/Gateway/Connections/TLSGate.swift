package import NIOCore

/// A handler before TLS: it rejects plain HTTP, and can close the connection without TLS.
final class TLSGate: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The first byte of a TLS record with a handshake (RFC 8446, 5.1).
  private static let handshakeRecord: UInt8 = 22

  private let registry: ConnectionRegistry
  private var context: ChannelHandlerContext?
  private var isOpen = false
  private let lingering = Lingering()

  /// Whether the other end was rejected, so that no request will follow.
  var isRefusing: Bool { lingering.isOn }

  init(_ registry: ConnectionRegistry) { self.registry = registry }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    lingering.end()
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isOpen { return context.fireChannelRead(data) }
    guard !lingering.isOn, let first = unwrapInboundIn(data).readableBytesView.first else { return }
    guard first == Self.handshakeRecord else { return refuse(context) }
    isOpen = true
    context.fireChannelRead(data)
  }

  /// Closes without a TLS shutdown.
  func cut() { context?.close(promise: nil) }

  private func refuse(_ context: ChannelHandlerContext) {
    let address = context.channel.remoteAddress?.endpoint ?? "?"
    registry.refuse(400, address, nil, "no TLS")
    let reply = HTTPReply(400, "This port speaks TLS: use https:// or wss://.\n")
    context.writeAndFlush(wrapOutboundOut(reply.bytes(isHead: false)), promise: nil)
    lingering.begin(context, in: .init(registry.limits.closeTime)) { [weak self] in self?.cut() }
  }
}

/// Ends a connection in such a way that the last data sent arrives: the output is closed first, and
/// the whole connection when the other end has closed it, too, or has had enough time.
///
/// If it were closed at once while data from the other end is unread, the kernel would send a
/// reset, and the other end would lose the data that it has not yet read.
///
/// A class, because closing can call back into the owner before `begin` returns.
package final class Lingering {
  private var timer: Scheduled<Void>?

  package init() {}

  package var isOn: Bool { timer != nil }

  /// From now on, received data must be discarded.
  package func begin(
    _ context: ChannelHandlerContext, in time: TimeAmount, cut: @escaping () -> Void
  ) {
    guard timer == nil else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time, cut)
    // The end of the input is only noticed while reading.
    try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    context.close(mode: .output, promise: nil)
  }

  package func end() { timer?.cancel() }
}
