import Logging
import NIOCore
import Networking
import TurretProtocol

/// A client on a bare TCP connection, whose bytes are passed on as they arrive.
final class TCPClient: ChannelInboundHandler, Client, Connection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let transport = Transport.tcp

  private let line: ClientLine
  private var isOpen = true
  /// Whether the first read was a protocol other than commands; nil if nothing has been received.
  private var isForeign: Bool?

  init(_ reception: Reception, _ address: String) {
    let limits = reception.limits
    line = ClientLine(
      reception, address,
      Heartbeat(
        pingPeriod: nil, answerTime: limits.pongTime, idleTime: limits.idleTime, at: .uptime))
  }

  var id: ClientID { line.id }
  var address: String { line.address }
  var isWritable: Bool { isOpen && line.isWritable }

  var isReading = true {
    didSet {
      guard isReading != oldValue, isOpen else { return }
      line.read(isReading) { [weak self] in self?.resume() }
    }
  }

  func send(_ bytes: [UInt8], as kind: MessageKind) { send(prepared: ByteBuffer(bytes: bytes)) }

  func send(prepared bytes: ByteBuffer) {
    guard isOpen else { return }
    if !line.write(bytes) { close(ClientLine.unread) }
  }

  func close(_ reason: Closing) {
    close(reason, saying: ByteBuffer(string: TCPFarewell.line(reason)))
  }

  private func close(_ reason: Closing, saying farewell: ByteBuffer) {
    guard isOpen, line.context != nil else { return }
    isOpen = false
    line.held = ByteBuffer()
    line.writeLast(farewell)
    line.linger { [weak self] in self?.cut() }
    guard !line.isGoingAway else { return }
    line.reception.loop.execute { self.leave(.dismissed(reason)) }
  }

  /// The client leaves when the connection ends, so that everything that still arrives is counted.
  func goAway() {
    isReading = true
    resume()
    line.isGoingAway = true
    close(.goingAway)
  }

  func cut() { line.context?.close(promise: nil) }

  func handlerAdded(context: ChannelHandlerContext) { line.added(context) }

  func channelActive(context: ChannelHandlerContext) {
    let reception = line.reception
    let peer = Peer(context.remoteAddress)
    let refusal = reception.refusal(from: peer)
    reception.opened(self, as: refusal == nil ? .client : .answered, from: peer)
    if let refusal {
      reception.refuse(503, address, nil, refusal)
      return close(Closing(CloseCode.tryAgainLater, refusal))
    }
    // The bench may be stopping, and the client may already be leaving.
    guard isOpen else { return }
    line.join(path: "tcp")
    reception.host.joined(self)
    scheduleTick()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    isReading = true
    resume()
    isOpen = false
    line.cancelTimers()
    leave(.closed)
    line.removed(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isOpen || line.isGoingAway, isForeign != true else { return }
    var bytes = unwrapInboundIn(data)
    if isForeign == nil {
      let foreign = ForeignProtocol(firstRead: bytes.readableBytesView)
      isForeign = foreign != nil
      if let foreign { return refuse(foreign) }
    }
    line.hear()
    if isReading, line.held.readableBytes == 0 { return deliver(bytes) }
    line.hold(&bytes)
  }

  func channelReadComplete(context: ChannelHandlerContext) { line.endBurst() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if line.failed(error) { leave(.silent) }
    cut()
  }

  /// Only HTTP gets an answer; other protocols would not understand one.
  private func refuse(_ foreign: ForeignProtocol) {
    let why = "it begins as \(foreign.name); bare TCP takes only commands"
    line.reception.refuse(400, address, nil, why)
    let reply = HTTPReply(400, "This port takes commands over bare TCP, not HTTP.\n")
    close(
      Closing(CloseCode.policyViolation, why),
      saying: foreign == .http ? reply.bytes(isHead: false) : ByteBuffer())
  }

  private func resume() {
    guard isOpen, isReading, line.held.readableBytes > 0 else { return }
    deliver(line.takeHeld())
    line.endBurst()
  }

  private func deliver(_ bytes: ByteBuffer) {
    line.deliver(Array(bytes.readableBytesView), as: .binary, from: self)
  }

  private func leave(_ departure: Departure) {
    guard let departure = line.leave(departure) else { return }
    line.reception.host.left(self, departure)
  }

  private func scheduleTick() {
    guard isOpen else { return }
    line.schedule { [weak self] in self?.tick() }
  }

  private func tick() {
    guard isOpen else { return }
    if line.tick() == .idle { return close(ClientLine.idle) }
    scheduleTick()
  }
}
