import NIOCore
import Platform
import Sketches

/// One connection to the simulated phone.
final class VisionPhoneHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let phone: VisionPhone
  private var reader: VisionCommandReader
  private var deeds: [VisionScript.Deed] = []
  private var isWaiting = false
  private var isFlooding = false

  init(_ phone: VisionPhone) {
    self.phone = phone
    reader = VisionCommandReader(readsLines: phone.script.readsLines)
  }

  func channelActive(context: ChannelHandlerContext) {
    phone.opened(context.channel)
    if let greeting = phone.script.greeting { write(greeting.utf8, context) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    deeds = []
    isFlooding = false
    phone.closed(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    for command in reader.receive(unwrapInboundIn(data).readableBytesView) {
      switch command {
      case .vision: deeds += phone.deedsForQuestion()
      case .shutdown: phone.shutDown()
      }
    }
    if reader.isSpoiled { phone.sawJunk() }
    goOn(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    flood(context)
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func goOn(_ context: ChannelHandlerContext) {
    while !isWaiting, !deeds.isEmpty {
      switch deeds.removeFirst() {
      case .say(let text): write(text.utf8, context)
      case .bytes(let bytes): write(bytes, context)
      case .wait(let milliseconds):
        isWaiting = true
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
          let (handler, context) = bound.value
          handler.isWaiting = false
          handler.goOn(context)
        }
      case .flood:
        isFlooding = true
        flood(context)
      case .close:
        deeds = []
        context.close(promise: nil)
      case .abort:
        deeds = []
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // Closing without lingering sends a reset.
        (context.channel as? any SocketOptionProvider)?
          .setSoLinger(linger(l_onoff: 1, l_linger: 0))
          .whenComplete { _ in bound.value.close(promise: nil) }
      }
    }
  }

  private func flood(_ context: ChannelHandlerContext) {
    while isFlooding, context.channel.isActive, context.channel.isWritable {
      write(repeatElement(UInt8(ascii: "x"), count: 4_096), context)
    }
  }

  private func write(_ bytes: some Sequence<UInt8>, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: Array(bytes))), promise: nil)
  }
}
