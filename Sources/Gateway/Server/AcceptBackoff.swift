import Logging
import NIOCore

/// Lets a listener that has run out of descriptors or memory rest a while. It goes on listening by itself,
/// but would find the same connection waiting again at once, and so use a whole processor.
final class AcceptBackoff: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private static let rest = TimeAmount.milliseconds(100)
  /// The log hears of it this often at most.
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
    // Only this takes the socket from what the loop waits for: a read that has failed stays wanted.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.rest) { [self] in
      isResting = false
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
