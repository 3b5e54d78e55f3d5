package import Logging
package import NIOCore
import NIOPosix
import Platform
package import Sketches
package import TurretLink

/// What a sending loop does.
package struct SendingPlan {
  /// The network target of the commands; nil for none.
  package var target: SenderTarget?
  /// Opens the serial port for the commands; nil for none.
  package var port: ((any EventLoop) -> any CommandLink)?
  /// Where readings are served in place of the robot vision phone; nil for nowhere.
  package var serving: Endpoint?
  package var form = VisionForm.fields
  package var log: Logger

  package init(log: Logger) { self.log = log }
}

/// Uses a sending loop. All calls are made on the loop's thread.
package protocol SendingOwner: SenderOwner, VisionServerOwner {
  /// Everything is set up.
  func begin(_ loop: SendingLoop)
  /// Readings are served in place of the robot vision phone at these addresses.
  func serves(at addresses: [Endpoint])
}

/// Sends commands on an event loop that runs on the calling thread.
package final class SendingLoop {
  private let plan: SendingPlan
  private let loop: any EventLoop
  private let owner: any SendingOwner
  /// Sends commands to the target or the port; nil without one.
  package private(set) var sender: CommandSender?
  private var vision: NIOLoopBound<VisionServer>?
  private var failure: NetworkError?
  private var isEnding = false

  /// Runs until it is stopped and the waiting commands have been sent, or have timed out. Returns
  /// the newest command that may not have arrived; nil if none is missing.
  package static func run(
    _ plan: SendingPlan, for owner: any SendingOwner
  ) throws(NetworkError) -> LinkCommand? {
    var sending: SendingLoop?
    try CurrentThreadLoop.run { loop in
      let made = SendingLoop(plan, loop, owner)
      sending = made
      made.open()
    }
    if let failure = sending?.failure { throw failure }
    return sending?.sender?.unsent
  }

  private init(_ plan: SendingPlan, _ loop: any EventLoop, _ owner: any SendingOwner) {
    self.plan = plan
    self.loop = loop
    self.owner = owner
  }

  /// Runs an action later, on the loop.
  package func schedule(in time: Interval, _ work: @escaping (SendingLoop) -> Void) {
    let bound = NIOLoopBound((owner: self, work: work), eventLoop: loop)
    loop.scheduleTask(in: TimeAmount(time)) {
      if !bound.value.owner.isEnding { bound.value.work(bound.value.owner) }
    }
  }

  /// Reads a pipe or a terminal until the loop ends, and then closes it. The end of its input is
  /// reported as an empty array.
  package func read(_ descriptor: CInt, arrived: @escaping ([UInt8]) -> Void) {
    let bound = NIOLoopBound(arrived, eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(StreamHandler(bound.value))
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

  /// Sets the reading that is served from now on in place of the robot vision phone's, if that is
  /// served. `angle`: degrees from the centre, or nil if there is no target.
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
      self.loop.shutdownGracefully { _ in }
    }
  }

  // MARK: -

  private func open() {
    guard let endpoint = plan.serving else { return begin() }
    VisionServer.start(
      at: endpoint, form: plan.form, on: loop, log: plan.log, for: owner
    ).assumeIsolated().whenComplete { result in
      switch result {
      case .success(let server):
        self.vision = server
        self.owner.serves(at: server.value.addresses)
        self.begin()
      case .failure(let error): self.fail(error)
      }
    }
  }

  private func begin() {
    do {
      if let target = plan.target {
        sender = try CommandSender(to: target, on: loop, for: owner)
      } else if let port = plan.port {
        sender = CommandSender(on: port(loop), settings: .port, on: loop, for: owner)
      }
    } catch {
      return fail(error)
    }
    sender?.start()
    owner.begin(self)
  }

  private func fail(_ error: any Error) {
    failure = error as? NetworkError ?? NetworkError(.unavailable, "error: \(error)")
    stop()
  }
}
