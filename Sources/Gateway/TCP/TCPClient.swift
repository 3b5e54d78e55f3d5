import Logging
import NIOCore

/// A client on a bare TCP connection: its bytes as they come.
final class TCPClient: ChannelInboundHandler, Client, Connection {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let transport = Transport.tcp

  private let line: ClientLine
  private var isOpen = true

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
    guard isOpen, line.context != nil else { return }
    line.writeLast(ByteBuffer(string: TCPFarewell.line(reason)))
    isOpen = false
    line.held = ByteBuffer()
    line.linger { [weak self] in self?.cut() }
    line.reception.loop.execute { self.leave(.dismissed(reason)) }
  }

  func goAway() { close(.goingAway) }

  func cut() { line.context?.close(promise: nil) }

  func handlerAdded(context: ChannelHandlerContext) { line.added(context) }

  func channelActive(context: ChannelHandlerContext) {
    let reception = line.reception
    let isFull = reception.isFull
    reception.opened(self)
    if isFull {
      reception.refuse(503, address, nil, "too many clients")
      return close(Closing(CloseCode.tryAgainLater, "as many clients as may be are here"))
    }
    // The bench may be ending, and the client on its way out already.
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
    guard isOpen else { return }
    var bytes = unwrapInboundIn(data)
    line.hear()
    if isReading, line.held.readableBytes == 0 { return deliver(bytes) }
    line.held.writeBuffer(&bytes)
  }

  func channelReadComplete(context: ChannelHandlerContext) { line.endBurst() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if line.failed(error) { leave(.silent) }
    cut()
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
    if line.leave(departure) { line.reception.host.left(self, departure) }
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
