import Engine
import Logging
import NIOCore
import Platform
import Sketches
import Traces

/// A client's bare TCP connection. Its bytes are passed on as they arrive.
final class TCPConnection: ChannelInboundHandler, ClientConnection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let transport = Transport.tcp

  let core: ConnectionCore
  private(set) var isOpen = true
  /// Whether the first bytes were those of another protocol; nil if nothing has been received.
  private var isForeign: Bool?

  init(_ registry: ConnectionRegistry, _ address: String) {
    let limits = registry.limits
    core = ConnectionCore(
      registry, address,
      Heartbeat(
        pingPeriod: nil, heldPingPeriod: limits.pingPeriod, answerTime: limits.pongTime,
        idleTime: limits.idleTime, at: .uptime))
  }

  func send(_ bytes: [UInt8], as kind: MessageKind) { send(prepared: ByteBuffer(bytes: bytes)) }

  func send(prepared bytes: ByteBuffer) {
    guard isOpen else { return }
    if !core.write(bytes) { close(ConnectionCore.unread) }
  }

  func close(_ reason: Closing) {
    // In place of a close frame.
    let farewell = JSONValue.object([
      .init("closed", .whole(Int(reason.code))), .init("message", .string(reason.reason)),
    ])
    close(reason, saying: ByteBuffer(string: farewell.text + "\n"))
  }

  private func close(_ reason: Closing, saying farewell: ByteBuffer) {
    guard isOpen, core.context != nil else { return }
    isOpen = false
    core.held = ByteBuffer()
    core.writeLast(farewell)
    core.linger { [weak self] in self?.cut() }
    guard !core.isGoingAway else { return }
    core.registry.loop.execute { self.leave(.dismissed(reason)) }
  }

  func cut() { core.context?.close(promise: nil) }

  func handlerAdded(context: ChannelHandlerContext) { core.added(context) }

  func channelActive(context: ChannelHandlerContext) {
    let registry = core.registry
    let peer = Peer(context.remoteAddress)
    let refusal = registry.refusal(from: peer)
    registry.opened(self, as: refusal == nil ? .client : .answered, from: peer)
    if let refusal {
      registry.refuse(503, address, nil, refusal)
      return close(Closing(CloseCode.tryAgainLater, refusal))
    }
    // The bench may be stopping, and the client may already be leaving.
    guard isOpen else { return }
    core.join(path: "tcp")
    core.delegate.joined(self)
    scheduleTick()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    isReading = true
    resume()
    isOpen = false
    core.cancelTimers()
    leave(.closed)
    core.removed(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isOpen || core.isGoingAway, isForeign != true else { return }
    var bytes = unwrapInboundIn(data)
    if isForeign == nil {
      let foreign = ForeignProtocol(firstRead: bytes.readableBytesView)
      isForeign = foreign != nil
      if let foreign { return refuse(foreign) }
    }
    core.hear()
    if isReading, core.held.readableBytes == 0 { return deliver(bytes) }
    core.hold(&bytes)
  }

  func channelReadComplete(context: ChannelHandlerContext) { core.endBurst() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if core.failed(error) { leave(.silent) }
    cut()
  }

  /// Only HTTP gets an answer; other protocols would not understand one.
  private func refuse(_ foreign: ForeignProtocol) {
    let why = "it begins as \(foreign.name); bare TCP takes only commands"
    core.registry.refuse(400, address, nil, why)
    let reply = HTTPReply(400, "This port takes commands over bare TCP, not HTTP.\n")
    close(
      Closing(CloseCode.policyViolation, why),
      saying: foreign == .http ? reply.bytes(isHead: false) : ByteBuffer())
  }

  func resume() {
    guard isOpen, isReading, core.held.readableBytes > 0 else { return }
    deliver(core.takeHeld())
    core.endBurst()
  }

  private func deliver(_ bytes: ByteBuffer) {
    core.deliver(Array(bytes.readableBytesView), as: .binary, from: self)
  }

  private func leave(_ departure: Departure) {
    guard let departure = core.leave(departure) else { return }
    core.delegate.left(self, departure)
  }

  func tick() {
    guard isOpen else { return }
    switch core.tick() {
    case .idle: return close(ConnectionCore.idle)
    case .ping: probe()
    case .silent, .wait: break
    }
    scheduleTick()
  }

  /// Makes the kernel detect that the program at the other end is gone, while its data is not read:
  /// the end of the data cannot arrive before the data, and the other kernel acknowledges
  /// keep-alive probes for a connection that no program has open. But it answers data with a reset.
  /// Urgent data is not part of what a program reads, unless it has set SO_OOBINLINE; a program
  /// that reads nothing can find the byte between the others later.
  private func probe() {
    try? core.context?.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { Self.sendUrgent(on: $0) }
  }

  private static func sendUrgent(on descriptor: CInt) {
    var byte = UInt8(ascii: "\n")
    _ = Platform.send(descriptor, &byte, 1, urgent)
  }

  /// Without SIGPIPE, if the system has a flag for that. The program ignores that signal anyway.
  private static let urgent: CInt = {
    #if os(Linux)
      CInt(MSG_OOB) | CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
    #else
      MSG_OOB | MSG_DONTWAIT
    #endif
  }()
}
