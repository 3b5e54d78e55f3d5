import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Network

struct AcceptBackoffTests {
  /// The last setting of the channel's automatic reading; nil if it was never set.
  private static func reads(_ channel: EmbeddedChannel) -> Bool? {
    channel.options.last { $0.0 is ChannelOptions.Types.AutoReadOption }?.1 as? Bool
  }

  @Test func `No connection is accepted for a while after an error`() throws {
    let channel = EmbeddedChannel()
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    try channel.pipeline.syncOperations.addHandler(AcceptBackoff(log))
    for _ in 0..<3 {
      channel.pipeline.fireErrorCaught(ChannelError.ioOnClosedChannel)
      channel.pipeline.fireErrorCaught(ChannelError.ioOnClosedChannel)
      #expect(Self.reads(channel) == false)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(99))
      #expect(Self.reads(channel) == false)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
      #expect(Self.reads(channel) == true)
    }
    _ = try channel.finish()
  }
}
