import Foundation
import Logging
import Platform
import Sketches
import Testing

struct LogEntryTests {
  private static let time = WallTime(microseconds: 1_795_244_782_000_123)

  private func text(
    _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]
  ) -> String {
    let entry = LogEntry(time: Self.time, level: level, message: message, metadata: metadata)
    return String(decoding: entry.line(.text), as: UTF8.self)
  }

  private func json(_ message: String, _ metadata: Logger.Metadata = [:]) -> String {
    let entry = LogEntry(time: Self.time, level: .info, message: message, metadata: metadata)
    return String(decoding: entry.line(.json), as: UTF8.self)
  }

  @Test(arguments: [
    (Logger.Level.trace, "sentrybench: debug: "), (.debug, "sentrybench: debug: "),
    (.info, "sentrybench: "), (.notice, "sentrybench: "), (.warning, "warning: "),
    (.error, "error: "), (.critical, "error: "),
  ])
  func `A line for people shows its level`(level: Logger.Level, label: String) {
    #expect(text(level, "A client came.") == "\(label)A client came.\n")
  }

  @Test(arguments: [
    ("192.0.2.1:80", "192.0.2.1:80"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""),
    ("\"", "\"\\\"\""), ("a\nb", "\"a\\nb\""), ("\u{1B}[2J", "\"\\u001b[2J\""),
    ("grüße", "\"gr\\u00fc\\u00dfe\""),
  ])
  func `A value is one word or is quoted`(value: String, written: String) {
    #expect(text(.info, "m", ["k": .string(value)]) == "sentrybench: m k=\(written)\n")
  }

  @Test func `Values are in the order of their keys`() {
    #expect(text(.info, "m", ["b": "1", "a": "2"]) == "sentrybench: m a=2 b=1\n")
    #expect(
      text(.info, "m", ["b": ["x", "y"], "a": ["k": "v"]])
        == #"sentrybench: m a="{\"k\": \"v\"}" b="[\"x\", \"y\"]""# + "\n")
  }

  @Test(arguments: [
    ("a\nsentrybench: error: b", "a\\nsentrybench: error: b"), ("a\r\u{8}", "a\\r\\b"),
    ("\u{1B}]0;x\u{7}", "\\u001b]0;x\\u0007"), ("\u{7F}\u{9B}", "\\u007f\\u009b"),
    ("\u{202E}txt", "\\u202etxt"), ("\u{2028}", "\\u2028"), ("5 µs — fine", "5 µs — fine"),
  ])
  func `A message is one line, whatever a client put in it`(message: String, written: String) {
    #expect(text(.info, message) == "sentrybench: \(written)\n")
    #expect(json(message).utf8.count { $0 == UInt8(ascii: "\n") } == 1)
  }

  @Test func `A line for programs is one object, and its numbers are JSON numbers`() throws {
    let line = json(
      "A \"client\" came.",
      [
        "client": .stringConvertible(ClientID(3)), "bytes": .stringConvertible(-7),
        "late": .stringConvertible(1.25), "tls": .stringConvertible(true), "path": "/a\nb",
        "nan": .stringConvertible(Double.nan), "time": "mine", "list": ["x", "y"],
        "more": ["b": "2", "a": "1"],
      ])
    #expect(
      line == """
        {"time": "2026-11-21T07:06:22.000123Z", "level": "info", "message": "A \\"client\\" came.", \
        "bytes": -7, "client": 3, "late": 1.25, "list": ["x", "y"], "more": {"a": "1", "b": "2"}, \
        "nan": "nan", "path": "/a\\nb", "_time": "mine", "tls": true}\n
        """)
    _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
      (1_795_244_782_999_999, "2026-11-21T07:06:22.999999Z"),
      (4_107_542_399_000_000, "2100-02-28T23:59:59.000000Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
      (-2_203_891_200_000_000, "1900-03-01T00:00:00.000000Z"),
      (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
      (-62_162_121_600_000_000, "0000-02-29T00:00:00.000000Z"),
    ] as [(Int64, String)])
  func `A time is RFC 3339 to the microsecond`(microseconds: Int64, text: String) {
    #expect(WallTime(microseconds: microseconds).text == text)
    #expect(WallTime(microseconds: microseconds).textInSeconds == text.prefix(19) + "Z")
  }
}
