package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
package import Networking

/// The listeners of a gateway and their connections.
package final class GatewayServer: Sendable {
  /// The addresses that were actually bound, for WebSocket and HTTP.
  package let webSocketAddresses: [Endpoint]
  /// The same for bare TCP.
  package let tcpAddresses: [Endpoint]

  private let loop: any EventLoop
  private let listeners: [any Channel]
  private let registry: NIOLoopBound<ConnectionRegistry>

  private init(
    _ loop: any EventLoop, webSocket: [any Channel], tcp: [any Channel],
    _ registry: NIOLoopBound<ConnectionRegistry>
  ) {
    self.loop = loop
    self.registry = registry
    listeners = webSocket + tcp
    webSocketAddresses = webSocket.map(Listening.endpoint)
    tcpAddresses = tcp.map(Listening.endpoint)
  }

  /// Listens on all endpoints of the configuration, or on none.
  ///
  /// - Parameters:
  ///   - delegate: called only on `loop`.
  ///   - loop: the loop on which this is called, and on which all connections run.
  /// - Returns: fails with a `NetworkError`: `unavailable` for an address that is not available,
  ///   `noInput` or `malformed` for a file.
  package static func start(
    _ configuration: ServerConfiguration, delegate: any ServerDelegate, on loop: any EventLoop,
    log: Logger
  ) -> EventLoopFuture<GatewayServer> {
    let registry = NIOLoopBound(
      ConnectionRegistry(configuration, delegate, log, loop), eventLoop: loop)
    let tls: TLSLayer?
    do throws(NetworkError) {
      tls = try configuration.tls.map { (files) throws(NetworkError) in
        try TLSLayer.serving(files, closeTime: configuration.limits.closeTime)
      }
      for warning in tls?.warnings ?? [] { log.warning("\(warning)") }
    } catch {
      return loop.makeFailedFuture(error)
    }
    let webSocket = Listening.open(configuration.webSocket, on: loop, log) { channel in
      Listening.greet(channel, registry.value, tls)
    }
    return webSocket.flatMap { webSocket in
      let tcp = Listening.open(registry.value.configuration.tcp, on: loop, log) { channel in
        Listening.greetTCP(channel, registry.value)
      }
      return tcp.map { tcp in GatewayServer(loop, webSocket: webSocket, tcp: tcp, registry) }
        .flatMapErrorThrowing { error in
          for channel in webSocket { channel.close(promise: nil) }
          throw error
        }
    }
  }

  /// Stops listening and closes every client with 1001. Completes when all are closed, at the
  /// latest after `Limits.closeTime`. Can be called on any thread.
  package func shutDown() -> EventLoopFuture<Void> {
    loop.flatSubmit { [self] in
      let closed = listeners.map { listener in
        // It may already be closed.
        listener.close().recover { _ in }
      }
      let empty = loop.makePromise(of: Void.self)
      registry.value.clear { empty.succeed() }
      return EventLoopFuture.andAllSucceed(closed + [empty.futureResult], on: loop)
    }
  }
}
