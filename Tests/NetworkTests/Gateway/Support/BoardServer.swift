import Engine
import Logging
import NIOCore
import NIOPosix
import Network
import NetworkTestSupport
import Sketches

/// A gateway with its server, and a board behind it that accepts everything and answers each
/// command.
final class BoardServer {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let bench: NIOLoopBound<ArbiterBench>
  private let server: GatewayServer
  private let listening: ListeningAddresses

  /// - Parameter detector: where pictures of `/detect` are passed on; nil for nowhere.
  init(_ plan: ArbiterSettings, tls: TLSFiles? = nil, detector: DetectorPlan? = nil) throws {
    let loop = group.next()
    let (bench, listening, server) = try loop.flatSubmit {
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let clients = NetworkClients(plan, watchers: Broadcaster(on: loop), log: log)
      let bench = ArbiterBench(clients, plan)
      bench.atTurnsEnd = { [unowned bench] in
        bench.handle(.passed)
        while let bytes = bench.next() { bench.handle(.boardSent(bytes + [UInt8(ascii: "\n")])) }
      }
      clients.pictures = detector.map { PictureCourier($0, on: loop, log: log) }
      clients.pictures?.start()
      let bound = NIOLoopBound(bench, eventLoop: loop)
      var configuration = ServerConfiguration()
      configuration.webSocket = [Endpoint("127.0.0.1:0")!]
      configuration.tcp = [Endpoint("127.0.0.1:0")!]
      configuration.tls = tls
      configuration.detector = detector
      // A test client on a bare socket does not answer pings.
      if detector != nil { configuration.limits.pingPeriod = .seconds(100) }
      do {
        let sockets = try ServerSockets(configuration, log: log)
        let addresses = sockets.addresses
        return GatewayServer.start(on: sockets, delegate: clients, loop: loop, log: log)
          .map { (bound, addresses, $0) }
      } catch {
        return loop.makeFailedFuture(error)
      }
    }.wait()
    self.bench = bench
    self.listening = listening
    self.server = server
  }

  deinit {
    try? server.shutDown().wait()
    let bench = bench
    let loop = group.next()
    try? loop.flatSubmit {
      bench.value.clients.pictures?.stop() ?? loop.makeSucceededVoidFuture()
    }.wait()
    group.shutdownGracefully { _ in }
  }

  var address: Endpoint { listening.webSocket[0] }
  var tcpAddress: Endpoint { listening.tcp[0] }

  /// The counts, once all clients have left; waits at most ten seconds for that.
  func countsWhenEmpty() throws -> GatewayCounts {
    let bench = bench
    let deadline = NIODeadline.now() + .seconds(10)
    while true {
      let counts = try group.next().submit { bench.value.clients.counts }.wait()
      if counts.senders == 0 || NIODeadline.now() > deadline { return counts }
    }
  }
}
