import NIOCore
import Platform

/// The network of a session. The initializer opens the listening sockets; `run` accepts connections
/// and runs the session's bench on an event loop on the calling thread.
///
///     let network = try SessionNetwork(plan)
///     let bench = Bench(network.clients, network.addresses)
///     let ending = try network.run(bench)
package final class SessionNetwork {
  private let plan: NetworkPlan
  /// nil if it cannot be reached.
  private let sockets: ServerSockets?
  /// The network's clients. None joins before `run` is called.
  package let clients: NetworkClients
  /// The addresses where it can be reached.
  package let addresses: ListeningAddresses

  package init(_ plan: NetworkPlan) throws(NetworkError) {
    self.plan = plan
    let log = plan.log
    sockets = try plan.server.map { (server) throws(NetworkError) in
      try ServerSockets(server, log: log.logger)
    }
    addresses = sockets?.addresses ?? ListeningAddresses()
    clients = NetworkClients(
      plan.arbiter, watchers: Broadcaster(), log: log.logger, writer: log.writer)
  }

  /// Runs until the bench's last turn, and then until all connections are closed. Returns how the
  /// session ended. Can be called once.
  package func run<Bench: NetworkBench>(_ bench: Bench) throws -> Bench.Ending {
    var result: Result<Bench.Ending, any Error>?
    try CurrentThreadLoop.run { [plan, sockets, clients] loop in
      SessionNetworkRun(plan, sockets, clients, bench, on: loop).start()
        .assumeIsolated()
        .whenComplete { result = $0 }
    }
    guard let result else {
      throw NetworkError(.unavailable, "error: the network ended before the session did")
    }
    return try result.get()
  }
}
