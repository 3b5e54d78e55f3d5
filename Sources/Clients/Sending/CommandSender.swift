package import NIOCore
import NIOPosix
package import Networking
import Turret
package import TurretProtocol

/// Sends commands to a target, and reconnects after a failure. Carries out what `CommandDelivery`
/// decides. Used only on its event loop. Once started, it exists until it is stopped.
package final class CommandSender: SendingOwner {
  private typealias Delivery = CommandDelivery<SystemRandomNumberGenerator>

  package let target: SenderTarget
  private let settings: SenderSettings
  private let loop: any EventLoop
  private let tls: TLSLayer?
  private let onState: (SenderState) -> Void
  private let onMessage: (GatewayMessage) -> Void
  private var delivery: Delivery
  /// Sending a command can end its connection before the call returns.
  private var inbox = Inbox<Delivery.Event>()
  /// The connection in use.
  private var link: SendingHandler?
  /// The channel that has just been connected.
  private var newcomer: (any Channel)?
  private var alarms: [Delivery.Alarm: Scheduled<Void>] = [:]
  private var ending: EventLoopPromise<Void>?

  /// - Parameters:
  ///   - onState: receives each change, on the loop, except the end after `stop()`.
  ///   - onMessage: receives the gateway's messages, on the loop.
  /// - Throws: `noInput` or `malformed`, naming the file of certificates.
  package init(
    to target: SenderTarget, settings: SenderSettings = SenderSettings(), on loop: any EventLoop,
    onState: @escaping (SenderState) -> Void, onMessage: @escaping (GatewayMessage) -> Void
  ) throws(NetworkError) {
    self.target = target
    self.settings = settings
    self.loop = loop
    self.onState = onState
    self.onMessage = onMessage
    tls =
      try target.kind == .secureWebSocket
      ? TLSLayer.trusting(authorities: target.authorities, closeTime: settings.stopTime) : nil
    delivery = CommandDelivery(settings, random: SystemRandomNumberGenerator())
  }

  package var isConnected: Bool { delivery.isConnected }

  /// The number of commands that wait, at most two.
  package var waitingCount: Int { delivery.waitingCount }

  package var counts: SenderCounts { delivery.counts }

  /// Once it has ended: the newest command, where it still waited then, or the connection that it
  /// went by was lost; nil: it was sent.
  package var unsent: Command? { delivery.unsent }

  /// Cannot fail, because it waits for a target that is not reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.start)
  }

  /// An aim or `L` waits if it has to. Any other command is sent now or never.
  package func send(_ command: Command) {
    loop.preconditionInEventLoop()
    handle(.give(command, hasRoom: link?.isWritable == true))
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

  // MARK: Events of the connection

  func opened(_ link: SendingHandler) {
    if self.link === link { handle(.opened) }
  }

  func received(_ message: [UInt8], _ kind: MessageKind, from link: SendingHandler) {
    // Anything else, such as an answer of the board, is not for a sender.
    if let message = GatewayMessage(message) { onMessage(message) }
  }

  func hasRoom(_ link: SendingHandler) {
    if self.link === link { sendWaiting() }
  }

  func ended(_ link: SendingHandler, _ why: String) {
    guard self.link === link else { return }
    self.link = nil
    handle(.lost(why))
  }

  // MARK: One event after the other

  private func handle(_ event: Delivery.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in delivery.handle(event, at: .uptime) { carryOut(action) }
      sendWaiting()
    }
  }

  private func sendWaiting() {
    // Checked for each command, because sending can reveal that the connection is lost.
    while let action = delivery.next(hasRoom: link?.isWritable == true) { carryOut(action) }
  }

  private func carryOut(_ action: Delivery.Action) {
    switch action {
    case .connect: connect()
    case .greet: greet()
    case .discard: newcomer.take()?.close(promise: nil)
    case .send(let command): link?.send(command.bytes)
    case .close: link?.close()
    case .cut:
      let link = link
      self.link = nil
      link?.cut()
    case .set(let alarm, let time): set(alarm, time)
    case .cancel(let alarm): alarms.removeValue(forKey: alarm)?.cancel()
    case .report(let state): onState(state)
    case .finish: ending?.succeed()
    }
  }

  private func connect() {
    let bound = NIOLoopBound(self, eventLoop: loop)
    SenderBootstrap.connect(to: target, settings, tls, on: loop).whenComplete { result in
      bound.value.connected(result)
    }
  }

  private func connected(_ result: Result<any Channel, any Error>) {
    switch result {
    case .failure(let error): handle(.refused(ConnectionFailure.reason(for: error)))
    case .success(let channel):
      let bound = NIOLoopBound(self, eventLoop: loop)
      channel.closeFuture.whenComplete { _ in bound.value.handle(.closed) }
      newcomer = channel
      handle(.connected)
    }
  }

  private func greet() {
    link = try? newcomer.take()?.pipeline.syncOperations.handler(type: SendingHandler.self)
    guard let link else { return handle(.lost("it was closed at once")) }
    link.begin(self)
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
