package import NIOCore
import Networking
import Turret

/// The connection to a detector, which is re-established after a failure. Carries out what
/// `DetectorLife` decides. Used only on its event loop. Once started, it exists until it is
/// stopped.
package final class DetectorConnection: TargetLinkOwner {
  private typealias Life = DetectorLife<SystemRandomNumberGenerator>

  private let loop: any EventLoop
  private weak var owner: (any DetectorOwner)?
  private let link: TargetLink
  private var life: Life
  /// Writing can end the connection before the call returns.
  private var inbox = Inbox<Life.Event>()
  private let alarm: LoopAlarm
  private var ending: EventLoopPromise<Void>?

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
    handle(.start)
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
    loop.preconditionInEventLoop()
    if let ending { return ending.futureResult }
    let ending = loop.makePromise(of: Void.self)
    self.ending = ending
    handle(.stop)
    return ending.futureResult
  }

  func take(_ event: TargetLink.Event) {
    switch event {
    case .refused(let why): handle(.refused(why))
    case .connected: handle(.connected)
    case .opened: handle(.opened)
    case .received(let message, let kind): handle(.received(message, kind))
    // At most one picture is on its way, so nothing waits for room.
    case .hasRoom: break
    case .lost(let why): handle(.lost(why))
    case .closed: handle(.closed)
    }
  }

  // MARK: One event at a time

  private func handle(_ event: Life.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in life.handle(event, at: .uptime) { carryOut(action) }
    }
    alarm.set(life.nextDeadline) { [weak self] in self?.handle(.passed) }
  }

  private func carryOut(_ action: Life.Action) {
    switch action {
    case .connect: link.connect(for: self)
    case .greet: link.greet()
    case .discard: link.discard()
    case .sayHello: link.send(DetectorGreeting.hello)
    case .deliver(let message, let kind): owner?.received(message, kind)
    case .cut: link.cut()
    case .report(let state): owner?.changed(state)
    case .finish:
      link.release()
      ending?.succeed()
    }
  }
}
