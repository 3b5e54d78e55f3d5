import NIOCore
import NIOPosix
import Synchronization

@testable import Network

/// A server that sends the same answer to every request, and then does nothing, or closes.
final class ScriptedServer {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let channel: any Channel
  private let box: Received

  final class Received: Sendable {
    private let bytes = Mutex([UInt8]())
    var all: [UInt8] { bytes.withLock { $0 } }
    func add(_ more: some Sequence<UInt8>) { bytes.withLock { $0 += more } }
  }

  /// - Parameters:
  ///   - answer: the bytes that it sends.
  ///   - accepts: whether it first upgrades the connection, as it should.
  ///   - reads: whether it reads data after the request.
  init(
    _ answer: [UInt8] = [], accepts: Bool = false, closes: Bool = false, reads: Bool = true
  ) throws {
    let box = Received()
    self.box = box
    channel = try ServerBootstrap(group: group)
      .childChannelOption(.socketOption(.so_rcvbuf), value: 4_096)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Handler(answer, accepts: accepts, closes: closes, reads: reads, box))
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  deinit {
    try? channel.close().wait()
    group.shutdownGracefully { _ in }
  }

  var port: Int { channel.localAddress?.port ?? 0 }
  var received: [UInt8] { box.all }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: [UInt8]
    private let accepts: Bool
    private let closes: Bool
    private let reads: Bool
    private let box: Received
    private var head: [UInt8]? = []

    init(_ answer: [UInt8], accepts: Bool, closes: Bool, reads: Bool, _ box: Received) {
      self.answer = answer
      self.accepts = accepts
      self.closes = closes
      self.reads = reads
      self.box = box
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data).readableBytesView
      box.add(bytes)
      guard head != nil else { return }
      head! += bytes
      guard head!.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return }
      let key = String(decoding: head!, as: UTF8.self).split(separator: "\r\n")
        .first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.split(separator: " ").last
      head = nil
      if !reads { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
      guard accepts, let key else { return answer(context, "") }
      UpgradeKey(text: String(key)).accept(on: context.channel).assumeIsolated().whenSuccess {
        let fields = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \($0)"]
        self.answer(context, UpgradeReplyTests.answer(fields))
      }
    }

    private func answer(_ context: ChannelHandlerContext, _ start: String) {
      let bytes = ByteBuffer(bytes: Array(start.utf8) + answer)
      context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
      if closes { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
