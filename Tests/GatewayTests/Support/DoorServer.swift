import Gateway
import Logging
import NIOCore
import NIOPosix
import Networking

/// A server in front of a door, and behind it a board that takes everything and answers each
/// command.
final class DoorServer {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let door: NIOLoopBound<NetworkDoor>
  private let server: GatewayServer

  init(_ plan: DoorPlan, tls: TLSFiles? = nil) throws {
    let loop = group.next()
    let (door, server) = try loop.submit {
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let door = NetworkDoor(plan, watchers: Broadcaster(on: loop), log: log)
      door.onWork = {
        door.expire()
        while let bytes = door.next(waitingCount: 0, room: 4_096) {
          door.deliver(bytes + [UInt8(ascii: "\n")])
        }
      }
      return (NIOLoopBound(door, eventLoop: loop), log)
    }.flatMap { (door: NIOLoopBound<NetworkDoor>, log: Logger) in
      var configuration = ServerConfiguration()
      configuration.webSocket = [Endpoint("127.0.0.1:0")!]
      configuration.tcp = [Endpoint("127.0.0.1:0")!]
      configuration.tls = tls
      return GatewayServer.start(configuration, host: door.value, on: loop, log: log)
        .map { (door, $0) }
    }.wait()
    self.door = door
    self.server = server
  }

  deinit {
    try? server.shutDown().wait()
    group.shutdownGracefully { _ in }
  }

  var address: Endpoint { server.webSocketAddresses[0] }
  var tcpAddress: Endpoint { server.tcpAddresses[0] }

  /// The counts, once all clients have left; ten seconds are waited for that.
  func countsWhenEmpty() throws -> GatewayCounts {
    let door = door
    let deadline = NIODeadline.now() + .seconds(10)
    while true {
      let counts = try group.next().submit { door.value.counts }.wait()
      if counts.senders == 0 || NIODeadline.now() > deadline { return counts }
    }
  }
}
