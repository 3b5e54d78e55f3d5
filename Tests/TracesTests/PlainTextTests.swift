import Testing
import Traces

/// Text of any origin becomes safe for a terminal.
struct PlainTextTests {
  @Test(arguments: [
    ("", ""), ("X45.", "X45."), ("5 µs — 塔🎯", "5 µs — 塔🎯"), ("a\\b\"c", "a\\b\"c"),
    ("\u{1B}]0;x\u{7}", "\\u001b]0;x\\u0007"), ("a\nb\r\t", "a\\nb\\r\\t"),
    ("\u{0}\u{7F}\u{80}\u{9B}", "\\u0000\\u007f\\u0080\\u009b"),
    ("\u{202E}txt\u{2066}\u{200F}", "\\u202etxt\\u2066\\u200f"),
    ("\u{2028}\u{2029}\u{FEFF}", "\\u2028\\u2029\\ufeff"), ("\u{E0041}", "\\udb40\\udc41"),
  ])
  func `Control and formatting characters are escaped as in JSON`(text: String, plain: String) {
    #expect(PlainText.escaped(text) == plain)
    #expect(PlainText.of(text) == plain)
    #expect(PlainText.line(text) == plain)
    #expect(PlainText.escaped(plain) == plain)
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "abc..."), ("abc", 0, "..."), ("", 0, ""),
    // The escaped length counts, not the original one.
    ("\u{1B}[2J", 6, "\\u001b..."),
  ])
  func `A text that is too long is truncated`(text: String, length: Int, cut: String) {
    #expect(PlainText.of(text, upTo: length) == cut)
  }

  @Test func `A value is quoted up to 80 characters`() {
    #expect(PlainText.quoted("a") == "\"a\"")
    #expect(PlainText.quoted(String(repeating: "x", count: 81)).count == 80 + 3 + 2)
  }

  @Test func `A line of over 1 000 characters keeps its beginning and its end`() {
    let whole = String(repeating: "x", count: 1_000)
    #expect(PlainText.line(whole) == whole)
    let line = PlainText.line("t.jsonl:1: \(whole); do that")
    #expect(line.unicodeScalars.count <= 1_000)
    #expect(line.hasPrefix("t.jsonl:1: xxx") && line.hasSuffix("xxx; do that"))
    #expect(line.contains("x...x"))
  }

  @Test func `Text of several lines keeps only its line feeds unescaped`() {
    #expect(PlainText.lines("a\u{1B}\n  b\r\n") == "a\\u001b\n  b\\r\n")
    #expect(PlainText.lines("") == "")
  }
}
