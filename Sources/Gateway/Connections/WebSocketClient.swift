import Logging
import NIOCore
import Networking
import Turret
import TurretProtocol

/// A WebSocket after its handshake. Carries out what the conversation decides.
final class WebSocketClient: ChannelInboundHandler, Client, Connection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let transport = Transport.webSocket

  private let role: RequestVerdict.Role
  private let gate: TLSGate?
  /// Contains part of a frame's header, or everything received while `isReading` is not set.
  private let line: ClientLine
  private var conversation: WebSocketConversation
  private var bucket: TokenBucket?
  /// Whether a message is being handled. Data received meanwhile waits, because writing an answer
  /// can cause more to be received before the call returns.
  private var isTaking = false

  init(_ role: RequestVerdict.Role, _ reception: Reception, _ gate: TLSGate?, _ address: String) {
    self.role = role
    self.gate = gate
    let limits = reception.limits
    let now = Instant.uptime
    conversation = WebSocketConversation(messageBytesMax: limits.messageBytesMax)
    bucket = limits.messagesPerSecondMax.map { TokenBucket(perSecond: $0, at: now) }
    // It does no harm if a watcher's end goes unnoticed for a while, and there can be many
    // watchers.
    let pace: Int64 = role == .control ? 1 : 10
    let isEcho = reception.configuration.isEcho && role == .control
    line = ClientLine(
      reception, address,
      Heartbeat(
        pingPeriod: isEcho ? nil : .nanoseconds(limits.pingPeriod.nanoseconds * pace),
        answerTime: .nanoseconds(limits.pongTime.nanoseconds * pace), idleTime: limits.idleTime,
        at: now))
  }

  // MARK: The client

  var id: ClientID { line.id }
  var address: String { line.address }
  var isWritable: Bool { conversation.isOpen && line.isWritable }

  var isReading = true {
    didSet {
      guard isReading != oldValue, conversation.isOpen else { return }
      line.read(isReading) { [weak self] in self?.resume() }
    }
  }

  func send(_ bytes: [UInt8], as kind: MessageKind) {
    write(kind == .text ? .text : .binary, bytes)
  }

  func send(prepared frame: ByteBuffer) {
    guard conversation.isOpen else { return }
    if !line.write(frame) { close(ClientLine.unread) }
  }

  func close(_ reason: Closing) {
    guard conversation.isOpen, line.context != nil else { return }
    conversation.close()
    writeLast(OutboundFrame.closePayload(reason.code, reason.reason))
    line.awaitAnswer { [weak self] in self?.cut() }
    line.reception.loop.execute {
      if !self.line.isGoingAway { self.leave(.dismissed(reason)) }
      self.resume()
    }
  }

  // MARK: The connection

  /// The client leaves when the connection ends, so that everything that still arrives is counted.
  func goAway() {
    isReading = true
    resume()
    line.isGoingAway = true
    close(.goingAway)
  }

  func cut() {
    if let gate { gate.cut() } else { line.context?.close(promise: nil) }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    line.added(context)
    line.reception.opened(self, as: .client, from: Peer(context.remoteAddress))
    // The bench may be stopping, and the client may already be leaving.
    guard conversation.isOpen else { return }
    line.join(path: role == .control ? "/" : "/events")
    switch role {
    case .control: line.reception.host.joined(self)
    case .watch: line.reception.host.watcherJoined(self)
    }
    scheduleTick()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    line.cancelTimers()
    // Data received before the end is handled before it.
    isReading = true
    resume()
    leave(.closed)
    line.removed(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    line.hear()
    line.hold(&bytes)
    take()
  }

  func channelReadComplete(context: ChannelHandlerContext) { line.endBurst() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if line.failed(error) { leave(.silent) }
    cut()
  }

  private func resume() {
    take()
    line.endBurst()
  }

  private func take() {
    guard !isTaking else { return }
    isTaking = true
    // While closing, only the other end's close frame is of interest.
    while isReading || !conversation.isOpen, let action = conversation.next(&line.held) {
      carryOut(action)
    }
    isTaking = false
    if line.held.readableBytes == 0 { line.held = ByteBuffer() }
  }

  private func carryOut(_ action: WebSocketConversation.Action) {
    switch action {
    case .deliver(let message, let kind):
      guard isInTime() else { return }
      // Messages from a watcher are ignored.
      guard role == .control else { return }
      line.deliver(message, as: kind, from: self)
    case .late(let message, let kind):
      guard line.isGoingAway, role == .control else { return }
      line.deliver(message, as: kind, from: self)
    case .pong(let payload):
      guard isInTime() else { return }
      write(.pong, payload)
    case .ponged: _ = isInTime()
    case .answerClose(let code):
      writeLast(OutboundFrame.closePayload(code))
      finish(.closed)
    case .fail(let closing):
      line.reception.log.notice(
        "closed", metadata: ["id": "\(id)", "code": "\(closing.code)", "why": "\(closing.reason)"])
      writeLast(OutboundFrame.closePayload(closing.code, closing.reason))
      finish(.dismissed(closing))
    case .end: finish(.closed)
    }
  }

  /// Whether the client respects the limit on messages per second. If not, it is closed.
  private func isInTime() -> Bool {
    guard bucket != nil, !bucket!.take(at: .uptime) else { return true }
    let limit = line.reception.limits.messagesPerSecondMax ?? 0
    close(Closing(CloseCode.policyViolation, "more than \(limit) messages a second"))
    return false
  }

  /// Sends and receives nothing more, and waits only for the end of the connection.
  private func finish(_ departure: Departure) {
    line.endBurst()
    leave(departure)
    line.linger { [weak self] in self?.cut() }
  }

  private func leave(_ departure: Departure) {
    guard let departure = line.leave(departure) else { return }
    switch role {
    case .control: line.reception.host.left(self, departure)
    case .watch: line.reception.host.watcherLeft(self, departure)
    }
  }

  // MARK: Writing

  private func write(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) {
    guard conversation.isOpen else { return }
    send(prepared: frame(opcode, payload))
  }

  /// Sends a close frame, even above the limit of waiting bytes.
  private func writeLast(_ payload: [UInt8]) {
    line.writeLast(frame(.close, payload))
  }

  private func frame(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(
      capacity: payload.count + OutboundFrame.headBytesMax)
    OutboundFrame.write(opcode, payload, into: &buffer)
    return buffer
  }

  // MARK: Time

  private func scheduleTick() {
    guard conversation.isOpen else { return }
    line.schedule { [weak self] in self?.tick() }
  }

  private func tick() {
    guard conversation.isOpen else { return }
    switch line.tick() {
    case .ping: write(.ping, [])
    case .silent:
      // There would be no answer to a close frame.
      leave(.silent)
      return cut()
    case .idle:
      return close(ClientLine.idle)
    case .wait: break
    }
    scheduleTick()
  }
}
