import Logging
import NIOCore
import NIOPosix
package import Networking
import Platform
package import Turret
package import TurretProtocol

/// Sends commands on an event loop that runs on the calling thread.
package final class SendingLoop {
  private let plan: SendingPlan
  private let loop: any EventLoop
  private let start: (SendingLoop) -> Void
  private var sender: CommandSender?
  private var vision: NIOLoopBound<VisionServer>?
  private var failure: NetworkError?
  private var isEnding = false

  /// Runs until it is stopped and the waiting commands have been sent, or have timed out.
  /// `start` is called when everything is set up.
  package static func run(
    _ plan: SendingPlan, start: @escaping (SendingLoop) -> Void
  ) throws(NetworkError) {
    var failure: NetworkError?
    MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
      let sending = SendingLoop(plan, loop, start)
      sending.whenOver = { failure = sending.failure }
      sending.open()
    }
    if let failure { throw failure }
  }

  private var whenOver: () -> Void = {}

  private init(
    _ plan: SendingPlan, _ loop: any EventLoop, _ start: @escaping (SendingLoop) -> Void
  ) {
    self.plan = plan
    self.loop = loop
    self.start = start
  }

  /// Sends a command. Has no effect without a target on the network.
  package func send(_ command: Command) { sender?.send(command) }

  /// Runs an action later, on the loop.
  package func schedule(in time: Interval, _ work: @escaping (SendingLoop) -> Void) {
    let bound = NIOLoopBound((owner: self, work: work), eventLoop: loop)
    loop.scheduleTask(in: TimeAmount(time)) {
      if !bound.value.owner.isEnding { bound.value.work(bound.value.owner) }
    }
  }

  /// Reads a pipe or a terminal until the loop ends, and then closes it. Its end is reported as no
  /// bytes.
  package func read(_ descriptor: CInt, arrived: @escaping ([UInt8]) -> Void) {
    let bound = NIOLoopBound(arrived, eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            StreamHandler { bound.value($0) })
        }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .whenFailure { _ in
        close(descriptor)
        bound.value([])
      }
  }

  /// Whether a client has queried the robot vision phone.
  package var wasAsked: Bool { vision.map { $0.value.questions > 0 } ?? false }

  /// Sets the reading that the robot vision phone returns from now on, if its place is taken.
  /// `angle`: degrees from the centre, or nil if there is no target.
  package func answer(angle: Double?, distance: Double?, time: Interval) {
    guard let server = vision?.value else { return }
    if let angle {
      server.update(angle: angle, distance: distance, time: time)
    } else {
      server.noTarget(time: time)
    }
  }

  /// Sends the waiting commands, and ends.
  package func stop() {
    guard !isEnding else { return }
    isEnding = true
    let ends = [sender?.stop(), vision?.value.stop()].compactMap { $0 }
    EventLoopFuture.andAllComplete(ends, on: loop).assumeIsolated().whenComplete { _ in
      self.plan.onEnd(self.sender?.unsent)
      self.whenOver()
      self.whenOver = {}
      self.loop.shutdownGracefully { _ in }
    }
  }

  // MARK: -

  private func open() {
    guard let endpoint = plan.serving else { return begin() }
    let bound = NIOLoopBound(self, eventLoop: loop)
    VisionServer.start(
      at: endpoint, form: plan.form, on: loop, log: plan.log,
      onRefusal: { bound.value.plan.onRefusal($0) },
      onShutdown: { bound.value.plan.onShutdown(bound.value) }
    ).assumeIsolated().whenComplete { result in
      switch result {
      case .success(let server):
        self.vision = server
        self.plan.onServing(server.value.addresses)
        self.begin()
      case .failure(let error): self.fail(error)
      }
    }
  }

  private func begin() {
    do {
      if let target = plan.target {
        sender = try CommandSender(
          to: target, on: loop, onState: plan.onState, onMessage: plan.onMessage)
        sender?.start()
      }
    } catch {
      return fail(error)
    }
    start(self)
  }

  private func fail(_ error: any Error) {
    failure = error as? NetworkError ?? NetworkError(.unavailable, "error: \(error)")
    stop()
  }
}
