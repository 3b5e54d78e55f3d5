import Sketches
import TestSupport
import Testing
import Traces

/// A trace in memory, read to its end.
struct ReadTrace {
  var header: Header
  var events: [Event] = []
  /// The line of each event.
  var lines: [Int] = []

  init(_ bytes: [UInt8], path: String = "t.jsonl") throws(TraceError) {
    var reader = try TraceReader(text: bytes, path: path)
    header = reader.header
    while let event = try reader.next() {
      events.append(event)
      lines.append(reader.line)
    }
  }

  init(_ text: String) throws(TraceError) { try self.init(Array(text.utf8)) }

  /// The trace as it would be written.
  var canonical: String {
    var bytes: [UInt8] = []
    bytes.appendLine(header)
    for event in events { bytes.appendLine(event) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The shortest header.
let head = #"{"format": "sentry-trace", "version": 1}"#

/// A text with a caret ‸ at the expected error, and the expected message.
struct Malformed: Sendable, CustomTestStringConvertible {
  var text: String
  var message: String
  var line: Int

  init(_ text: String, _ message: String, line: Int = 2) {
    self.text = text
    self.message = message
    self.line = line
  }

  var testDescription: String { String(text.prefix(80)) }

  private static let caret = Array("‸".utf8)

  /// The bytes without the caret, and the caret's column in its own line.
  var parts: (bytes: [UInt8], column: Int)? {
    let bytes = Array(text.utf8)
    let places = bytes.indices.filter { bytes[$0...].starts(with: Self.caret) }
    guard places.count == 1, let place = places.first else { return nil }
    let start = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return (Array(bytes[..<place]) + bytes[(place + Self.caret.count)...], place - start + 1)
  }

  /// Returns what is wrong with the error for the text after `prefix`, such as a header; nil if
  /// nothing is.
  func complaint(prefix: String) -> String? {
    guard let parts else { return "the case has not one caret" }
    do {
      _ = try ReadTrace(Array(prefix.utf8) + parts.bytes)
      return "it was read"
    } catch {
      let wanted = "t.jsonl:\(line):\(parts.column): error: \(message)"
      if error.code != .malformed { return "the code is \(error.code)" }
      return error.description == wanted ? nil : "\(error.description) — not \(wanted)"
    }
  }
}

@Suite("Test helpers")
struct SupportTests {
  static let wrong: [(Malformed, String)] = [
    (Malformed(#"[1, "mark", "fine"]‸"#, ""), "it was read"),
    (Malformed(#"[1, "mark"]"#, ""), "the case has not one caret"),
    (Malformed(#"‸[1, "mark"‸]"#, ""), "the case has not one caret"),
  ]

  @Test(arguments: wrong)
  func `A test case that is read, or has no caret, is reported`(
    _ malformed: Malformed, _ complaint: String
  ) {
    #expect(malformed.complaint(prefix: head + "\n") == complaint)
  }

  @Test(arguments: [
    Malformed(#"‸[1, "mark"]"#, "expected ',' and the text, found ']'"),
    Malformed(#"[1, "mark"‸]"#, "expected a comma"),
    Malformed(#"[1, "mark"‸]"#, "expected ',' and the text, found ']'", line: 3),
  ])
  func `A wrong column, line or message is reported`(_ malformed: Malformed) {
    #expect(malformed.complaint(prefix: head + "\n")?.contains(" — not ") == true)
  }

  @Test
  func `Equal seeds give equal numbers, and different seeds different ones`() {
    var a = SeededGenerator(seed: 1)
    var b = SeededGenerator(seed: 1)
    var c = SeededGenerator(seed: 2)
    let first = a.next()
    #expect(first == b.next())
    #expect(first != c.next())
    #expect(first != a.next())
  }
}
