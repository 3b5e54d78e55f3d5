package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix

/// The listeners of a gateway and their connections.
package final class GatewayServer: Sendable {
  private let loop: any EventLoop
  private let listeners: [any Channel]
  private let registry: NIOLoopBound<ConnectionRegistry>

  private init(
    _ loop: any EventLoop, _ listeners: [any Channel],
    _ registry: NIOLoopBound<ConnectionRegistry>
  ) {
    self.loop = loop
    self.listeners = listeners
    self.registry = registry
  }

  /// Accepts connections on listening sockets.
  ///
  /// - Parameters:
  ///   - delegate: called only on `loop`.
  ///   - loop: the loop on which this is called, and on which all connections run.
  package static func start(
    on sockets: ServerSockets, delegate: any ServerDelegate, loop: any EventLoop, log: Logger
  ) -> EventLoopFuture<GatewayServer> {
    let registry = NIOLoopBound(
      ConnectionRegistry(sockets.configuration, delegate, log, loop), eventLoop: loop)
    let tls = sockets.tls
    let webSocket = Listening.accept(on: sockets.webSocket, loop: loop, log) { channel in
      Listening.greet(channel, registry.value, tls)
    }
    let tcp = Listening.accept(on: sockets.tcp, loop: loop, log) { channel in
      Listening.greetTCP(channel, registry.value)
    }
    return webSocket.and(tcp).map { GatewayServer(loop, $0 + $1, registry) }
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

/// The sockets on which a gateway listens before it accepts connections. Each of them can be taken
/// by one server.
package final class ServerSockets {
  let configuration: ServerConfiguration
  let tls: TLSLayer?
  let webSocket: [ListeningSocket]
  let tcp: [ListeningSocket]

  /// Listens on all endpoints of the configuration, or on none.
  ///
  /// - Throws: `unavailable` for an address that is not available, `noInput` or `malformed` for a
  ///   file.
  package init(_ configuration: ServerConfiguration, log: Logger) throws(NetworkError) {
    self.configuration = configuration
    tls = try configuration.tls.map { (files) throws(NetworkError) in
      try TLSLayer.serving(files, closeTime: configuration.limits.closeTime)
    }
    for warning in tls?.warnings ?? [] { log.warning("\(warning)") }
    webSocket = try ListeningSocket.open(configuration.webSocket)
    tcp = try ListeningSocket.open(configuration.tcp)
  }

  package var addresses: ListeningAddresses {
    ListeningAddresses(webSocket: Self.endpoints(webSocket), tcp: Self.endpoints(tcp))
  }

  private static func endpoints(_ sockets: [ListeningSocket]) -> [Endpoint] {
    sockets.map { Endpoint($0.address.endpoint) ?? Endpoint(host: "?", port: 0) }
  }
}

/// The addresses on which a server actually listens; a port of 0 has been replaced by the one
/// chosen.
package struct ListeningAddresses: Hashable, Sendable {
  package var webSocket: [Endpoint] = []
  package var tcp: [Endpoint] = []

  package init(webSocket: [Endpoint] = [], tcp: [Endpoint] = []) {
    self.webSocket = webSocket
    self.tcp = tcp
  }
}
