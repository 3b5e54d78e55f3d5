package import NIOCore
import NIOPosix
package import Networking
import Turret

/// The connection to a detector, which is made again after a failure. Carries out what
/// `DetectorLife` decides. Used only on its event loop.
package final class DetectorConnection: SendingOwner {
  private typealias Life = DetectorLife<SystemRandomNumberGenerator>

  private let target: SenderTarget
  private let settings: SenderSettings
  private let loop: any EventLoop
  private let onState: (DetectorState) -> Void
  private let onMessage: ([UInt8], MessageKind) -> Void
  private var life: Life
  /// Writing can end the connection before the call returns.
  private var inbox = Inbox<Life.Event>()
  private let alarm: LoopAlarm
  /// The connection in use.
  private var link: SendingHandler?
  /// The channel that has just been connected.
  private var newcomer: (any Channel)?
  private var ending: EventLoopPromise<Void>?

  /// - Parameters:
  ///   - target: the detector's address, `ws://`.
  ///   - onState: receives each change, on the loop, except the end after `stop()`. Each of several
  ///     failures in a row is reported.
  ///   - onMessage: receives the messages of a detector that is ready, on the loop.
  package init(
    to target: SenderTarget, settings: SenderSettings = .detector, on loop: any EventLoop,
    onState: @escaping (DetectorState) -> Void,
    onMessage: @escaping ([UInt8], MessageKind) -> Void
  ) {
    self.target = target
    self.settings = settings
    self.loop = loop
    self.onState = onState
    self.onMessage = onMessage
    life = DetectorLife(settings, random: SystemRandomNumberGenerator())
    alarm = LoopAlarm(on: loop)
  }

  /// Cannot fail, because it waits for a detector that is not reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.start)
  }

  /// Sends a picture. Has no effect while the detector is not ready.
  package func send(_ picture: [UInt8]) {
    loop.preconditionInEventLoop()
    if life.isReady { link?.send(picture, as: .binary) }
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

  // MARK: Events of the connection

  func opened(_ link: SendingHandler) {
    if self.link === link { handle(.opened) }
  }

  func received(_ message: [UInt8], _ kind: MessageKind, from link: SendingHandler) {
    if self.link === link { handle(.received(message, kind)) }
  }

  // At most one picture is on its way, so nothing waits for room.
  func hasRoom(_ link: SendingHandler) {}

  func ended(_ link: SendingHandler, _ why: String) {
    guard self.link === link else { return }
    self.link = nil
    handle(.lost(why))
  }

  // MARK: One event after the other

  private func handle(_ event: Life.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in life.handle(event, at: .uptime) { carryOut(action) }
    }
    alarm.set(life.nextDeadline) { [weak self] in self?.handle(.passed) }
  }

  private func carryOut(_ action: Life.Action) {
    switch action {
    case .connect: connect()
    case .greet: greet()
    case .discard: newcomer.take()?.close(promise: nil)
    case .sayHello: link?.send(DetectorGreeting.hello)
    case .deliver(let message, let kind): onMessage(message, kind)
    case .cut:
      let link = link
      self.link = nil
      link?.cut()
    case .report(let state): onState(state)
    case .finish: ending?.succeed()
    }
  }

  private func connect() {
    let bound = NIOLoopBound(self, eventLoop: loop)
    SenderBootstrap.connect(to: target, settings, nil, on: loop).whenComplete { result in
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
}
