import NIOCore
import Networking

/// The connection to a target: the one in use, or one that has just been made. Carries out what its
/// owner decides, and passes events to its owner. Used only on its event loop.
final class TargetLink {
  enum Event {
    /// An attempt to connect has failed, for this reason.
    case refused(String)
    /// An attempt to connect has succeeded.
    case connected
    /// The target has accepted the connection.
    case opened
    case received([UInt8], MessageKind)
    /// The socket can accept more data again.
    case hasRoom
    /// The connection in use has ended, for this reason.
    case lost(String)
    /// A channel is closed, whether it was in use or not.
    case closed
  }

  private let target: SenderTarget
  private let settings: SenderSettings
  private let tls: TLSLayer?
  private let loop: any EventLoop
  /// Kept from the first attempt to connect until `release`.
  private var owner: (any TargetLinkOwner)?
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

  func connect(for owner: any TargetLinkOwner) {
    self.owner = owner
    let bound = NIOLoopBound(self, eventLoop: loop)
    SenderBootstrap.connect(to: target, settings, tls, on: loop).whenComplete { result in
      bound.value.connected(result)
    }
  }

  /// Begins the conversation on the channel that has just been connected.
  func greet() {
    handler = try? newcomer.take()?.pipeline.syncOperations.handler(type: SendingHandler.self)
    guard let handler else { return tell(.lost("it was closed at once")) }
    handler.begin(self)
  }

  /// Closes the channel that has just been connected.
  func discard() { newcomer.take()?.close(promise: nil) }

  /// Sends one message; over bare TCP, its bytes. Has no effect without a connection.
  func send(_ message: [UInt8], as kind: MessageKind = .text) { handler?.send(message, as: kind) }

  /// Closes in order, after everything sent so far.
  func close() { handler?.close() }

  /// Closes at once, and reports nothing more about the connection.
  func cut() { handler.take()?.cut() }

  /// Releases the owner, which expects no more events.
  func release() { owner = nil }

  // MARK: Events of a connection

  func opened(_ handler: SendingHandler) {
    if self.handler === handler { tell(.opened) }
  }

  func received(_ message: [UInt8], _ kind: MessageKind, from handler: SendingHandler) {
    if self.handler === handler { tell(.received(message, kind)) }
  }

  func hasRoom(_ handler: SendingHandler) {
    if self.handler === handler { tell(.hasRoom) }
  }

  /// The connection has ended, for this reason. Called once.
  func ended(_ handler: SendingHandler, _ why: String) {
    guard self.handler === handler else { return }
    self.handler = nil
    tell(.lost(why))
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

  private func tell(_ event: Event) { owner?.take(event) }
}
