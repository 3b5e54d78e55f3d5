import NIOCore
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

struct WebSocketConversationTests {
  typealias Action = WebSocketConversation.Action

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var input: [UInt8]
    var actions: [Action]
    var testDescription: String { name }

    init(_ name: String, _ input: [[UInt8]], _ actions: [Action]) {
      self.name = name
      self.input = Array(input.joined())
      self.actions = actions
    }
  }

  static func text(_ text: String) -> Action { .deliver(Array(text.utf8), .text) }
  static func wrong(_ reason: String) -> Action { .fail(Closing(1002, reason)) }
  static let notUTF8 = Action.fail(Closing(1007, "text that is not UTF-8"))
  static let long = [UInt8](repeating: 7, count: 300)

  static let cases = [
    Case("a text", [ClientFrame.text("X90.")], [text("X90.")]),
    Case("an empty text", [ClientFrame.text("")], [text("")]),
    Case("bytes", [ClientFrame.bytes(0x82, [0, 255])], [.deliver([0, 255], .binary)]),
    Case("a longer one", [ClientFrame.bytes(0x82, long)], [.deliver(long, .binary)]),
    Case(
      "fragments with a ping between them",
      [
        ClientFrame.text("X9", isFinal: false), ClientFrame.bytes(0x89, [1]),
        ClientFrame.bytes(0x00, []), ClientFrame.bytes(0x80, Array("0.".utf8)),
      ], [.pong([1]), text("X90.")]),
    Case(
      "a character in two fragments",
      [ClientFrame.bytes(0x01, [0xC3]), ClientFrame.bytes(0x80, [0xA4])], [text("ä")]),
    Case("an unasked pong", [ClientFrame.bytes(0x8A, [1, 2])], [.ponged]),
    Case("a close", [ClientFrame.close(1000)], [.answerClose(1000)]),
    Case("a close with a reason", [ClientFrame.close(3000, Array("ä".utf8))], [.answerClose(3000)]),
    Case("an empty close", [ClientFrame.bytes(0x88)], [.answerClose(nil)]),
    Case(
      "what comes after a close",
      [ClientFrame.close(1001), ClientFrame.text("L")], [.answerClose(1001)]),
    Case(
      "a close of one byte", [ClientFrame.bytes(0x88, [3])], [wrong("a close frame of one byte")]),
    Case(
      "a close whose reason is not UTF-8", [ClientFrame.close(1000, [0xFF])],
      [.fail(Closing(1007, "a reason that is not UTF-8"))]),
    Case(
      "a close whose reason is broken off", [ClientFrame.close(1000, [0xC3])],
      [.fail(Closing(1007, "a reason that is not UTF-8"))]),
    Case("text that is not UTF-8", [ClientFrame.bytes(0x81, [0x41, 0xFF])], [notUTF8]),
    Case("text that is broken off", [ClientFrame.bytes(0x81, [0xE2, 0x82])], [notUTF8]),
    Case("a surrogate", [ClientFrame.bytes(0x81, [0xED, 0xA0, 0x80])], [notUTF8]),
    Case(
      "bad text in a first fragment", [ClientFrame.bytes(0x01, [0xC0, 0xAF])], [notUTF8]),
    Case(
      "a compressed frame", [ClientFrame.bytes(0xC1, [1])],
      [wrong("a reserved bit is set, and no extension was agreed on")]),
    Case("a reserved opcode", [ClientFrame.bytes(0x83)], [wrong("a reserved opcode")]),
    Case("a reserved control opcode", [ClientFrame.bytes(0x8B)], [wrong("a reserved opcode")]),
    Case(
      "a frame without a mask", [ClientFrame.bytes(0x81, [0x4C], key: nil)],
      [wrong("a client's frame must be masked")]),
    Case(
      "a ping in fragments", [ClientFrame.bytes(0x09)], [wrong("a control frame in fragments")]),
    Case(
      "a ping of 126 bytes", [ClientFrame.bytes(0x89, [UInt8](repeating: 0, count: 126))],
      [wrong("a control frame of more than 125 bytes")]),
    Case(
      "16 bits of length for a short one", [ClientFrame.bytes(0x81, [0x4C], lengthBytes: 2)],
      [wrong("a length in a longer form than it needs")]),
    Case(
      "64 bits of length for a medium one", [ClientFrame.bytes(0x82, long, lengthBytes: 8)],
      [wrong("a length in a longer form than it needs")]),
    Case(
      "a length with the highest bit", [[0x82, 0xFF, 0x80] + [UInt8](repeating: 0, count: 11)],
      [wrong("a length in a longer form than it needs")]),
    Case(
      "a continuation without a message", [ClientFrame.bytes(0x80, [1])],
      [wrong("a continuation without a message")]),
    Case(
      "a message within another", [ClientFrame.text("X", isFinal: false), ClientFrame.text("L")],
      [wrong("a new message among another one's fragments")]),
    Case(
      "a good message and a bad one", [ClientFrame.text("L"), ClientFrame.bytes(0xF1)],
      [text("L"), wrong("a reserved bit is set, and no extension was agreed on")]),
    Case(
      "too long a message, in its head", [[0x82, 0xFE, 0x04, 0x01, 0, 0, 0, 0]],
      [.fail(Closing(1009, "a message of more than 1024 bytes"))]),
    Case(
      "too long a message, over fragments",
      [
        ClientFrame.bytes(0x02, [UInt8](repeating: 0, count: 1_000)),
        [0x80, 0x99, 0, 0, 0, 0],
      ], [.fail(Closing(1009, "a message of more than 1024 bytes"))]),
  ]

  /// The actions for bytes that arrive in pieces.
  static func actions(
    of input: [UInt8], in pieces: some Sequence<Int>, _ conversation: inout WebSocketConversation
  ) -> [Action] {
    var actions: [Action] = []
    var buffer = ByteBuffer()
    var rest = input[...]
    for piece in pieces {
      buffer.writeBytes(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      while let action = conversation.next(&buffer) { actions.append(action) }
      if rest.isEmpty { break }
    }
    return actions
  }

  @Test(arguments: cases)
  func `A conversation follows RFC 6455`(_ example: Case) {
    var conversation = WebSocketConversation(messageBytesMax: 1_024)
    let actions = Self.actions(of: example.input, in: [example.input.count], &conversation)
    #expect(actions == example.actions)
  }

  @Test(arguments: cases)
  func `The division of the bytes into pieces makes no difference`(_ example: Case) {
    for size in 1...20 {
      var conversation = WebSocketConversation(messageBytesMax: 1_024)
      let pieces = repeatElement(size, count: example.input.count)
      #expect(Self.actions(of: example.input, in: pieces, &conversation) == example.actions)
    }
  }

  @Test(
    arguments: [
      0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
    ] as [UInt16])
  func `A close code that must not be sent is refused`(_ code: UInt16) {
    var conversation = WebSocketConversation(messageBytesMax: 1_024)
    let actions = Self.actions(of: ClientFrame.close(code), in: [100], &conversation)
    #expect(actions == [Self.wrong("close code \(code) must not be sent")])
  }

  @Test(arguments: [1000, 1003, 1007, 1011, 1012, 1014, 3000, 3999, 4000, 4999] as [UInt16])
  func `A close code is answered with the same code`(_ code: UInt16) {
    var conversation = WebSocketConversation(messageBytesMax: 1_024)
    #expect(
      Self.actions(of: ClientFrame.close(code), in: [100], &conversation) == [.answerClose(code)])
  }

  @Test(arguments: [
    ([ClientFrame.bytes(0x82, [1, 2, 3, 4])], Action.deliver([1, 2, 3, 4], .binary)),
    (
      [ClientFrame.bytes(0x02, [1, 2]), ClientFrame.bytes(0x80, [3, 4])],
      .deliver([1, 2, 3, 4], .binary)
    ),
    ([ClientFrame.bytes(0x82, [1, 2, 3, 4, 5])], tooLong(4)),
    ([ClientFrame.bytes(0x02, [1, 2]), ClientFrame.bytes(0x80, [3, 4, 5])], tooLong(4)),
    ([ClientFrame.text("L")], .deliver(Array("L".utf8), .text)),
    ([ClientFrame.text("X1.")], tooLong(2)),
    ([ClientFrame.text("X", isFinal: false), ClientFrame.bytes(0x80, [0x31, 0x2E])], tooLong(2)),
  ])
  func `A binary message can have a limit of its own`(_ input: [[UInt8]], _ expected: Action) {
    var conversation = WebSocketConversation(messageBytesMax: 2, binaryBytesMax: 4)
    let bytes = Array(input.joined())
    #expect(Self.actions(of: bytes, in: [bytes.count], &conversation) == [expected])
  }

  private static func tooLong(_ limit: Int) -> Action {
    .fail(Closing(CloseCode.tooBig, "a message of more than \(limit) bytes"))
  }

  @Test func `Invalid text is refused before its frame is complete`() {
    var conversation = WebSocketConversation(messageBytesMax: 1_024)
    let frame = ClientFrame.bytes(0x81, [0x41, 0xF4, 0x90] + [UInt8](repeating: 0x41, count: 90))
    #expect(Self.actions(of: Array(frame[..<9]), in: [9], &conversation) == [Self.notUTF8])
  }

  @Test(arguments: [
    (
      [ClientFrame.text("L"), ClientFrame.bytes(0x89), ClientFrame.close(1000)],
      [Action.late(Array("L".utf8), .text), .end]
    ),
    ([ClientFrame.bytes(0xF1)], [.end]),
    ([ClientFrame.text("L")], [.late(Array("L".utf8), .text)]),
  ])
  func `After its close frame it awaits the answer and treats messages as late`(
    _ input: [[UInt8]], _ expected: [Action]
  ) {
    var conversation = WebSocketConversation(messageBytesMax: 1_024)
    conversation.close()
    let bytes = Array(input.joined())
    #expect(Self.actions(of: bytes, in: [bytes.count], &conversation) == expected)
  }

  @Test func `Random frames and random bytes end in an orderly way, however they are divided`() {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var input: [UInt8] = []
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        switch Int.random(in: 0...9, using: &random) {
        case 0:
          input += (0..<Int.random(in: 1...40, using: &random)).map { _ in
            .random(in: 0...255, using: &random)
          }
        case 1...2:
          input += ClientFrame.bytes([0x89, 0x8A].randomElement(using: &random)!, [1, 2, 3])
        default:
          let count = Int.random(in: 0...200, using: &random)
          let first = [0x81, 0x82, 0x01, 0x80, 0x00].randomElement(using: &random)!
          let key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
          input += ClientFrame.bytes(UInt8(first), [UInt8](repeating: 65, count: count), key: key)
        }
      }
      var whole = WebSocketConversation(messageBytesMax: 300)
      let expected = Self.actions(of: input, in: [input.count], &whole)
      var cut = WebSocketConversation(messageBytesMax: 300)
      let pieces = (0..<input.count).map { _ in Int.random(in: 1...30, using: &random) }
      #expect(Self.actions(of: input, in: pieces, &cut) == expected, "seed \(seed)")
    }
  }
}
