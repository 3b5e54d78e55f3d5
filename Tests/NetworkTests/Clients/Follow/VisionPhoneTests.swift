import NIOCore
import NIOPosix
import Sketches
import TestSupport
import Testing

/// The simulator itself, as a plain TCP client sees it.
@Suite(.ownThread) struct VisionPhoneTests {
  @Test(arguments: [
    (["VISION"], 1, 0, false), (["VISIONVISION"], 2, 0, false),
    (["VIS", "ION\r\nVI", "SION\n"], 2, 0, false), (["SHUTDOWNVISION"], 1, 1, false),
    (["VISIO"], 0, 0, false), (["xVISION"], 0, 0, true), (["x", "SHUTDOWN"], 0, 0, true),
    (["VIVISION"], 0, 0, true), (["VISION SHUTDOWN"], 1, 0, true), (["vision"], 0, 0, true),
    (["POST / HTTP/1.1\r\nHost: a\r\n\r\nSHUTDOWN", "\nVISION\n"], 0, 0, true),
  ])
  func `Joined and split commands are found until anything else arrives`(
    pieces: [String], questions: Int, shutdowns: Int, isSpoiled: Bool
  ) {
    var reader = VisionCommandReader(readsLines: false)
    let commands = pieces.flatMap { reader.receive($0.utf8) }
    #expect(commands.count { $0 == .vision } == questions)
    #expect(commands.count { $0 == .shutdown } == shutdowns)
    #expect(reader.isSpoiled == isSpoiled)
  }

  @Test func `A phone that reads lines waits for the line end`() {
    var reader = VisionCommandReader(readsLines: true)
    #expect(reader.receive("VISION".utf8) == [])
    #expect(reader.receive("\n".utf8) == [.vision])
  }

  @Test func `The phone answers over TCP, advances its timestamp, and stops on request`()
    async throws
  {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let phone = try await VisionPhone.start(
      VisionScript([.fields(15.2)], [.object(nil)]), on: group)
    let client = try await ClientBootstrap(group: group)
      .connect(host: "127.0.0.1", port: phone.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let expected =
      "12:00:1|angle^15.2|distance^4.3\n"
      + #"{"timestamp": "12:00:2", "angle": null, "distance": 4.3}"#
    try await client.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: "VISIONVIS"))
      try await outbound.write(ByteBuffer(string: "ION"))
      var heard = ""
      for try await bytes in inbound {
        heard += String(buffer: bytes)
        if heard.count >= expected.count {
          try await outbound.write(ByteBuffer(string: "SHUTDOWN"))
        }
      }
      #expect(heard == expected)
    }
    #expect(phone.questions == 2)
    try await phone.stop()
    #expect(phone.isStopped && phone.openConnections == 0)
    try await group.shutdownGracefully()
  }
}
