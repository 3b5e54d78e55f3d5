package import Logging
package import NIOCore
import NIOPosix
package import Networking
import Platform
import Turret
package import TurretProtocol

/// Follows the robot vision phone over TCP. Carries out what `VisionFollower` decides. Used only on
/// its event loop. Once started, it exists until it is stopped.
package final class VisionConnection {
  private enum Event {
    case start
    case stop
    case connected
    case connectFailed(String)
    case received(ByteBuffer)
    case closed(String?)
    case due
  }

  private let endpoint: Endpoint
  private let settings: FollowSettings
  private let loop: any EventLoop
  private let log: Logger
  private let send: (Command) -> Void
  private let begun = HostTime.now
  private var follower: VisionFollower<SystemRandomNumberGenerator>
  /// Writing to the phone can cause its next answer before the call returns.
  private var inbox = Inbox<(event: Event, attempt: Int?)>()
  /// The number of the present attempt to connect. Late events of other attempts are ignored.
  private var attempt = 0
  private var channel: (any Channel)?
  private var wakeUp: (at: Instant, task: Scheduled<Void>)?
  /// The attempts and channels that have not ended, and the promise to complete when there are
  /// none.
  private var openCount = 0
  private var ending: EventLoopPromise<Void>?

  /// - Parameters:
  ///   - endpoint: the phone's address.
  ///   - send: receives each command for the turret, on the loop.
  package init(
    endpoint: Endpoint, settings: FollowSettings = FollowSettings(), on loop: any EventLoop,
    log: Logger, send: @escaping (Command) -> Void
  ) {
    self.endpoint = endpoint
    self.settings = settings
    self.loop = loop
    self.log = log
    self.send = send
    follower = VisionFollower(settings, random: SystemRandomNumberGenerator())
  }

  package var counts: FollowCounts { follower.counts }
  package var isConnected: Bool { channel != nil }
  private var now: Instant { HostTime.now.sessionTime(since: begun) }

  /// Cannot fail, because it keeps trying until the phone is reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.start)
  }

  /// Stops following. Sends nothing to the turret. Completes when no connection or attempt is left.
  @discardableResult
  package func stop() -> EventLoopFuture<Void> {
    loop.preconditionInEventLoop()
    let ending = self.ending ?? loop.makePromise(of: Void.self)
    self.ending = ending
    handle(.stop)
    endIfOver()
    return ending.futureResult
  }

  // MARK: Events of the connection

  func received(_ bytes: ByteBuffer, attempt: Int) { handle(.received(bytes), of: attempt) }

  func closed(_ failure: String?, attempt: Int) { handle(.closed(failure), of: attempt) }

  // MARK: One event at a time

  /// `attempt`: the attempt to which the event belongs; nil if there is none.
  private func handle(_ event: Event, of attempt: Int? = nil) {
    guard inbox.put((event, attempt)) else { return }
    while let (event, attempt) = inbox.next() {
      // Events of an abandoned attempt are ignored.
      if let attempt, attempt != self.attempt { continue }
      if case .closed = event { channel = nil }
      for action in decide(on: event) { carryOut(action) }
    }
    schedule()
  }

  private func decide(on event: Event) -> [VisionFollower<SystemRandomNumberGenerator>.Action] {
    switch event {
    case .start: follower.start()
    case .stop: follower.stop()
    case .connected: follower.connected(at: now)
    case .connectFailed(let why): follower.connectFailed(why, at: now)
    case .received(let bytes): follower.received(bytes.readableBytesView, at: now)
    case .closed(let failure): follower.closed(failure, at: now)
    case .due: follower.advance(to: now)
    }
  }

  private func carryOut(_ action: VisionFollower<SystemRandomNumberGenerator>.Action) {
    switch action {
    case .connect: connect()
    case .disconnect: disconnect()
    case .write(let text): channel?.writeAndFlush(ByteBuffer(string: text), promise: nil)
    case .send(let command): send(command)
    case .say(let remark): say(remark)
    }
  }

  private func connect() {
    // The receiver of the commands may have stopped it.
    guard ending == nil else { return }
    attempt += 1
    openCount += 1
    let bound = NIOLoopBound((owner: self, attempt: attempt), eventLoop: loop)
    ClientBootstrap(group: loop)
      .connectTimeout(.nanoseconds(settings.connectTime.nanoseconds))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let (owner, attempt) = bound.value
          try channel.pipeline.syncOperations.addHandler(VisionHandler(owner, attempt: attempt))
        }
      }
      .connect(host: endpoint.host, port: endpoint.port)
      .whenComplete { result in
        let (owner, attempt) = bound.value
        owner.connected(result, attempt: attempt)
      }
  }

  private func connected(_ result: Result<any Channel, any Error>, attempt: Int) {
    switch result {
    case .failure(let error):
      handle(.connectFailed(ConnectionFailure.reason(for: error)), of: attempt)
      oneLess()
    case .success(let channel):
      let bound = NIOLoopBound(self, eventLoop: loop)
      channel.closeFuture.whenComplete { _ in bound.value.oneLess() }
      guard attempt == self.attempt else {
        channel.close(promise: nil)
        return
      }
      guard channel.isActive else {
        handle(.connectFailed("it was closed at once"), of: attempt)
        return
      }
      self.channel = channel
      handle(.connected, of: attempt)
    }
  }

  private func disconnect() {
    // From now on, events of that connection are ignored.
    attempt += 1
    let old = channel
    channel = nil
    old?.close(promise: nil)
  }

  private func say(_ remark: FollowRemark) {
    log.log(
      level: remark.isWarning ? .warning : .info, "\(remark)", metadata: ["phone": "\(endpoint)"])
  }

  private func oneLess() {
    openCount -= 1
    endIfOver()
  }

  private func endIfOver() {
    if openCount == 0 { ending?.succeed() }
  }

  // MARK: Time

  private func schedule() {
    let deadline = ending == nil ? follower.nextDeadline : nil
    guard deadline != wakeUp?.at else { return }
    wakeUp?.task.cancel()
    wakeUp = deadline.map { deadline in
      let bound = NIOLoopBound(self, eventLoop: loop)
      // The clock counts in whole microseconds, so the present one must be over.
      let wait = max(deadline - now, .zero) + .microseconds(1)
      return (
        deadline,
        loop.scheduleTask(in: .nanoseconds(wait.nanoseconds)) {
          let owner = bound.value
          owner.wakeUp = nil
          owner.handle(.due)
        }
      )
    }
  }
}
