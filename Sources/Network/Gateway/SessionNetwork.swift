package import Engine
package import NIOCore
package import Platform

/// The network of a session. The initializer opens the listening sockets; `run` accepts connections
/// and runs the session's bench on an event loop on the calling thread.
///
///     let network = try SessionNetwork(plan)
///     let bench = Bench(network.clients, network.addresses)
///     let ending = try network.run(bench)
package final class SessionNetwork {
  package let plan: NetworkPlan
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

/// A bench, the server and the phone's connection on one event loop, from the first turn until all
/// connections are closed. Used only on the loop.
final class SessionNetworkRun<Bench: NetworkBench> {
  private let plan: NetworkPlan
  private let sockets: ServerSockets?
  private let clients: NetworkClients
  private let bench: Bench
  private let loop: any EventLoop
  private let flusher: LogFlusher
  private let end: EventLoopPromise<Bench.Ending>
  private var server: GatewayServer?
  private var vision: VisionSender?
  private let pictures: PictureCourier?
  private var turns: TurnLoop<Bench>?

  init(
    _ plan: NetworkPlan, _ sockets: ServerSockets?, _ clients: NetworkClients, _ bench: Bench,
    on loop: any EventLoop
  ) {
    self.plan = plan
    self.sockets = sockets
    self.clients = clients
    self.bench = bench
    self.loop = loop
    end = loop.makePromise()
    flusher = LogFlusher(plan.log.writer, on: loop)
    // Before the first client can join.
    pictures = plan.server?.detector.map { PictureCourier($0, on: loop, log: plan.log.logger) }
    clients.pictures = pictures
    clients.watchers.run(on: loop)
    clients.dashboards.run(on: loop)
  }

  /// Accepts connections and runs the bench. The loop ends with the last connection.
  func start() -> EventLoopFuture<Bench.Ending> {
    pictures?.start()
    guard let sockets else {
      begin()
      return end.futureResult
    }
    GatewayServer.start(on: sockets, delegate: clients, loop: loop, log: plan.log.logger)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .failure(let error): self.close(.failure(error))
        case .success(let server):
          self.server = server
          self.begin()
        }
      }
    return end.futureResult
  }

  private func begin() {
    let turns: TurnLoop<Bench>
    do {
      turns = try TurnLoop(running: bench, on: loop)
    } catch {
      return close(.failure(error))
    }
    self.turns = turns
    turns.ending.assumeIsolated().whenComplete { self.close($0) }
    clients.bench = turns
    bench.begin()
    turns.takeTurn()
    if let follow = plan.follow, !turns.isOver {
      vision = VisionSender(follow, clients: clients, on: loop, log: plan.log.logger)
      vision?.start()
    }
  }

  /// Ends everything.
  private func close(_ result: Result<Bench.Ending, any Error>) {
    clients.bench = nil
    bench.close()
    let ends = [
      server?.shutDown(), vision?.stop(), pictures?.stop(), turns?.ended,
    ].compactMap { $0 }
    EventLoopFuture.andAllComplete(ends, on: loop).assumeIsolated().whenComplete { _ in
      self.flusher.stop()
      self.end.completeWith(result)
      self.loop.shutdownGracefully { _ in }
    }
  }
}

/// What a session does with the network.
package struct NetworkPlan {
  /// Where it can be reached; nil for nowhere.
  package var server: ServerConfiguration?
  /// The phone that it follows; nil for none.
  package var follow: FollowPlan?
  package var arbiter: ArbiterSettings
  package var log: BenchLog

  package init(arbiter: ArbiterSettings, log: BenchLog) {
    self.arbiter = arbiter
    self.log = log
  }
}

/// Writes the kept lines of the log periodically until its reader has caught up. It does nothing if
/// no line waits. Without it, a late line would wait for the next one.
package final class LogFlusher {
  private static let period = TimeAmount.milliseconds(50)

  private let writer: LogWriter
  private let loop: any EventLoop
  private var timer: Scheduled<Void>?
  private var isOn = true

  /// Used only on the loop.
  package init(_ writer: LogWriter, on loop: any EventLoop) {
    self.writer = writer
    self.loop = loop
    let bound = NIOLoopBound(self, eventLoop: loop)
    // The log is also written to from other threads.
    writer.whenBehind { loop.execute { bound.value.schedule() } }
    if writer.isBehind { schedule() }
  }

  /// Called at the end; releases the loop.
  package func stop() {
    isOn = false
    writer.whenBehind(nil)
    timer?.cancel()
    timer = nil
  }

  private func schedule() {
    guard isOn, timer == nil else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    timer = loop.scheduleTask(in: Self.period) { bound.value.flush() }
  }

  private func flush() {
    timer = nil
    writer.flush()
    if writer.isBehind { schedule() }
  }
}
