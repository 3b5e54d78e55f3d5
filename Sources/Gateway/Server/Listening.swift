import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SystemPackage

/// Opens listeners, and builds the pipelines of what they accept.
enum Listening {
  /// What the kernel holds for one connection, each way, in bytes. Left to itself it grows to megabytes
  /// for one that does not read.
  private static let kernelBufferBytes = 131_072
  /// A client counts as not reading from the higher on, until it is back at the lower, in bytes.
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 16_384, high: 65_536)

  /// Binds one endpoint after the other. Where one cannot be had, those before it are closed again.
  static func open(
    _ endpoints: [Endpoint], on loop: any EventLoop, _ log: Logger,
    _ greet: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<[any Channel]> {
    var opened = loop.makeSucceededFuture([any Channel]())
    for endpoint in endpoints {
      opened = opened.flatMap { before in
        bind(endpoint, on: loop, log, greet).map { before + [$0] }.flatMapErrorThrowing { error in
          for channel in before { channel.close(promise: nil) }
          throw error
        }
      }
    }
    return opened
  }

  static func endpoint(_ channel: any Channel) -> Endpoint {
    channel.localAddress.flatMap { Endpoint($0.endpoint) } ?? Endpoint(host: "?", port: 0)
  }

  private static func bind(
    _ endpoint: Endpoint, on loop: any EventLoop, _ log: Logger,
    _ greet: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptBackoff(log))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_rcvbuf), value: kernelBufferBytes)
      .childChannelOption(.socketOption(.so_sndbuf), value: kernelBufferBytes)
      .childChannelOption(.writeBufferWaterMark, value: waterMark)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 65_536)
      )
      .childChannelInitializer(greet)
      .bind(host: endpoint.host, port: endpoint.port)
      .flatMapErrorThrowing { error in
        throw GatewayError(.unavailable, "cannot listen on \(endpoint): \(sentence(error))")
      }
  }

  private static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as IOError: "\(Errno(rawValue: error.errnoCode))"
    case is SocketAddressError: "there is no such host"
    default: "\(error)"
    }
  }

  static func greet(
    _ channel: any Channel, _ reception: Reception, _ tls: NIOSSLContext?
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      guard !reception.isCrowded else { throw ChannelError.ioOnClosedChannel }
      let pipeline = channel.pipeline.syncOperations
      var gate: TLSGate?
      if let tls {
        let first = TLSGate(reception)
        gate = first
        try pipeline.addHandlers([first, NIOSSLServerHandler(context: tls)])
      }
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = reception.limits.requestBytesMax
      limits.maxHeaderListSize = reception.limits.requestBytesMax
      let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
      try pipeline.addHandler(ByteToMessageHandler(decoder))
      try pipeline.addHandler(RequestHandler(reception, gate))
    }
  }

  static func greetTCP(_ channel: any Channel, _ reception: Reception) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let address = channel.remoteAddress?.endpoint ?? "?"
      try channel.pipeline.syncOperations.addHandler(TCPClient(reception, address))
    }
  }
}
