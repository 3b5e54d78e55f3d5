import Logging
import NIOCore

/// Lets a listener that has run out of descriptors or memory rest a while. It goes on listening by itself,
/// but would find the same connection waiting again at once, and so use a whole processor.
final class AcceptBackoff: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias OutboundIn = Never

  private static let rest = TimeAmount.milliseconds(100)
  /// The log hears of it this often at most.
  private static let quiet = TimeAmount.seconds(10)

  private let log: Logger
  private var isResting = false
  private var lastTold: NIODeadline?

  init(_ log: Logger) { self.log = log }

  func read(context: ChannelHandlerContext) {
    if !isResting { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let now = NIODeadline.now()
    if lastTold.map({ now - $0 > Self.quiet }) ?? true {
      lastTold = now
      log.error("cannot accept connections", metadata: ["why": "\(error)"])
    }
    guard !isResting else { return }
    isResting = true
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.rest) { [self] in
      isResting = false
      context.read()
    }
  }
}
