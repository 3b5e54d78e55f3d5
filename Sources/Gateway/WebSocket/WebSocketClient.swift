import Logging
import NIOCore
import SystemPackage
import Turret

/// A WebSocket after its handshake: carries out what the conversation decides.
final class WebSocketClient: ChannelInboundHandler, Client, Connection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let id: ClientID
  let transport = Transport.webSocket
  let address: String

  private let role: RequestVerdict.Role
  private let reception: Reception
  private let gate: TLSGate?
  private var context: ChannelHandlerContext?
  private var conversation: WebSocketConversation
  private var heartbeat: Heartbeat
  private var bucket: TokenBucket?
  /// What has come and is not taken: part of a frame's head, or all of it while `isReading` is not set.
  private var held = ByteBuffer()
  private var hasDelivered = false
  /// Whether the host knows of it.
  private var isKnown = false
  private var timer: Scheduled<Void>?
  private var lingering = Lingering()

  init(_ role: RequestVerdict.Role, _ reception: Reception, _ gate: TLSGate?, _ address: String) {
    self.role = role
    self.reception = reception
    self.gate = gate
    self.address = address
    id = reception.nextID()
    let limits = reception.limits
    let now = Instant.uptime
    conversation = WebSocketConversation(messageBytesMax: limits.messageBytesMax)
    bucket = limits.messagesPerSecondMax.map { TokenBucket(perSecond: $0, at: now) }
    // Nothing moves when a watcher goes unnoticed for a while, and there can be many.
    let pace: Int64 = role == .control ? 1 : 10
    let isEcho = reception.configuration.isEcho && role == .control
    heartbeat = Heartbeat(
      pingPeriod: isEcho ? nil : .nanoseconds(limits.pingPeriod.nanoseconds * pace),
      answerTime: .nanoseconds(limits.pongTime.nanoseconds * pace), idleTime: limits.idleTime,
      at: now)
  }

  // MARK: The client

  var isWritable: Bool { conversation.isOpen && context?.channel.isWritable == true }

  var isReading = true {
    didSet {
      guard isReading != oldValue, conversation.isOpen, let context else { return }
      heartbeat.read(isReading, at: .uptime)
      try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
      if isReading, held.readableBytes > 0 {
        reception.loop.execute { [weak self] in self?.resume() }
      }
    }
  }

  func send(_ bytes: [UInt8], as kind: MessageKind) {
    write(kind == .text ? .text : .binary, bytes)
  }

  func send(prepared frame: ByteBuffer) {
    guard conversation.isOpen, let context else { return }
    if !context.channel.isWritable {
      let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if waiting + frame.readableBytes > reception.limits.outboundBytesMax {
        return close(Closing(CloseCode.policyViolation, "what is sent is not read"))
      }
    }
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  func close(_ reason: Closing) {
    guard conversation.isOpen, let context else { return }
    writeLast(OutboundFrame.closePayload(reason.code, reason.reason))
    conversation.close()
    timer?.cancel()
    // Its answer is waited for.
    try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    timer = reception.loop.scheduleTask(in: TimeAmount(reception.limits.closeTime)) {
      [weak self] in self?.cut()
    }
    reception.loop.execute {
      self.leave(.dismissed(reason))
      self.resume()
    }
  }

  // MARK: The connection

  func goAway() { close(.goingAway) }

  func cut() {
    if let gate { gate.cut() } else { context?.close(promise: nil) }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    reception.opened(self)
    // The bench may be ending, and the client on its way out already.
    guard conversation.isOpen else { return }
    isKnown = true
    reception.log.info(
      "joined",
      metadata: ["client": "\(address)", "id": "\(id)", "path": role == .control ? "/" : "/events"])
    switch role {
    case .control: reception.host.joined(self)
    case .watch: reception.host.watcherJoined(self)
    }
    scheduleTick()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    lingering.end()
    // What came before the end is heard before it.
    isReading = true
    resume()
    leave(.closed)
    self.context = nil
    reception.closed(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    heartbeat.hear(at: .uptime)
    if held.readableBytes > 0 {
      held.writeBuffer(&bytes)
      swap(&held, &bytes)
    }
    take(&bytes)
  }

  func channelReadComplete(context: ChannelHandlerContext) { endBurst() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if (error as? IOError)?.errnoCode == Errno.timedOut.rawValue { leave(.silent) }
    reception.log.debug("connection failed", metadata: ["id": "\(id)", "why": "\(error)"])
    cut()
  }

  private func resume() {
    var bytes = held
    held = ByteBuffer()
    take(&bytes)
    endBurst()
  }

  private func endBurst() {
    guard hasDelivered else { return }
    hasDelivered = false
    reception.host.receivedAll()
  }

  private func take(_ bytes: inout ByteBuffer) {
    // Once it is closing, only the other end's close frame is looked for.
    while isReading || !conversation.isOpen, let action = conversation.next(&bytes) {
      carryOut(action)
    }
    held = bytes.readableBytes > 0 ? bytes : ByteBuffer()
  }

  private func carryOut(_ action: WebSocketConversation.Action) {
    switch action {
    case .deliver(let message, let kind):
      guard isInTime() else { return }
      // A watcher is not heard.
      guard role == .control else { return }
      hasDelivered = true
      reception.host.received(message, as: kind, from: self)
    case .pong(let payload):
      guard isInTime() else { return }
      write(.pong, payload)
    case .ponged: _ = isInTime()
    case .answerClose(let code):
      writeLast(OutboundFrame.closePayload(code))
      finish(.closed)
    case .fail(let closing):
      reception.log.notice(
        "closed", metadata: ["id": "\(id)", "code": "\(closing.code)", "why": "\(closing.reason)"])
      writeLast(OutboundFrame.closePayload(closing.code, closing.reason))
      finish(.dismissed(closing))
    case .end: finish(.closed)
    }
  }

  /// Whether the client keeps to the number of messages it may send; where not, it is closed.
  private func isInTime() -> Bool {
    guard bucket != nil, !bucket!.take(at: .uptime) else { return true }
    let limit = reception.limits.messagesPerSecondMax ?? 0
    close(Closing(CloseCode.policyViolation, "more than \(limit) messages a second"))
    return false
  }

  /// Nothing more is said, and nothing heard: waits only for the end of the connection.
  private func finish(_ departure: Departure) {
    timer?.cancel()
    endBurst()
    leave(departure)
    guard let context else { return }
    lingering.begin(context, in: TimeAmount(reception.limits.closeTime)) { [weak self] in
      self?.cut()
    }
  }

  private func leave(_ departure: Departure) {
    guard isKnown else { return }
    isKnown = false
    reception.log.debug("left", metadata: ["id": "\(id)", "how": "\(departure)"])
    switch role {
    case .control: reception.host.left(self, departure)
    case .watch: reception.host.watcherLeft(self, departure)
    }
  }

  // MARK: Writing

  private func write(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) {
    guard conversation.isOpen else { return }
    send(prepared: frame(opcode, payload))
  }

  /// A close frame. It may go over the limit of what waits.
  private func writeLast(_ payload: [UInt8]) {
    context?.writeAndFlush(wrapOutboundOut(frame(.close, payload)), promise: nil)
  }

  private func frame(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(
      capacity: payload.count + OutboundFrame.headBytesMax)
    OutboundFrame.write(opcode, payload, into: &buffer)
    return buffer
  }

  // MARK: Time

  private func scheduleTick() {
    guard conversation.isOpen, heartbeat.due != .distantFuture else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(heartbeat.due.nanoseconds))
    timer = reception.loop.scheduleTask(deadline: deadline) { [weak self] in self?.tick() }
  }

  private func tick() {
    guard conversation.isOpen else { return }
    switch heartbeat.tick(at: .uptime) {
    case .ping: write(.ping, [])
    case .silent:
      // Nobody would answer a close frame.
      leave(.silent)
      return cut()
    case .idle:
      return close(Closing(CloseCode.policyViolation, "nothing has come for long"))
    case .wait: break
    }
    scheduleTick()
  }
}
