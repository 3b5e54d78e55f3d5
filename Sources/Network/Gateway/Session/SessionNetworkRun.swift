import NIOCore
import Platform

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
