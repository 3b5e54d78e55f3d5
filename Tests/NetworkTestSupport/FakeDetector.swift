import NIOCore
import NIOPosix
import Network
import Platform
import Synchronization

/// A detector on a loop of its own that follows a script, which can violate docs/detector.md.
package final class FakeDetector {
  package struct Script: Sendable {
    /// Whether it accepts the WebSocket, or only the connection.
    package var accepts = true
    /// Its answer to the hello; nil for none.
    package var hello: String? = #"{"hello": {"name": "fake", "protocol": 1}}"#
    /// Whether that is sent in one write with the acceptance.
    package var greetsAtOnce = false
    /// Whether it closes after that.
    package var closes = false
    /// Its answer to a picture, by its number on the connection; nil for none.
    package var answer: @Sendable (Int) -> String? = FakeDetector.observation

    package init() {}
  }

  /// Its answer if it finds nothing.
  package static func observation(_ number: Int) -> String? {
    #"{"t": 7.5, "found": [], "seq": \#(number), "image": [320, 240], "ms": 1.5, "replaced": 0}"#
  }

  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let listener: any Channel
  private let told = Told()
  private let open = Connections()

  /// - Parameter port: 0 for any free port.
  package init(port: Int = 0, _ change: (inout Script) -> Void = { _ in }) throws {
    var script = Script()
    change(&script)
    listener = try ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { [script, told, open] channel in
        open.add(channel)
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(script, told))
        }
      }
      .bind(host: "127.0.0.1", port: port).wait()
  }

  deinit {
    stop()
    group.shutdownGracefully { _ in }
  }

  package var port: Int { listener.localAddress?.port ?? 0 }
  package var address: String { "ws://127.0.0.1:\(port)" }
  /// What it has received, one line each: `connected`, `hello`, `picture 1: BYTES`.
  package var lines: [String] { told.lines }

  /// Ends everything at once, as when the program is killed. A later one can have the same port.
  package func stop() {
    try? listener.close().wait()
    for channel in open.all { try? channel.close().wait() }
  }

  /// Waits until it has received something this many times, at most ten seconds.
  package func hears(_ line: String, times: Int = 1) -> Bool {
    let deadline = NIODeadline.now() + .seconds(10)
    while NIODeadline.now() < deadline {
      if told.lines.count(where: { $0 == line }) >= times { return true }
      usleep(1_000)
    }
    return false
  }

  private final class Connections: Sendable {
    private let channels = Mutex([any Channel]())
    var all: [any Channel] { channels.withLock { $0 } }
    func add(_ channel: any Channel) { channels.withLock { $0.append(channel) } }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: Script
    private let told: Told
    private var input = ByteBuffer()
    private var isUpgraded = false
    private var conversation = WebSocketConversation(messageBytesMax: 8_000_000)
    private var pictures = 0

    init(_ script: Script, _ told: Told) {
      self.script = script
      self.told = told
    }

    func channelActive(context: ChannelHandlerContext) { told.add("connected") }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var bytes = unwrapInboundIn(data)
      input.writeBuffer(&bytes)
      guard isUpgraded else { return upgrade(context) }
      while let action = conversation.next(&input) {
        switch action {
        case .deliver(_, .text):
          told.add("hello")
          if !script.greetsAtOnce, let hello = script.hello { say(hello, context) }
          if script.closes { context.close(promise: nil) }
        case .deliver(let picture, .binary):
          pictures += 1
          told.add("picture \(pictures): \(String(decoding: picture.prefix(20), as: UTF8.self))")
          if let answer = script.answer(pictures) { say(answer, context) }
        default: break
        }
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    private func upgrade(_ context: ChannelHandlerContext) {
      let head = String(buffer: input)
      guard script.accepts, head.hasSuffix("\r\n\r\n"),
        let key = head.split(separator: "\r\n").first(where: {
          $0.hasPrefix("Sec-WebSocket-Key: ")
        })?.split(separator: " ").last
      else { return }
      input.clear()
      isUpgraded = true
      UpgradeKey(text: String(key)).accept(on: context.channel).assumeIsolated().whenSuccess {
        var bytes = ByteBuffer(
          string: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Accept: \($0)\r\n\r\n")
        if self.script.greetsAtOnce, let hello = self.script.hello {
          bytes.writeImmutableBuffer(OutboundFrame.text(Array(hello.utf8)))
        }
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
      }
    }

    private func say(_ text: String, _ context: ChannelHandlerContext) {
      let frame = OutboundFrame.text(Array(text.utf8))
      context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
  }
}
