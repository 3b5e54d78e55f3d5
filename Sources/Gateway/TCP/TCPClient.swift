import Logging
import NIOCore
import SystemPackage
import Turret

/// A client on a bare TCP connection: its bytes as they come.
final class TCPClient: ChannelInboundHandler, Client, Connection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let id: ClientID
  let transport = Transport.tcp
  let address: String

  private let reception: Reception
  private var context: ChannelHandlerContext?
  private var heartbeat: Heartbeat
  /// What came while `isReading` was not set.
  private var held = ByteBuffer()
  private var isOpen = true
  private var hasDelivered = false
  /// Whether the host knows of it.
  private var isKnown = false
  private var timer: Scheduled<Void>?
  private var lingering = Lingering()

  init(_ reception: Reception, _ address: String) {
    self.reception = reception
    self.address = address
    id = reception.nextID()
    heartbeat = Heartbeat(
      pingPeriod: nil, answerTime: reception.limits.pongTime, idleTime: reception.limits.idleTime,
      at: .uptime)
  }

  var isWritable: Bool { isOpen && context?.channel.isWritable == true }

  var isReading = true {
    didSet {
      guard isReading != oldValue, isOpen, let context else { return }
      heartbeat.read(isReading, at: .uptime)
      try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
      if isReading, held.readableBytes > 0 {
        reception.loop.execute { [weak self] in self?.resume() }
      }
    }
  }

  func send(_ bytes: [UInt8], as kind: MessageKind) { send(prepared: ByteBuffer(bytes: bytes)) }

  func send(prepared bytes: ByteBuffer) {
    guard isOpen, let context else { return }
    if !context.channel.isWritable {
      let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if waiting + bytes.readableBytes > reception.limits.outboundBytesMax {
        return close(Closing(CloseCode.policyViolation, "what is sent is not read"))
      }
    }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }

  func close(_ reason: Closing) {
    guard isOpen, let context else { return }
    let farewell = TCPFarewell.line(reason)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: farewell)), promise: nil)
    finish()
    reception.loop.execute { self.leave(.dismissed(reason)) }
  }

  func goAway() { close(.goingAway) }

  func cut() { context?.close(promise: nil) }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelActive(context: ChannelHandlerContext) {
    let isFull = reception.isFull
    reception.opened(self)
    if isFull {
      reception.refuse(503, address, nil, "too many clients")
      return close(Closing(CloseCode.tryAgainLater, "as many clients as may be are here"))
    }
    // The bench may be ending, and the client on its way out already.
    guard isOpen else { return }
    isKnown = true
    reception.log.debug("joined", metadata: ["client": "\(address)", "id": "\(id)", "path": "tcp"])
    reception.host.joined(self)
    scheduleTick()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    isReading = true
    resume()
    isOpen = false
    timer?.cancel()
    lingering.end()
    leave(.closed)
    self.context = nil
    reception.closed(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isOpen else { return }
    var bytes = unwrapInboundIn(data)
    heartbeat.hear(at: .uptime)
    if isReading, held.readableBytes == 0 { return deliver(bytes) }
    held.writeBuffer(&bytes)
  }

  func channelReadComplete(context: ChannelHandlerContext) { endBurst() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if (error as? IOError)?.errnoCode == Errno.timedOut.rawValue { leave(.silent) }
    reception.log.debug("connection failed", metadata: ["id": "\(id)", "why": "\(error)"])
    cut()
  }

  private func resume() {
    guard isOpen, isReading, held.readableBytes > 0 else { return }
    let bytes = held
    held = ByteBuffer()
    deliver(bytes)
    endBurst()
  }

  private func deliver(_ bytes: ByteBuffer) {
    hasDelivered = true
    reception.host.received(Array(bytes.readableBytesView), as: .binary, from: self)
  }

  private func endBurst() {
    guard hasDelivered else { return }
    hasDelivered = false
    reception.host.receivedAll()
  }

  private func finish() {
    isOpen = false
    held = ByteBuffer()
    timer?.cancel()
    guard let context else { return }
    lingering.begin(context, in: TimeAmount(reception.limits.closeTime)) { [weak self] in
      self?.cut()
    }
  }

  private func leave(_ departure: Departure) {
    guard isKnown else { return }
    isKnown = false
    reception.log.debug("left", metadata: ["id": "\(id)", "how": "\(departure)"])
    reception.host.left(self, departure)
  }

  private func scheduleTick() {
    guard isOpen, heartbeat.due != .distantFuture else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(heartbeat.due.nanoseconds))
    timer = reception.loop.scheduleTask(deadline: deadline) { [weak self] in self?.tick() }
  }

  private func tick() {
    guard isOpen else { return }
    if heartbeat.tick(at: .uptime) == .idle {
      return close(Closing(CloseCode.policyViolation, "nothing has come for long"))
    }
    scheduleTick()
  }
}
