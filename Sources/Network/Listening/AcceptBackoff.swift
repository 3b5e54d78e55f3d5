import Logging
import NIOCore

/// Pauses a listener that has run out of descriptors or memory. Otherwise it would keep listening,
/// find the same connection waiting immediately, and use a whole processor.
final class AcceptBackoff: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private static let rest = TimeAmount.milliseconds(100)
  /// The log reports it at most this often.
  private static let quiet = TimeAmount.seconds(10)

  private let log: Logger
  private var isResting = false
  private var lastTold: NIODeadline?

  init(_ log: Logger) { self.log = log }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let now = NIODeadline.now()
    if lastTold.map({ now - $0 > Self.quiet }) ?? true {
      lastTold = now
      log.error("cannot accept connections", metadata: ["why": "\(error)"])
    }
    guard !isResting else { return }
    isResting = true
    // Only this removes the socket from those that the loop polls; after a failed read it would
    // still be polled.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.rest) { [self] in
      isResting = false
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
