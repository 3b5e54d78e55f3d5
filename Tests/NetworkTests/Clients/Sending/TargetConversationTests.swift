import NIOCore
import NetworkTestSupport
import TestSupport
import Testing
import TurretLink

@testable import Network

struct TargetConversationTests {
  typealias Action = TargetConversation.Action

  static let upgrade = Array(UpgradeReplyTests.answer(UpgradeReplyTests.fields).utf8)
  static let notice = #"{"error": "queue-full", "bytes": "L", "message": "16 wait"}"#
  static let told = Action.message(Array(notice.utf8), .text)

  static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    ClientFrame.bytes(first, payload, key: nil)
  }

  static let cases: [(input: [[UInt8]], actions: [Action])] = [
    ([frame(0x81, Array(notice.utf8))], [told]),
    (
      [
        frame(0x01, Array(notice.utf8.prefix(9))), frame(0x89, [7]),
        frame(0x80, Array(notice.utf8.dropFirst(9))),
      ], [.pong([7]), told]
    ),
    // The board's bytes, and data that is not JSON.
    (
      [frame(0x81, Array("at 90".utf8)), frame(0x82, [0x7B, 0xFF]), frame(0x8A)],
      [.message(Array("at 90".utf8), .text), .message([0x7B, 0xFF], .binary)]
    ),
    ([frame(0x88)], [.end(closeFrame: [], "it closed")]),
    (
      [frame(0x88, [0x03, 0xF0] + Array("not read".utf8)), frame(0x81, Array(notice.utf8))],
      [.end(closeFrame: [0x03, 0xF0], "it closed with 1008: `not read`")]
    ),
    (
      [ClientFrame.text(notice)],
      [
        .end(
          closeFrame: OutboundFrame.closePayload(1002, "a server's frame must not be masked"),
          "it broke the protocol: a server's frame must not be masked")
      ]
    ),
    (
      [frame(0x81, [0xC0])],
      [
        .end(
          closeFrame: OutboundFrame.closePayload(1007, "text that is not UTF-8"),
          "it broke the protocol: text that is not UTF-8")
      ]
    ),
    (
      [frame(0x81, [UInt8](repeating: 0x61, count: 2_000))],
      [
        .end(
          closeFrame: OutboundFrame.closePayload(1009, "a message of more than 1024 bytes"),
          "it broke the protocol: a message of more than 1024 bytes")
      ]
    ),
  ]

  static func actions(
    _ input: [UInt8], _ pieces: some Sequence<Int>, _ conversation: inout TargetConversation
  ) -> [Action] {
    var actions: [Action] = []
    var buffer = ByteBuffer()
    var rest = input[...]
    for piece in pieces where !rest.isEmpty {
      buffer.writeBytes(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      while let action = conversation.next(&buffer) { actions.append(action) }
    }
    return actions
  }

  static func webSocket() -> TargetConversation {
    TargetConversation(accept: UpgradeReplyTests.accept, messageBytesMax: 1_024)
  }

  @Test(arguments: cases.indices)
  func `A server's bytes give the same result, however they are divided`(index: Int) {
    let (input, actions) = Self.cases[index]
    let bytes = Self.upgrade + input.joined()
    for size in [1, 2, 5, 64, bytes.count] {
      var conversation = Self.webSocket()
      let found = Self.actions(bytes, repeatElement(size, count: bytes.count), &conversation)
      #expect(found == [.opened] + actions, "pieces of \(size)")
    }
  }

  @Test func `Bare TCP reports notices in lines, and the reason for its close`() {
    var conversation = TargetConversation(messageBytesMax: 100)
    let text =
      "at 90\n" + String(repeating: "x", count: 300) + "\n" + Self.notice + "\r\n"
      + #"{"closed": 1008, "message": "idle"}"# + "\n{\"err"
    for size in [1, 9, text.utf8.count] {
      conversation = TargetConversation(messageBytesMax: 100)
      let pieces = repeatElement(size, count: text.utf8.count)
      #expect(
        Self.actions(Array(text.utf8), pieces, &conversation)
          == [.message(Array("at 90".utf8), .text), Self.told])
      #expect(conversation.farewell == "it closed with 1008: `idle`")
    }
  }

  @Test func `Bare TCP can pass on bytes as they arrive`() {
    var conversation = TargetConversation.bytes
    let text = Array("12:00:00|angle^1\n{\"closed\": 1008}\n".utf8)
    #expect(
      Self.actions(text, [20, text.count], &conversation) == [
        .message(Array(text[..<20]), .binary), .message(Array(text[20...]), .binary),
      ])
    #expect(conversation.farewell == nil)
  }

  @Test(arguments: [
    (notice, "queue-full"), (#"{"notice": "control-gained"}"#, "control-gained"),
    ("at 90", nil), (#"{"error": 5}"#, nil), ("{}", nil), ("{", nil), ("", nil),
  ])
  func `A sender reports the gateway's own messages and no others`(_ text: String, _ code: String?)
  {
    #expect(GatewayMessage(Array(text.utf8))?.code == code)
  }

  @Test func `A client's frames are masked and are read back unchanged`() throws {
    for count in [0, 1, 125, 126, 65_535, 65_536] {
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      var buffer = ByteBuffer()
      OutboundFrame.write(.binary, payload, key: .random(), into: &buffer)
      #expect(buffer.readableBytes <= count + OutboundFrame.headBytesMax)
      var conversation = WebSocketConversation(messageBytesMax: 100_000)
      #expect(conversation.next(&buffer) == .deliver(payload, .binary))
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `Any bytes from a server end in an orderly way, however they are divided`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func noise(_ most: Int) -> [UInt8] {
      (0..<Int.random(in: 1...most, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    var input = Self.upgrade
    if seed.isMultiple(of: 3) {
      for byte in noise(3) { input[.random(in: input.indices, using: &random)] = byte }
    }
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      switch Int.random(in: 0...7, using: &random) {
      case 0: input += noise(40)
      case 1: input += Self.frame(0x89, noise(20))
      case 2: input += Self.frame(0x81, Array(Self.notice.utf8))
      case 3: input += Self.frame(0x81, [0x7B] + noise(50))
      case 4: input += Self.frame(0x88, [0x03, 0xE8] + noise(5))
      case 5: input += ClientFrame.bytes(0x82, noise(9))
      default:
        let firsts: [UInt8] = [0x81, 0x01, 0x80, 0x00]
        input += Self.frame(firsts.randomElement(using: &random)!)
      }
    }
    func check(_ make: () -> TargetConversation) {
      var whole = make()
      let expected = Self.actions(input, [input.count], &whole)
      let ends = expected.indices.filter { if case .end = expected[$0] { true } else { false } }
      #expect(ends.isEmpty || ends == [expected.count - 1], "seed \(seed)")
      // A refusal shows as much of its body as has arrived.
      if case .end(nil, _)? = expected.first { return }
      var cut = make()
      let pieces = input.indices.map { _ in Int.random(in: 1...30, using: &random) }
      #expect(Self.actions(input, pieces, &cut) == expected, "seed \(seed)")
    }
    check(Self.webSocket)
    check { TargetConversation(messageBytesMax: 200) }
  }
}
