package import NIOCore
package import TurretLink

/// Receives what a sender of commands reports. All calls are made on its event loop.
package protocol SenderOwner: AnyObject {
  /// The connection has changed. The end after `stop()` is not reported.
  func changed(_ state: SenderState)
  /// The gateway has sent a message.
  func received(_ message: GatewayMessage)
}

/// Sends commands to a target, and reconnects after a failure. Carries out what `CommandDelivery`
/// decides. Used only on its event loop. Once started, it exists until it is stopped.
package final class CommandSender: CommandLinkOwner {
  private let loop: any EventLoop
  private let owner: any SenderOwner
  private let link: any CommandLink
  private(set) var delivery: CommandDelivery
  /// Sending a command can end its connection before the call returns.
  private var inbox = Inbox<CommandDelivery.Event>()
  private let alarm: LoopAlarm

  init(
    on link: any CommandLink, settings: SenderSettings, on loop: any EventLoop,
    for owner: any SenderOwner
  ) {
    self.link = link
    self.loop = loop
    self.owner = owner
    delivery = CommandDelivery(settings, seed: .random(in: .min ... .max))
    alarm = LoopAlarm(on: loop)
  }

  /// - Throws: `noInput` or `malformed`, naming the certificate file.
  convenience init(
    to target: SenderTarget, settings: SenderSettings = SenderSettings(), on loop: any EventLoop,
    for owner: any SenderOwner
  ) throws(NetworkError) {
    let tls = try target.layer(closeTime: settings.stopTime)
    self.init(
      on: TargetLink(to: target, settings, tls, on: loop), settings: settings, on: loop, for: owner)
  }

  /// After the end, the newest command if it was still waiting, or was sent on a connection that
  /// was lost or accepted no more; nil if it was sent.
  package var unsent: LinkCommand? { delivery.unsent }

  /// Cannot fail, because it keeps trying until the target is reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.link(.start))
  }

  /// Sends a command. An aim or `L` waits if necessary; any other command is dropped if it cannot
  /// be sent now.
  package func send(_ command: LinkCommand) {
    loop.preconditionInEventLoop()
    handle(.give(command, hasRoom: link.isWritable))
  }

  /// Sends the waiting commands and closes. If there was a connection, this takes at most
  /// `stopTime`. Completes when no connection or attempt is left.
  @discardableResult
  package func stop() -> EventLoopFuture<Void> {
    let end = link.awaitEnd()
    handle(.stop)
    return end
  }

  package func take(_ event: Reconnection.Event) { handle(.link(event)) }

  package func received(_ message: [UInt8], _ kind: MessageKind) {
    // Anything else, such as an answer from the board, is not for a sender.
    if let message = GatewayMessage(message) { owner.received(message) }
  }

  package func hasRoom() { sendWaiting() }

  // MARK: One event at a time

  private func handle(_ event: CommandDelivery.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in delivery.handle(event, at: .uptime) { carryOut(action) }
      sendWaiting()
    }
    alarm.set(delivery.nextDeadline) { [weak self] in self?.handle(.link(.passed)) }
  }

  private func sendWaiting() {
    // Checked for each command, because sending can reveal that the connection is lost.
    while let action = delivery.next(hasRoom: link.isWritable) { carryOut(action) }
  }

  private func carryOut(_ action: CommandDelivery.Action) {
    switch action {
    case .link(let action): link.carryOut(action, for: self)
    case .send(let command): link.send(command.bytes)
    case .close: link.close()
    case .report(let state): owner.changed(state)
    }
  }
}
