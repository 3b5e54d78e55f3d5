package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
import SystemPackage

/// Opens listeners.
package enum Listening {
  /// The kernel's buffers for one connection, in each direction, in bytes. By default they grow to
  /// megabytes for a client that does not read.
  private static let kernelBufferBytes = 131_072
  /// In bytes: above the higher value, a client counts as not reading, until it is back at the
  /// lower one.
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
    low: 16_384, high: 65_536)

  /// Binds one endpoint after the other; for a name, all its addresses. If one is not available,
  /// those before it are closed again.
  package static func open(
    _ endpoints: [Endpoint], on loop: any EventLoop, _ log: Logger,
    _ greet: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<[any Channel]> {
    var opened = loop.makeSucceededFuture([any Channel]())
    for endpoint in endpoints {
      let addresses: [SocketAddress]
      do throws(NetworkError) {
        addresses = try endpoint.resolved()
      } catch {
        opened = opened.flatMapThrowing { before in try give(before, up: error) }
        break
      }
      for (index, address) in addresses.enumerated() {
        opened = opened.flatMap { before in
          var address = address
          // Once a free port has been found, it is used for all addresses of the name.
          if endpoint.port == 0, index > 0 { address.port = before.last?.localAddress?.port }
          return bind(address, on: loop, log, greet).map { before + [$0] }
            .flatMapErrorThrowing { error in
              // `localhost` may have an address in a family that this computer does not support.
              if index > 0, isMissing(error) { return before }
              return try give(before, up: failure(endpoint, error))
            }
        }
      }
    }
    return opened
  }

  private static func give(_ channels: [any Channel], up error: NetworkError) throws
    -> [any Channel]
  {
    for channel in channels { channel.close(promise: nil) }
    throw error
  }

  private static func isMissing(_ error: any Error) -> Bool {
    guard let error = error as? IOError else { return false }
    return [.addressNotAvailable, .addressFamilyNotSupported].contains(
      Errno(rawValue: error.errnoCode))
  }

  private static func failure(_ endpoint: Endpoint, _ error: any Error) -> NetworkError {
    let why = (error as? IOError).map { "\(Errno(rawValue: $0.errnoCode))" } ?? "\(error)"
    return NetworkError(.unavailable, "error: cannot listen on \(endpoint): \(why)")
  }

  package static func endpoint(_ channel: any Channel) -> Endpoint {
    channel.localAddress.flatMap { Endpoint($0.endpoint) } ?? Endpoint(host: "?", port: 0)
  }

  private static func bind(
    _ address: SocketAddress, on loop: any EventLoop, _ log: Logger,
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
      // Accepted connections inherit these options.
      .serverChannelOption(.socketOption(.so_rcvbuf), value: kernelBufferBytes)
      .serverChannelOption(.socketOption(.so_sndbuf), value: kernelBufferBytes)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: waterMark)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 65_536)
      )
      .childChannelInitializer(greet)
      .bind(to: address)
  }
}
