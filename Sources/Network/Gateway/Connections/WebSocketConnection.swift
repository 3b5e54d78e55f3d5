import Engine
import Logging
import NIOCore
package import Sketches
import SystemPackage
import Traces

/// A client's WebSocket connection, after its handshake. Carries out what the conversation decides.
final class WebSocketConnection: ChannelInboundHandler, ClientConnection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let transport = Transport.webSocket
  let name: String?
  var sendsPictures: Bool { role == .detect }

  private let role: RequestVerdict.Role
  private let gate: TLSGate?
  /// Its held bytes are part of a frame's header, or everything received while `isReading` is
  /// false.
  let core: ConnectionCore
  private var conversation: WebSocketConversation
  private var bucket: TokenBucket?
  /// Whether a message is being handled. Data received meanwhile waits, because writing an answer
  /// can cause more to be received before the call returns.
  private var isTaking = false

  init(
    _ role: RequestVerdict.Role, _ registry: ConnectionRegistry, _ gate: TLSGate?,
    _ address: String, named name: String? = nil
  ) {
    self.role = role
    self.name = name
    self.gate = gate
    let limits = registry.limits
    let now = Instant.uptime
    conversation = WebSocketConversation(
      messageBytesMax: limits.messageBytesMax,
      binaryBytesMax: role == .detect ? limits.pictureMessageBytesMax : nil)
    bucket = limits.messagesPerSecondMax.map { TokenBucket(perSecond: $0, at: now) }
    // It does no harm if a watcher's end goes unnoticed for a while, and there can be many
    // watchers.
    let pace: Int64 = role.isSender ? 1 : 10
    let isEcho = registry.configuration.isEcho && role == .control
    core = ConnectionCore(
      registry, address,
      Heartbeat(
        pingPeriod: isEcho ? nil : .nanoseconds(limits.pingPeriod.nanoseconds * pace),
        answerTime: .nanoseconds(limits.pongTime.nanoseconds * pace), idleTime: limits.idleTime,
        at: now))
  }

  // MARK: The client

  var isOpen: Bool { conversation.isOpen }

  func send(_ bytes: [UInt8], as kind: MessageKind) {
    write(kind == .text ? .text : .binary, bytes)
  }

  func send(prepared frame: ByteBuffer) {
    guard isOpen else { return }
    if !core.write(frame) { close(ConnectionCore.unread) }
  }

  func close(_ reason: Closing) {
    guard isOpen, core.context != nil else { return }
    conversation.close()
    writeLast(OutboundFrame.closePayload(reason.code, reason.reason))
    core.awaitAnswer { [weak self] in self?.cut() }
    core.registry.loop.execute {
      if !self.core.isGoingAway { self.leave(.dismissed(reason)) }
      self.resume()
    }
  }

  // MARK: The connection

  func cut() { if let gate { gate.cut() } else { core.context?.close(promise: nil) } }

  func handlerAdded(context: ChannelHandlerContext) {
    core.added(context)
    core.registry.opened(self, as: .client, from: Peer(context.remoteAddress))
    // The bench may be stopping, and the client may already be leaving.
    guard isOpen else { return }
    core.join(path: role.path)
    // While nothing is read, an answer to a ping cannot arrive.
    if role.isSender { try? Listening.keepAlive(context.channel, core.registry.limits) }
    switch role {
    case .control, .detect: core.delegate.joined(self)
    case .watch: core.delegate.watcherJoined(self)
    case .dashboard: core.delegate.dashboardJoined(self)
    }
    scheduleTick()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    // Data received before the end is handled first.
    isReading = true
    resume()
    core.cancelTimers()
    leave(.closed)
    core.removed(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    core.hear()
    core.hold(&bytes)
    take()
  }

  func channelReadComplete(context: ChannelHandlerContext) { core.endBurst() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if core.failed(error) { leave(.silent) }
    cut()
  }

  func resume() {
    take()
    core.endBurst()
  }

  private func take() {
    guard !isTaking else { return }
    isTaking = true
    // While closing, only the other end's close frame is of interest.
    while isReading || !isOpen, let action = conversation.next(&core.held) { carryOut(action) }
    isTaking = false
    if core.held.readableBytes == 0 { core.held = ByteBuffer() }
  }

  private func carryOut(_ action: WebSocketConversation.Action) {
    switch action {
    case .deliver(let message, let kind):
      guard isInTime() else { return }
      // Messages from a watcher are ignored. Those of a dashboard are inputs of the board.
      guard role.isSender || role == .dashboard else { return }
      core.deliver(message, as: kind, from: self)
    case .late(let message, let kind):
      guard core.isGoingAway, role.isSender else { return }
      core.deliver(message, as: kind, from: self)
    case .pong(let payload):
      guard isInTime() else { return }
      write(.pong, payload)
    case .ponged: _ = isInTime()
    case .answerClose(let code):
      writeLast(OutboundFrame.closePayload(code))
      finish(.closed)
    case .fail(let closing):
      core.registry.log.notice(
        "closed", metadata: ["id": "\(id)", "code": "\(closing.code)", "why": "\(closing.reason)"])
      writeLast(OutboundFrame.closePayload(closing.code, closing.reason))
      finish(.dismissed(closing))
    case .end: finish(.closed)
    }
  }

  /// Whether the client respects the limit on messages per second. If not, it is closed.
  private func isInTime() -> Bool {
    guard bucket != nil, !bucket!.take(at: .uptime) else { return true }
    let limit = core.registry.limits.messagesPerSecondMax ?? 0
    let rate = String(counting: limit, "message") + " a second"
    close(Closing(CloseCode.policyViolation, "more than \(rate)"))
    return false
  }

  /// Sends and receives nothing more, and waits only for the end of the connection.
  private func finish(_ departure: Departure) {
    core.endBurst()
    leave(departure)
    core.linger { [weak self] in self?.cut() }
  }

  private func leave(_ departure: Departure) {
    guard let departure = core.leave(departure) else { return }
    switch role {
    case .control, .detect: core.delegate.left(self, departure)
    case .watch, .dashboard: core.delegate.watcherLeft(self, departure)
    }
  }

  // MARK: Writing

  private func write(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) {
    guard isOpen else { return }
    send(prepared: frame(opcode, payload))
  }

  /// Sends a close frame, even above the limit of waiting bytes.
  private func writeLast(_ payload: [UInt8]) { core.writeLast(frame(.close, payload)) }

  private func frame(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: payload.count + OutboundFrame.headBytesMax)
    OutboundFrame.write(opcode, payload, into: &buffer)
    return buffer
  }

  // MARK: Time

  func tick() {
    guard isOpen else { return }
    switch core.tick() {
    case .ping: write(.ping, [])
    case .silent:
      // There would be no answer to a close frame.
      leave(.silent)
      return cut()
    case .idle: return close(ConnectionCore.idle)
    case .wait: break
    }
    scheduleTick()
  }
}

/// The connection of a client, over WebSocket or bare TCP.
protocol ClientConnection: Client, Connection {
  var core: ConnectionCore { get }
  /// Whether anything but the end can still be sent.
  var isOpen: Bool { get }
  /// Sends the reason and closes the connection. The client leaves in a later turn of the loop.
  /// Nothing more is received.
  func close(_ reason: Closing)
  /// Takes the held bytes.
  func resume()
  /// Does what is due.
  func tick()
}

extension ClientConnection {
  var id: ClientID { core.id }
  var address: String { core.address }
  var isWritable: Bool { isOpen && core.isWritable }

  var isReading: Bool {
    get { core.isReading }
    set {
      guard newValue != core.isReading else { return }
      core.isReading = newValue
      guard isOpen else { return }
      core.read(newValue)
      scheduleTick()
      if newValue, core.held.readableBytes > 0 {
        core.registry.loop.execute { [weak self] in self?.resume() }
      }
    }
  }

  /// The client leaves when the connection ends, so that everything that still arrives is counted.
  func shutDown() {
    isReading = true
    resume()
    core.isGoingAway = true
    close(.goingAway)
  }

  func scheduleTick() { if isOpen { core.schedule { [weak self] in self?.tick() } } }
}

/// The part of a client's connection that is the same for WebSocket and TCP. It knows neither when
/// the connection is open nor what its bytes mean.
final class ConnectionCore {
  static let unread = Closing(CloseCode.policyViolation, "the client does not read")
  static let idle = Closing(CloseCode.policyViolation, "the client sent nothing for too long")

  let id: ClientID
  let address: String
  let registry: ConnectionRegistry
  let delegate: any ServerDelegate
  private(set) var context: ChannelHandlerContext?
  /// Bytes that have been received and not yet taken.
  var held = ByteBuffer()
  var isReading = true
  /// Whether the bench is stopping. Further commands are then only counted.
  var isGoingAway = false
  private var heartbeat: Heartbeat
  private var hasDelivered = false
  /// Whether the delegate knows the client.
  private var isKnown = false
  private var timer: Scheduled<Void>?
  private let lingering = Lingering()

  init(_ registry: ConnectionRegistry, _ address: String, _ heartbeat: Heartbeat) {
    self.registry = registry
    delegate = registry.delegate
    self.address = address
    self.heartbeat = heartbeat
    id = registry.nextID()
  }

  func added(_ context: ChannelHandlerContext) { self.context = context }

  /// Releases the connection, which has ended. The client has already left.
  func removed(_ connection: any Connection) {
    context = nil
    registry.closed(connection)
  }

  // MARK: The delegate

  func join(path: String) {
    isKnown = true
    registry.log.debug(
      "joined", metadata: ["from": "\(address)", "id": "\(id)", "path": "\(path)"])
  }

  /// Records that the client has left. Returns the departure to report to the delegate; nil if it
  /// was reported already, or if the delegate never knew the client.
  func leave(_ departure: Departure) -> Departure? {
    guard isKnown else { return nil }
    isKnown = false
    let departure = isGoingAway ? .dismissed(.goingAway) : departure
    registry.log.debug("left", metadata: ["id": "\(id)", "how": "\(departure)"])
    return departure
  }

  func deliver(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    hasDelivered = true
    delegate.received(bytes, as: kind, from: client)
  }

  /// Reports that all received bytes have been taken.
  func endBurst() {
    guard hasDelivered else { return }
    hasDelivered = false
    delegate.receivedAll()
  }

  // MARK: Reading and writing

  var isWritable: Bool { context?.channel.isWritable == true }

  /// Begins or stops reading.
  func read(_ isReading: Bool) {
    guard let context else { return }
    heartbeat.read(isReading, at: .uptime)
    try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }

  /// Keeps received bytes until they are taken.
  func hold(_ bytes: inout ByteBuffer) {
    if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
  }

  func takeHeld() -> ByteBuffer {
    defer { held = ByteBuffer() }
    return held
  }

  /// Sends bytes. Returns false if so much is waiting for a client that does not read that it must
  /// be closed.
  func write(_ bytes: ByteBuffer) -> Bool {
    guard let context else { return true }
    if !context.channel.isWritable {
      let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if waiting + bytes.readableBytes > registry.limits.outboundBytesMax { return false }
    }
    writeLast(bytes)
    return true
  }

  /// Sends bytes even above the limit of waiting bytes.
  func writeLast(_ bytes: ByteBuffer) { context?.writeAndFlush(NIOAny(bytes), promise: nil) }

  // MARK: Its end

  /// Sends and receives nothing more, and waits only for the end of the connection.
  func linger(cut: @escaping () -> Void) {
    timer?.cancel()
    guard let context else { return }
    lingering.begin(context, in: TimeAmount(registry.limits.closeTime), cut: cut)
  }

  /// Waits for the answer to a close frame.
  func awaitAnswer(cut: @escaping () -> Void) {
    timer?.cancel()
    try? context?.channel.syncOptions?.setOption(.autoRead, value: true)
    timer = registry.loop.scheduleTask(in: TimeAmount(registry.limits.closeTime), cut)
  }

  func cancelTimers() {
    timer?.cancel()
    lingering.end()
  }

  /// Logs an error of the connection. Returns whether it means that the other end no longer
  /// answers.
  func failed(_ error: any Error) -> Bool {
    registry.log.debug("connection failed", metadata: ["id": "\(id)", "why": "\(error)"])
    return (error as? IOError)?.errnoCode == Errno.timedOut.rawValue
  }

  // MARK: Time

  func hear() { heartbeat.hear(at: .uptime) }

  func tick() -> Heartbeat.Action { heartbeat.tick(at: .uptime) }

  /// Schedules the next call of `tick`.
  func schedule(_ tick: @escaping () -> Void) {
    timer?.cancel()
    guard heartbeat.due != .distantFuture else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(heartbeat.due.nanoseconds))
    timer = registry.loop.scheduleTask(deadline: deadline, tick)
  }
}

/// Allows a number of events per second, and saves up the unused ones of one second.
package struct TokenBucket: Hashable, Sendable {
  private let perSecond: Int64
  /// In billionths of an event, so that rounding loses nothing.
  private var saved: Int64
  private var time: Instant

  /// - Parameter perSecond: at least 1.
  package init(perSecond: Int, at start: Instant) {
    self.perSecond = Int64(min(max(perSecond, 1), 1_000_000_000))
    saved = self.perSecond * 1_000_000_000
    time = start
  }

  /// Takes one event; returns false if none is left.
  package mutating func take(at now: Instant) -> Bool {
    let full = perSecond * 1_000_000_000
    let passed = max((now - time).nanoseconds, 0)
    time = max(now, time)
    // A second or more fills the bucket, and a longer product would overflow.
    saved = passed >= 1_000_000_000 ? full : min(saved + passed * perSecond, full)
    guard saved >= 1_000_000_000 else { return false }
    saved -= 1_000_000_000
    return true
  }
}
