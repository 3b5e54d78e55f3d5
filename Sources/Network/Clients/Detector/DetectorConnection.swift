package import NIOCore
import Sketches

/// Uses the connection to a detector. All calls are made on its event loop.
package protocol DetectorOwner: AnyObject {
  /// The detector is ready or away. Each of several failures in a row is reported; the end after
  /// `stop()` is not.
  func changed(_ state: DetectorState)
  /// A detector that is ready has sent a message.
  func received(_ message: [UInt8], _ kind: MessageKind)
}

/// Whether a detector answers.
package enum DetectorState: Hashable, Sendable {
  /// It has answered the hello.
  case ready
  /// There is no connection to it, for this reason. The next attempt follows after a while.
  case away(String)
}

/// The connection to a detector, which is re-established after a failure. Carries out what
/// `DetectorLife` decides. Used only on its event loop. Once started, it exists until it is
/// stopped.
package final class DetectorConnection: CommandLinkOwner {
  private let loop: any EventLoop
  private weak var owner: (any DetectorOwner)?
  private let link: TargetLink
  private var life: DetectorLife
  /// Writing can end the connection before the call returns.
  private var inbox = Inbox<DetectorLife.Event>()
  private let alarm: LoopAlarm

  /// `target`: the detector's address, `ws://`.
  package init(
    to target: SenderTarget, settings: SenderSettings = .detector, on loop: any EventLoop,
    for owner: any DetectorOwner
  ) {
    self.loop = loop
    self.owner = owner
    link = TargetLink(to: target, settings, nil, on: loop)
    life = DetectorLife(settings, random: SystemRandomNumberGenerator())
    alarm = LoopAlarm(on: loop)
  }

  /// Cannot fail, because it keeps trying until the detector is reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.link(.start))
  }

  /// Sends a picture. Has no effect while the detector is not ready.
  package func send(_ picture: [UInt8]) {
    loop.preconditionInEventLoop()
    if life.isReady { link.send(picture, as: .binary) }
  }

  /// Ends the present connection, and makes another one after a while.
  package func reject(_ why: String) {
    loop.preconditionInEventLoop()
    handle(.rejected(why))
  }

  /// Completes when no connection or attempt is left.
  @discardableResult
  package func stop() -> EventLoopFuture<Void> {
    let end = link.awaitEnd()
    handle(.link(.end))
    return end
  }

  package func take(_ event: Reconnection.Event) { handle(.link(event)) }

  package func received(_ message: [UInt8], _ kind: MessageKind) {
    handle(.received(message, kind))
  }

  // At most one picture is on its way, so nothing waits for room.
  package func hasRoom() {}

  // MARK: One event at a time

  private func handle(_ event: DetectorLife.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in life.handle(event, at: .uptime) { carryOut(action) }
    }
    alarm.set(life.nextDeadline) { [weak self] in self?.handle(.link(.passed)) }
  }

  private func carryOut(_ action: DetectorLife.Action) {
    switch action {
    case .link(let action): link.carryOut(action, for: self)
    case .sayHello: link.send(DetectorGreeting.hello)
    case .deliver(let message, let kind): owner?.received(message, kind)
    case .report(let state): owner?.changed(state)
    }
  }
}
