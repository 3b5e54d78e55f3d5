import NIOCore
import Networking

/// Uses a connection. All calls are made on its event loop.
protocol TargetLinkOwner: AnyObject {
  func take(_ event: Reconnection.Event)
  func received(_ message: [UInt8], _ kind: MessageKind)
  /// The socket can accept more data again.
  func hasRoom()
}

/// The connection to a target: the one in use, or one that has just been made. Carries out what a
/// `Reconnection` decides, and passes events to its owner. Used only on its event loop.
final class TargetLink {
  private let target: SenderTarget
  private let settings: SenderSettings
  private let tls: TLSLayer?
  private let loop: any EventLoop
  /// Kept from the first attempt to connect until the end.
  private var owner: (any TargetLinkOwner)?
  private var ending: EventLoopPromise<Void>?
  /// The connection in use.
  private var handler: SendingHandler?
  /// The channel that has just been connected.
  private var newcomer: (any Channel)?

  init(
    to target: SenderTarget, _ settings: SenderSettings, _ tls: TLSLayer?, on loop: any EventLoop
  ) {
    self.target = target
    self.settings = settings
    self.tls = tls
    self.loop = loop
  }

  /// Whether the socket can accept a message now.
  var isWritable: Bool { handler?.isWritable == true }

  func carryOut(_ action: Reconnection.Action, for owner: any TargetLinkOwner) {
    switch action {
    case .connect:
      self.owner = owner
      connect()
    case .greet: greet()
    case .discard: newcomer.take()?.close(promise: nil)
    case .cut: handler.take()?.cut()
    case .finish:
      self.owner = nil
      ending?.succeed()
    // Only the owner knows what they mean.
    case .ready, .away: break
    }
  }

  /// Sends one message; over bare TCP, its bytes. Has no effect without a connection.
  func send(_ message: [UInt8], as kind: MessageKind = .text) { handler?.send(message, as: kind) }

  /// Closes in order, after everything sent so far.
  func close() { handler?.close() }

  /// Completes when `finish` is carried out. Call it before the event that leads to it.
  func awaitEnd() -> EventLoopFuture<Void> {
    loop.preconditionInEventLoop()
    let promise = ending ?? loop.makePromise(of: Void.self)
    ending = promise
    return promise.futureResult
  }

  // MARK: Events of a connection

  func opened(_ handler: SendingHandler) {
    if self.handler === handler { tell(.opened) }
  }

  func received(_ message: [UInt8], _ kind: MessageKind, from handler: SendingHandler) {
    if self.handler === handler { owner?.received(message, kind) }
  }

  func hasRoom(_ handler: SendingHandler) {
    if self.handler === handler { owner?.hasRoom() }
  }

  /// The connection has ended, for this reason; nil if the other end closed it. Called once.
  func ended(_ handler: SendingHandler, _ why: String?) {
    guard self.handler === handler else { return }
    self.handler = nil
    tell(.lost(why))
  }

  private func connect() {
    let bound = NIOLoopBound(self, eventLoop: loop)
    SenderBootstrap.connect(to: target, settings, tls, on: loop).whenComplete { result in
      bound.value.connected(result)
    }
  }

  private func connected(_ result: Result<any Channel, any Error>) {
    switch result {
    case .failure(let error): tell(.refused(ConnectionFailure.reason(for: error)))
    case .success(let channel):
      let bound = NIOLoopBound(self, eventLoop: loop)
      channel.closeFuture.whenComplete { _ in bound.value.tell(.closed) }
      newcomer = channel
      tell(.connected)
    }
  }

  private func greet() {
    handler = try? newcomer.take()?.pipeline.syncOperations.handler(type: SendingHandler.self)
    guard let handler else { return tell(.lost("it was closed at once")) }
    handler.begin(self)
  }

  private func tell(_ event: Reconnection.Event) { owner?.take(event) }
}
