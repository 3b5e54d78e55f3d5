import NetworkTestSupport
import Platform
import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

/// The sender with servers that misbehave, or do not speak its protocol.
@Suite(.ownThread, .serialized)
struct SenderFaultTests {
  static let faults: [(answer: String, accepts: Bool, closes: Bool, why: String)] = [
    (
      UpgradeReplyTests.answer(UpgradeReplyTests.fields), false, false,
      "its Sec-WebSocket-Accept does not match the key"
    ),
    (
      "HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nNo\n", false, true,
      "it answers 403 Forbidden: `No`"
    ),
    (
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", false, true,
      "it answers 404 Not Found"
    ),
    ("220 mail\r\n", false, false, "it does not answer in HTTP"),
    ("", false, true, "it closed"),
    ("", false, false, "it did not answer in 100 ms"),
    ("HTTP/1.1 101 Sw", false, false, "it did not answer in 100 ms"),
    ("", true, true, "it closed"),
  ]

  @Test(arguments: faults.indices)
  func `Each fault is a state with a sentence, and the sender tries again`(index: Int) throws {
    let fault = Self.faults[index]
    let server = try ScriptedServer(
      Array(fault.answer.utf8), accepts: fault.accepts, closes: fault.closes)
    let stand = try SenderStand("ws://127.0.0.1:\(server.port)/") {
      $0.answerTime = .milliseconds(100)
    }
    try stand.start()
    #expect(stand.hears("disconnected: \(fault.why)", times: 2), "\(stand.lines)")
    #expect(stand.lines.contains("connected") == fault.accepts)
  }

  @Test func `A server that masks its frames is refused`() throws {
    let server = try ScriptedServer(ClientFrame.text("{}"), accepts: true)
    let stand = try SenderStand("ws://127.0.0.1:\(server.port)/")
    try stand.start()
    let why = "it broke the protocol: a server's frame must not be masked"
    #expect(stand.hears("disconnected: \(why)"))
  }

  @Test func `A missing server is reported in words`() throws {
    let stand = try SenderStand("tcp://127.0.0.1:1")
    try stand.start()
    #expect(stand.hears("disconnected: Connection refused", times: 3))
    let nameless = try SenderStand("ws://no-such-host.invalid:1/")
    try nameless.start()
    #expect(nameless.hears("disconnected: no address is known for no-such-host.invalid"))
  }

  @Test func `If the socket accepts no more, only the newest command waits`() throws {
    let server = try ScriptedServer(accepts: true, reads: false)
    let stand = try SenderStand("ws://127.0.0.1:\(server.port)/")
    try stand.start()
    #expect(stand.hears("connected"))
    let (counts, waiting) = try stand.perform { sender in
      for index in 0..<100_000 { sender.send(.aim(index % 181)) }
      return (sender.delivery.counts, sender.delivery.waitingCount)
    }
    #expect(counts.given == counts.sent + counts.replaced + waiting && waiting <= 1)
    // As many as the kernel holds at both ends.
    #expect(counts.sent < 10_000, "\(counts.sent) sent")
  }

  @Test func `A series of connections leaves nothing open`() throws {
    let server = try TestServer()
    let silent = try ScriptedServer()
    func openDescriptors() -> Int { (0..<1_024).count { fcntl($0, F_GETFD) != -1 } }
    let targets = [
      "ws://\(server.address)/", "tcp://\(server.tcpAddress)", "ws://127.0.0.1:1/",
      "ws://127.0.0.1:\(silent.port)/", "ws://\(server.address)/nowhere",
    ]
    let before = openDescriptors()
    for index in 0..<150 {
      let stand = try SenderStand(targets[index % targets.count]) {
        $0.stopTime = .milliseconds(50)
      }
      try stand.start()
      if index.isMultiple(of: 2) {
        #expect(SenderStand.wait { stand.lines.count >= 2 || index % 5 == 3 })
      }
      try stand.stop()
    }
    // Other tests run at the same time.
    #expect(SenderStand.wait { openDescriptors() <= before + 24 })
  }

  @Test func `Random bytes from a server end only their own connection`() throws {
    var random = SeededGenerator(seed: 0xA13)
    for index in 0..<40 {
      let bytes = (0..<Int.random(in: 1...400, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let server = try ScriptedServer(bytes, accepts: index % 2 == 0, closes: true)
      let stand = try SenderStand("ws://127.0.0.1:\(server.port)/")
      try stand.start()
      #expect(SenderStand.wait { stand.lines.contains { $0.hasPrefix("disconnected: ") } })
    }
  }
}
