import Foundation
import TestSupport
import Testing

/// A megabyte without a newline or any command.
@Suite(.ownThread) struct FloodTests {
  private static let megabyte = 1 << 20

  @Test(arguments: ["one message", "many messages", "bare TCP"])
  func `A flood does not reach the board, and a well-behaved client is served meanwhile`(
    _ how: String
  )
    async throws
  {
    let stage = try await GatewayStage(tcp: true)
    let good = try stage.connect()
    var asked = 0
    func expectService() {
      good.send("?")
      asked += 1
      // On a busy computer, an answer can arrive in pieces.
      var answer = ""
      while !answer.hasSuffix("\n") {
        guard case .text(let text) = good.receive() else {
          Issue.record("no answer after \(asked) queries")
          return
        }
        answer += text
      }
      #expect(answer.hasPrefix("090 hold"))
    }
    expectService()
    // Checked before the sender disconnects, because bytes that are still unread are lost then.
    func expectRefusal(of commands: ClosedRange<Double>) async throws {
      try await stage.metric("message_bytes_received_total", is: Double(Self.megabyte + asked))
      // On TCP, a run of junk ends with a pause.
      let name = "commands_refused_total{reason=\"not-a-command\"}"
      var refused = 0.0
      for _ in 0..<1_000 where refused < commands.lowerBound {
        try await Task.sleep(for: .milliseconds(10))
        refused = try stage.metrics()[name] ?? 0
      }
      #expect(commands.contains(refused))
      expectService()
    }
    let part = [UInt8](repeating: UInt8(ascii: "Z"), count: 32_768)
    switch how {
    case "one message":
      let peer = try stage.connect()
      peer.send(binary: [UInt8](repeating: UInt8(ascii: "Z"), count: Self.megabyte))
      expectService()
      #expect(peer.receive() == .close(1009))
    case "many messages":
      let peer = try stage.connect()
      for number in 0..<(Self.megabyte / part.count) {
        peer.send(binary: part)
        if number.isMultiple(of: 4) { expectService() }
      }
      try await expectRefusal(of: 32...32)
    default:
      let socket = try PlainSocket(port: stage.tcpPort)
      for number in 0..<(Self.megabyte / part.count) {
        socket.write(part)
        if number.isMultiple(of: 4) { expectService() }
      }
      // One, unless it arrives in pieces on a busy computer.
      try await expectRefusal(of: 1...32)
      #expect(socket.read(through: "\n").hasPrefix(#"{"error": "not-a-command""#))
    }
    good.send("X45.")
    try await stage.recorded("\"servo\", 45")
    #expect(stage.received == String(repeating: "?", count: asked) + "X45.")
    #expect(try await stage.terminate().status == 143)
  }
}
