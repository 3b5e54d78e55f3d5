import TestSupport
import Testing
import Traces
import Turret

/// `x-refused` events: what a network client sent and the bench refused.
struct RefusedMessageTests {
  private static func line(_ message: RefusedMessage) -> String {
    var line: [UInt8] = []
    line.appendLine(Event(.zero + .milliseconds(2_100), .refused(message)))
    return String(decoding: line, as: UTF8.self)
  }

  private static func event(_ line: String) throws -> Event {
    let header = #"{"format": "sentry-trace", "version": 1, "firmware": "classic"}"#
    var reader = try TraceReader(text: Array("\(header)\n\(line)\n".utf8), path: "trace")
    return try #require(try reader.next())
  }

  static let lines: [(RefusedMessage, String)] = [
    (
      RefusedMessage(Array("hello".utf8), why: .notACommand),
      #"[2.100000, "x-refused", "hello", "not-a-command"]"#
    ),
    (
      RefusedMessage(Array("X200.".utf8), why: .outOfRange),
      #"[2.100000, "x-refused", "X200.", "out-of-range"]"#
    ),
    (
      RefusedMessage([0x22, 0x0A, 0xFF], why: .notInControl),
      #"[2.100000, "x-refused", "\"\n\u00ff", "not-in-control"]"#
    ),
    (
      RefusedMessage(Array(repeating: 0x61, count: 300), why: .notACommand),
      #"[2.100000, "x-refused", ""# + String(repeating: "a", count: 256)
        + #"", "not-a-command", 300]"#
    ),
    (
      RefusedMessage(Array("ab".utf8), count: 70_000, why: .queueFull),
      #"[2.100000, "x-refused", "ab", "queue-full", 70000]"#
    ),
  ]

  @Test(arguments: lines.indices)
  func `A refused message is one line of a trace, and is read back`(_ index: Int) throws {
    let (message, line) = Self.lines[index]
    #expect(Self.line(message) == line + "\n")
    #expect(try RefusedMessage(Self.event(line)) == message)
  }

  @Test(arguments: RefusedMessage.Why.allCases)
  func `Each reason is read back, and has words`(_ why: RefusedMessage.Why) throws {
    let message = RefusedMessage(Array("X1.".utf8), why: why)
    #expect(try RefusedMessage(Self.event(Self.line(message))) == message)
    #expect(message.text == "\"X1.\" (\(why.text))")
    #expect(why.isJudged == (why != .replaced && why != .merged))
  }

  @Test(arguments: [
    #"[1, "x-refused"]"#, #"[1, "x-refused", 7, "replaced"]"#, #"[1, "x-refused", "X"]"#,
    #"[1, "x-refused", "X", "no-such-reason"]"#, #"[1, "x-refused", "X", "replaced", "many"]"#,
    #"[1, "x-refused", "X", "replaced", 3, 4]"#, #"[1, "x-refused", "X", "replaced", -1]"#,
  ])
  func `An event that is not complete is carried along, and refused where it is needed`(
    _ line: String
  ) throws {
    let event = try Self.event(line)
    #expect(throws: LineScanner.Failure.self) { try RefusedMessage(event) }
  }

  @Test(arguments: [
    #"[1, "mark", "x-refused"]"#, #"[1, "x-unsent", "X"]"#, #"[1, "x-refused-too", "X"]"#,
    #"[1, "rx", "X"]"#,
  ])
  func `An event of another kind is not a refused message`(_ line: String) throws {
    #expect(try RefusedMessage(Self.event(line)) == nil)
  }

  @Test func `A message that absorbs another keeps 256 bytes and counts them all`() {
    var message = RefusedMessage(Array(repeating: 0x61, count: 200), why: .notACommand)
    message.absorb(RefusedMessage(Array(repeating: 0x62, count: 100), why: .notACommand))
    #expect(message.bytes == Array(repeating: 0x61, count: 200) + Array(repeating: 0x62, count: 56))
    #expect(message.count == 300)
    #expect(message.text.hasSuffix("bb...\" (not a command)"))
    message.absorb(RefusedMessage([0x63], why: .notACommand))
    #expect(message.bytes.count == 256)
    #expect(message.count == 301)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `Random bytes and counts survive being written and read`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let why = RefusedMessage.Why.allCases.randomElement(using: &random)!
    let message = RefusedMessage(
      bytes, count: Bool.random(using: &random) ? 1_000_000 : nil, why: why)
    #expect(try RefusedMessage(Self.event(Self.line(message))) == message, "seed \(seed)")
  }
}
