import Gateway
import Logging
import NIOCore
import NIOPosix
import Networking
import Turret

/// A gateway with its server, and a board behind it that takes everything and answers each
/// command.
final class BoardServer {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let runner: NIOLoopBound<ArbiterRunner>
  private let server: GatewayServer

  /// - Parameter detector: where pictures of `/detect` are passed on; nil for nowhere.
  init(_ plan: ArbiterSettings, tls: TLSFiles? = nil, detector: DetectorPlan? = nil) throws {
    let loop = group.next()
    let (runner, server) = try loop.submit {
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let runner = ArbiterRunner(plan, watchers: Broadcaster(on: loop), log: log)
      runner.onWork = {
        runner.expire()
        while let bytes = runner.next(waitingCount: 0, room: 4_096) {
          runner.deliver(bytes + [UInt8(ascii: "\n")])
        }
      }
      runner.pictures = detector.map { PictureCourier($0, on: loop, log: log) }
      runner.pictures?.start()
      return (NIOLoopBound(runner, eventLoop: loop), log)
    }.flatMap { (runner: NIOLoopBound<ArbiterRunner>, log: Logger) in
      var configuration = ServerConfiguration()
      configuration.webSocket = [Endpoint("127.0.0.1:0")!]
      configuration.tcp = [Endpoint("127.0.0.1:0")!]
      configuration.tls = tls
      configuration.detector = detector
      // A client of bare sockets answers no pings.
      if detector != nil { configuration.limits.pingPeriod = .seconds(100) }
      return GatewayServer.start(configuration, delegate: runner.value, on: loop, log: log)
        .map { (runner, $0) }
    }.wait()
    self.runner = runner
    self.server = server
  }

  deinit {
    try? server.shutDown().wait()
    let runner = runner
    let loop = group.next()
    try? loop.flatSubmit {
      runner.value.pictures?.stop() ?? loop.makeSucceededVoidFuture()
    }.wait()
    group.shutdownGracefully { _ in }
  }

  var address: Endpoint { server.webSocketAddresses[0] }
  var tcpAddress: Endpoint { server.tcpAddresses[0] }

  /// The counts, once all clients have left; ten seconds are waited for that.
  func countsWhenEmpty() throws -> GatewayCounts {
    let runner = runner
    let deadline = NIODeadline.now() + .seconds(10)
    while true {
      let counts = try group.next().submit { runner.value.counts }.wait()
      if counts.senders == 0 || NIODeadline.now() > deadline { return counts }
    }
  }
}
