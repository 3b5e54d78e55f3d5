package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
import Platform
import Sketches

/// Accepts connections, and builds the pipelines of these connections.
package enum Listening {
  /// In bytes: above the higher value, a client counts as not reading, until it is back at the
  /// lower one.
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
    low: 16_384, high: 65_536)

  /// Listens on all endpoints, or on none, and accepts connections.
  package static func open(
    _ endpoints: [Endpoint], on loop: any EventLoop, _ log: Logger,
    _ greet: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<[any Channel]> {
    do throws(NetworkError) {
      return accept(on: try ListeningSocket.open(endpoints), loop: loop, log, greet)
    } catch {
      return loop.makeFailedFuture(error)
    }
  }

  /// Accepts connections on listening sockets.
  package static func accept(
    on sockets: [ListeningSocket], loop: any EventLoop, _ log: Logger,
    _ greet: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<[any Channel]> {
    var accepting = loop.makeSucceededFuture([any Channel]())
    for socket in sockets.compactMap({ $0.take() }) {
      let channel = accept(on: socket, loop: loop, log, greet)
      accepting = accepting.and(channel).map { $0 + [$1] }
    }
    return accepting
  }

  package static func endpoint(_ channel: any Channel) -> Endpoint {
    channel.localAddress.flatMap { Endpoint($0.endpoint) } ?? Endpoint(host: "?", port: 0)
  }

  private static func accept(
    on socket: CInt, loop: any EventLoop, _ log: Logger,
    _ greet: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    ServerBootstrap(group: loop)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // SwiftNIO has just replaced the backlog with its own.
          _ = listen(socket, ListeningSocket.backlog)
          try channel.pipeline.syncOperations.addHandler(AcceptBackoff(log))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: waterMark)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 65_536)
      )
      .childChannelInitializer(greet)
      .withBoundSocket(socket)
  }
}

extension Listening {
  static func greet(
    _ channel: any Channel, _ registry: ConnectionRegistry, _ tls: TLSLayer?
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      var gate: TLSGate?
      if let tls {
        let first = TLSGate(registry)
        gate = first
        try pipeline.addHandler(first)
        try tls.serve(pipeline)
      }
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = registry.limits.requestBytesMax
      limits.maxHeaderListSize = registry.limits.requestBytesMax
      let decoder = HTTPRequestDecoder(
        leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
      try pipeline.addHandler(ByteToMessageHandler(decoder))
      try pipeline.addHandler(RequestHandler(registry, gate))
    }
  }

  /// Makes the kernel detect that the other end's computer is gone, about as fast as by pings:
  /// while a client is not read, one period can pass before anything is sent to it.
  static func keepAlive(_ channel: any Channel, _ limits: Limits) throws {
    let time = max(limits.pongTime - limits.pingPeriod, limits.pingPeriod)
    try channel.set(KeepAlive.options(time))
  }

  static func greetTCP(_ channel: any Channel, _ registry: ConnectionRegistry) -> EventLoopFuture<
    Void
  > {
    channel.eventLoop.makeCompletedFuture {
      // The client cannot be pinged, so the kernel must detect that it is gone.
      try keepAlive(channel, registry.limits)
      let address = channel.remoteAddress?.endpoint ?? "?"
      try channel.pipeline.syncOperations.addHandler(TCPConnection(registry, address))
    }
  }
}

extension Channel {
  /// Sets options of its socket. It must be called on the channel's event loop.
  func set(_ options: [Platform.SocketOption]) throws {
    for option in options {
      let name = ChannelOptions.socket(.init(option.level), .init(option.name))
      try syncOptions?.setOption(name, value: .init(option.value))
    }
  }
}

/// Pauses a listener that has run out of descriptors or memory. Otherwise it would keep listening,
/// find the same connection waiting immediately, and use a whole processor.
final class AcceptBackoff: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private static let rest = TimeAmount.milliseconds(100)
  /// The log reports it at most this often.
  private static let quiet = TimeAmount.seconds(10)

  private let log: Logger
  private var isResting = false
  private var lastTold: NIODeadline?

  init(_ log: Logger) { self.log = log }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let now = NIODeadline.now()
    if lastTold.map({ now - $0 > Self.quiet }) ?? true {
      lastTold = now
      log.error("cannot accept connections", metadata: ["why": "\(error)"])
    }
    guard !isResting else { return }
    isResting = true
    // Only this removes the socket from those that the loop polls; after a failed read it would
    // still be polled.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.rest) { [self] in
      isResting = false
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
