import NIOCore
import NIOPosix

/// The network of a session. Opening it listens; running it accepts connections and runs the
/// session's bench on an event loop on the calling thread.
///
///     let stage = try NetworkStage(plan)
///     let bench = Bench(stage.door, stage.addresses)
///     let ending = try stage.run(bench)
package final class NetworkStage {
  private let plan: NetworkPlan
  /// nil if it cannot be reached.
  private let sockets: ServerSockets?
  /// The way in for the network's clients. None joins before the stage runs.
  package let door: NetworkDoor
  /// Where it can be reached.
  package let addresses: ListeningAddresses

  package init(_ plan: NetworkPlan) throws(GatewayError) {
    self.plan = plan
    let log = plan.log
    sockets = try plan.server.map { (server) throws(GatewayError) in
      try ServerSockets(server, log: log.logger)
    }
    addresses = sockets?.addresses ?? ListeningAddresses()
    door = NetworkDoor(plan.door, watchers: Broadcaster(), log: log.logger, writer: log.writer)
  }

  /// Runs until the bench's last turn, and then until all connections are closed. Returns how the
  /// session ended. Can be called once.
  package func run<Bench: NetworkBench>(_ bench: Bench) throws -> Bench.Ending {
    var result: Result<Bench.Ending, any Error>?
    MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { [plan, sockets, door] loop in
      NetworkSession(plan, sockets, door, bench, on: loop).start()
        .assumeIsolated()
        .whenComplete { result = $0 }
    }
    guard let result else {
      throw GatewayError(.unavailable, "error: the network ended before the session did")
    }
    return try result.get()
  }
}
