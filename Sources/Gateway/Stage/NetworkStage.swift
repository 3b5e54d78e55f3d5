import Log
import NIOCore
import NIOPosix
import Networking

/// Runs a session with a network on an event loop on the calling thread, from the time when the
/// server listens until all its connections are closed.
package final class NetworkStage {
  private let plan: NetworkPlan
  private let loop: any EventLoop
  private let wait: @Sendable ([CInt]) -> [CInt]
  /// Called once and not kept, so that everything it holds, such as a pty's link, is released with
  /// the session.
  private var setUp: ((ArbiterRunner, ListeningAddresses) throws -> any NetworkBench)?
  private let door: ArbiterRunner
  private let flusher: LogFlusher
  private var server: GatewayServer?
  private var vision: VisionSender?
  private var turns: TurnLoop?
  private var bench: (any NetworkBench)?
  private var failure: (any Error)?
  private var isEnding = false

  /// Runs until the bench's last turn. `setUp` is called when the server listens, and creates the
  /// bench. `wait` blocks until one of several descriptors is readable, and returns the readable
  /// ones; it is called on another thread.
  package static func run(
    _ plan: NetworkPlan, wait: @escaping @Sendable ([CInt]) -> [CInt],
    setUp: @escaping (ArbiterRunner, ListeningAddresses) throws -> any NetworkBench
  ) throws {
    var failure: (any Error)?
    MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
      let stage = NetworkStage(plan, loop, wait, setUp)
      // First, because opening can fail immediately.
      stage.whenOver = { failure = stage.failure }
      stage.open()
    }
    if let failure { throw failure }
  }

  private var whenOver: () -> Void = {}

  private init(
    _ plan: NetworkPlan, _ loop: any EventLoop, _ wait: @escaping @Sendable ([CInt]) -> [CInt],
    _ setUp: @escaping (ArbiterRunner, ListeningAddresses) throws -> any NetworkBench
  ) {
    self.plan = plan
    self.loop = loop
    self.wait = wait
    self.setUp = setUp
    door = ArbiterRunner(plan.arbiter, watchers: Broadcaster(on: loop), log: plan.log.logger)
    flusher = LogFlusher(plan.log.writer, on: loop)
  }

  private func open() {
    guard let configuration = plan.server else { return begin(ListeningAddresses()) }
    GatewayServer.start(configuration, delegate: door, on: loop, log: plan.log.logger)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .failure(let error): self.close(error)
        case .success(let server):
          self.server = server
          self.begin(
            ListeningAddresses(webSocket: server.webSocketAddresses, tcp: server.tcpAddresses))
        }
      }
  }

  private func begin(_ addresses: ListeningAddresses) {
    guard let setUp = setUp.take() else { return }
    do {
      let bench = try setUp(door, addresses)
      self.bench = bench
      let turns = try TurnLoop(
        on: loop, wait: wait, arrived: { bench.arrived($0) },
        turn: { reason in
          do {
            if let plan = try bench.turn(reason) { return plan }
            self.close(nil)
          } catch {
            self.close(error)
          }
          return nil
        })
      self.turns = turns
      door.onWork = { turns.takeTurn() }
      bench.begin()
      turns.takeTurn()
      if let follow = plan.follow, !isEnding {
        vision = VisionSender(follow, delegate: door, on: loop, log: plan.log.logger)
        vision?.start()
      }
    } catch {
      close(error)
    }
  }

  /// Ends everything. The loop ends with the last connection.
  private func close(_ error: (any Error)?) {
    guard !isEnding else { return }
    isEnding = true
    failure = error
    door.onWork = {}
    door.giveUp()
    bench?.end()
    let ends = [server?.shutDown(), vision?.stop(), turns?.ended].compactMap { $0 }
    EventLoopFuture.andAllComplete(ends, on: loop).assumeIsolated().whenComplete { _ in
      self.whenOver()
      self.whenOver = {}
      self.flusher.stop()
      self.setUp = nil
      self.loop.shutdownGracefully { _ in }
    }
  }
}
