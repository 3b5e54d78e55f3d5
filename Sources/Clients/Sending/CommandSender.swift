package import NIOCore
import NIOPosix
package import Networking
import Turret
package import TurretProtocol

/// Sends commands to a target, and reconnects after a failure. Carries out what `CommandDelivery`
/// decides. Used only on its event loop. Once started, it exists until it is stopped.
package final class CommandSender: TargetLinkOwner {
  private typealias Delivery = CommandDelivery<SystemRandomNumberGenerator>

  package let target: SenderTarget
  private let loop: any EventLoop
  private let owner: any SenderOwner
  private let link: TargetLink
  private var delivery: Delivery
  /// Sending a command can end its connection before the call returns.
  private var inbox = Inbox<Delivery.Event>()
  private var alarms: [Delivery.Alarm: Scheduled<Void>] = [:]
  private var ending: EventLoopPromise<Void>?

  /// - Throws: `noInput` or `malformed`, naming the certificate file.
  package init(
    to target: SenderTarget, settings: SenderSettings = SenderSettings(), on loop: any EventLoop,
    for owner: any SenderOwner
  ) throws(NetworkError) {
    self.target = target
    self.loop = loop
    self.owner = owner
    let tls =
      try target.kind == .secureWebSocket
      ? TLSLayer.trusting(authorities: target.authorities, closeTime: settings.stopTime) : nil
    link = TargetLink(to: target, settings, tls, on: loop)
    delivery = CommandDelivery(settings, random: SystemRandomNumberGenerator())
  }

  package var isConnected: Bool { delivery.isConnected }

  /// The number of commands that wait, at most two.
  package var waitingCount: Int { delivery.waitingCount }

  package var counts: SenderCounts { delivery.counts }

  /// After the end, the newest command if it was still waiting, or was sent on a connection that
  /// was lost; nil if it was sent.
  package var unsent: Command? { delivery.unsent }

  /// Cannot fail, because it keeps trying until the target is reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.start)
  }

  /// Sends a command. An aim or `L` waits if necessary; any other command is dropped if it cannot
  /// be sent now.
  package func send(_ command: Command) {
    loop.preconditionInEventLoop()
    handle(.give(command, hasRoom: link.isWritable))
  }

  /// Sends the waiting commands and closes. If there was a connection, this takes at most
  /// `stopTime`. Completes when no connection or attempt is left.
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
    case .received(let message, _):
      // Anything else, such as an answer from the board, is not for a sender.
      if let message = GatewayMessage(message) { owner.received(message) }
    case .hasRoom: sendWaiting()
    case .lost(let why): handle(.lost(why))
    case .closed: handle(.closed)
    }
  }

  // MARK: One event at a time

  private func handle(_ event: Delivery.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in delivery.handle(event, at: .uptime) { carryOut(action) }
      sendWaiting()
    }
  }

  private func sendWaiting() {
    // Checked for each command, because sending can reveal that the connection is lost.
    while let action = delivery.next(hasRoom: link.isWritable) { carryOut(action) }
  }

  private func carryOut(_ action: Delivery.Action) {
    switch action {
    case .connect: link.connect(for: self)
    case .greet: link.greet()
    case .discard: link.discard()
    case .send(let command): link.send(command.bytes)
    case .close: link.close()
    case .cut: link.cut()
    case .set(let alarm, let time): set(alarm, time)
    case .cancel(let alarm): alarms.removeValue(forKey: alarm)?.cancel()
    case .report(let state): owner.changed(state)
    case .finish:
      link.release()
      ending?.succeed()
    }
  }

  private func set(_ alarm: Delivery.Alarm, _ time: Interval) {
    alarms[alarm]?.cancel()
    let bound = NIOLoopBound(self, eventLoop: loop)
    alarms[alarm] = loop.scheduleTask(in: TimeAmount(time)) {
      bound.value.alarms[alarm] = nil
      bound.value.handle(.due(alarm))
    }
  }
}
