import Sketches
import TestSupport
import Testing
import Traces

/// `x-refused` events: what a network client sent and the bench refused.
struct RefusedMessageTests {
  private static func line(_ message: RefusedMessage) -> String {
    var line: [UInt8] = []
    line.appendLine(Event(.zero + .milliseconds(2_100), .refused(message)))
    return String(decoding: line, as: UTF8.self)
  }

  private static func event(_ line: String, _ refusals: Refusals = .read) throws -> Event {
    let header = #"{"format": "sentry-trace", "version": 1, "firmware": "classic"}"#
    var reader = try TraceReader(text: Array("\(header)\n\(line)\n".utf8), path: "trace")
    reader.refusals = refusals
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
    #expect(try Self.event(line).kind == .refused(message))
  }

  @Test(arguments: RefusedMessage.Why.allCases)
  func `Each reason is read back, and has words`(_ why: RefusedMessage.Why) throws {
    let message = RefusedMessage(Array("X1.".utf8), why: why)
    #expect(try Self.event(Self.line(message)).kind == .refused(message))
    #expect(message.text == "\"X1.\" (\(why.text))")
    #expect(why.isJudged == (why != .replaced && why != .merged))
  }

  /// What another program can write, and the message that it is.
  static let spellings: [(text: String, message: RefusedMessage)] = [
    (
      #""\#(String(repeating: "a", count: 300))", "late""#,
      RefusedMessage(Array(repeating: 0x61, count: 300), why: .late)
    ),
    (
      #""\#(String(repeating: "a", count: 300))", "late", 500"#,
      RefusedMessage(Array(repeating: 0x61, count: 300), count: 500, why: .late)
    ),
    (#""ab", "late", 2"#, RefusedMessage(Array("ab".utf8), why: .late)),
    (#""ab", "late", 1"#, RefusedMessage(Array("ab".utf8), why: .late)),
    (#""ab", "late", 0"#, RefusedMessage(Array("ab".utf8), why: .late)),
    (#""ab", "late", 2147483648"#, RefusedMessage([0x61, 0x62], count: 1 << 31, why: .late)),
  ]

  @Test(arguments: spellings.indices)
  func `Bytes and a number that an event need not have change nothing`(_ index: Int) throws {
    let (text, message) = Self.spellings[index]
    let line = "[1.000000, \"x-refused\", \(text)]"
    #expect(try Self.event(line).kind == .refused(message))
  }

  @Test(arguments: spellings.indices)
  func `A copy has another spelling as it is`(_ index: Int) throws {
    let line = "[1.000000, \"x-refused\", \(Self.spellings[index].text)]"
    var copy: [UInt8] = []
    copy.appendLine(try Self.event(line, .copied))
    #expect(String(decoding: copy, as: UTF8.self) == line + "\n")
  }

  @Test func `The number of bytes can have any form of a whole number`() throws {
    let event = try Self.event(#"[1, "x-refused", "ab", "late", 1e2]"#)
    #expect(event.kind == .refused(RefusedMessage(Array("ab".utf8), count: 100, why: .late)))
  }

  @Test(arguments: [
    (#"[1, "x-refused"]"#, 16, "',' and the refused bytes, found ']'"),
    (#"[1, "x-refused", 7, "replaced"]"#, 18, "bytes in quotes, found '7'"),
    (#"[1, "x-refused", "a\u0100", "late"]"#, 20, "characters from U+0000 to U+00FF (bytes)"),
    (#"[1, "x-refused", "X"]"#, 21, "',' and the reason of the refusal, found ']'"),
    (#"[1, "x-refused", "X", null]"#, 23, "the reason of the refusal in quotes, found 'n'"),
    (#"[1,"x-refused",  "X","no-such"]"#, 22, "one of \"not-a-command\", \"out-of-range\""),
    (#"[1, "x-refused", "X", "replaced", "many"]"#, 35, "the number of bytes, found '\"'"),
    (#"[1, "x-refused", "X", "replaced", 3, 4]"#, 36, "']' at the end of the event, found ','"),
    (#"[1, "x-refused", "X", "replaced", -1]"#, 35, "the number of bytes, found '-'"),
    (#"[1, "x-refused", "X", "replaced", 1.5]"#, 35, "a whole number"),
    (#"[1, "x-refused", "X", "replaced", 2147483649]"#, 35, "the number of bytes, found 2147"),
  ])
  func `An event that is not complete is kept as text, and is an error where it is needed`(
    _ line: String, _ column: Int, _ expected: String
  ) throws {
    guard case .other(let text) = try Self.event(line).kind else {
      Issue.record("\(line) is not kept as text")
      return
    }
    #expect(text.hasPrefix("\"x-refused\""))
    let header = #"{"format": "sentry-trace", "version": 1}"#
    var reader = try TraceReader(text: Array("\(header)\n\(line)\n".utf8), path: "trace")
    reader.refusals = .checked
    do {
      _ = try reader.next()
      Issue.record("\(line) was read")
    } catch {
      #expect(error.description.hasPrefix("trace:2:\(column): error: expected \(expected)"))
    }
  }

  @Test func `Where refusals are needed, other incomplete events are kept as text`() throws {
    let lines = [#"[1, "x-unsent"]"#, #"[1, "x-framing", 7]"#, #"[1, "x-refused-too", "X"]"#]
    let text = [#"{"format": "sentry-trace", "version": 1}"#] + lines
    var reader = try TraceReader(text: Array(text.joined(separator: "\n").utf8), path: "trace")
    reader.refusals = .checked
    while let event = try reader.next() {
      if case .other = event.kind { continue }
      Issue.record("\(event)")
    }
    #expect(reader.line == 4)
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
    #expect(try Self.event(Self.line(message)).kind == .refused(message), "seed \(seed)")
  }
}
