package import Logging
package import NIOCore
package import Sketches

/// Follows the robot vision phone over TCP. Carries out what `VisionFollower` decides. Used only on
/// its event loop. Once started, it exists until it is stopped.
package final class VisionConnection: CommandLinkOwner {
  private let endpoint: Endpoint
  private let loop: any EventLoop
  private let log: Logger
  private let send: (Command) -> Void
  private let link: TargetLink
  private(set) var follower: VisionFollower
  /// Writing to the phone can cause its next answer before the call returns.
  private var inbox = Inbox<VisionFollower.Event>()
  private let alarm: LoopAlarm

  /// - Parameters:
  ///   - endpoint: the phone's address.
  ///   - send: receives each command for the turret, on the loop.
  package init(
    endpoint: Endpoint, settings: FollowSettings = FollowSettings(), on loop: any EventLoop,
    log: Logger, send: @escaping (Command) -> Void
  ) {
    self.endpoint = endpoint
    self.loop = loop
    self.log = log
    self.send = send
    link = TargetLink(to: SenderTarget(tcp: endpoint), settings.connection, nil, on: loop)
    follower = VisionFollower(settings, random: SystemRandomNumberGenerator())
    alarm = LoopAlarm(on: loop)
  }

  /// Cannot fail, because it keeps trying until the phone is reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.link(.start))
  }

  /// Stops following. Sends nothing to the turret. Completes when no connection or attempt is left.
  @discardableResult
  package func stop() -> EventLoopFuture<Void> {
    let end = link.awaitEnd()
    handle(.link(.end))
    return end
  }

  package func take(_ event: Reconnection.Event) { handle(.link(event)) }

  package func received(_ bytes: [UInt8], _ kind: MessageKind) { handle(.received(bytes)) }

  // One question is on its way at a time, so nothing waits for room.
  package func hasRoom() {}

  // MARK: One event at a time

  private func handle(_ event: VisionFollower.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in follower.handle(event, at: .uptime) { carryOut(action) }
    }
    alarm.set(follower.nextDeadline) { [weak self] in self?.handle(.link(.passed)) }
  }

  private func carryOut(_ action: VisionFollower.Action) {
    switch action {
    case .link(let action): link.carryOut(action, for: self)
    case .write(let text): link.send(Array(text.utf8))
    case .send(let command): send(command)
    case .say(let remark):
      log.log(
        level: remark.isWarning ? .warning : .info, "\(remark)", metadata: ["phone": "\(endpoint)"])
    }
  }
}
