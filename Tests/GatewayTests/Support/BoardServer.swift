import Gateway
import Logging
import NIOCore
import NIOPosix
import Networking
import Turret

/// A gateway with its server, and a board behind it that accepts everything and answers each
/// command.
final class BoardServer {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let board: NIOLoopBound<AnsweringBoard>
  private let server: GatewayServer

  /// - Parameter detector: where pictures of `/detect` are passed on; nil for nowhere.
  init(_ plan: ArbiterSettings, tls: TLSFiles? = nil, detector: DetectorPlan? = nil) throws {
    let loop = group.next()
    let (board, server) = try loop.submit {
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let runner = ArbiterRunner(plan, watchers: Broadcaster(on: loop), log: log)
      let board = AnsweringBoard(runner)
      runner.bench = board
      runner.pictures = detector.map { PictureCourier($0, on: loop, log: log) }
      runner.pictures?.start()
      return (NIOLoopBound(board, eventLoop: loop), log)
    }.flatMap { (board: NIOLoopBound<AnsweringBoard>, log: Logger) in
      var configuration = ServerConfiguration()
      configuration.webSocket = [Endpoint("127.0.0.1:0")!]
      configuration.tcp = [Endpoint("127.0.0.1:0")!]
      configuration.tls = tls
      configuration.detector = detector
      // A test client on a bare socket does not answer pings.
      if detector != nil { configuration.limits.pingPeriod = .seconds(100) }
      return GatewayServer.start(configuration, delegate: board.value.runner, on: loop, log: log)
        .map { (board, $0) }
    }.wait()
    self.board = board
    self.server = server
  }

  deinit {
    try? server.shutDown().wait()
    let board = board
    let loop = group.next()
    try? loop.flatSubmit {
      board.value.runner.pictures?.stop() ?? loop.makeSucceededVoidFuture()
    }.wait()
    group.shutdownGracefully { _ in }
  }

  var address: Endpoint { server.webSocketAddresses[0] }
  var tcpAddress: Endpoint { server.tcpAddresses[0] }

  /// The counts, once all clients have left; waits at most ten seconds for that.
  func countsWhenEmpty() throws -> GatewayCounts {
    let board = board
    let deadline = NIODeadline.now() + .seconds(10)
    while true {
      let counts = try group.next().submit { board.value.runner.counts }.wait()
      if counts.senders == 0 || NIODeadline.now() > deadline { return counts }
    }
  }
}
