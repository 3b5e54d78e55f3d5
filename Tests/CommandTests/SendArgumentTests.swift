import TestSupport
import Testing

@testable import sentrybench

/// The bytes of `replay --send`.
@Suite struct SendArgumentTests {
  @Test(arguments: [
    ("X45. L", Array("X45. L".utf8)), ("", []), (#"a\nb\r\t\\"#, Array("a\nb\r\t\\".utf8)),
    (#"\xff\x00\xFE"#, [0xFF, 0, 0xFE]), (#"\\n"#, Array(#"\n"#.utf8)),
    (#"\x411"#, Array("A1".utf8)), ("é", [0xC3, 0xA9]),
  ])
  func `A backslash begins a byte that cannot be typed`(_ text: String, _ bytes: [UInt8]) throws {
    #expect(try BytesArgument(text).bytes == bytes)
  }

  @Test(arguments: [#"\"#, #"a\"#, #"\q"#, #"\N"#, #"\x"#, #"\x4"#, #"\xg0"#, #"\x+1"#, #"\x-1"#])
  func `A backslash that begins nothing is refused`(_ text: String) {
    let error = #expect(throws: (any Error).self) { try BytesArgument(text) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("two hexadecimal digits"))
  }

  @Test func `The bytes reach the board as they are stated`() throws {
    let bench = try Bench()
    let sent = try bench.run("replay", "--send", #"X45\x2E\n"#, "--for", "2s")
    #expect(sent.output.contains(#"[1.500000, "rx", "X45.\n"]"#), "\(sent)")
    let refused = try bench.run("replay", "--send", #"\x4"#)
    #expect(refused.status == 64)
    #expect(refused.errors.contains("two hexadecimal digits"), "\(refused)")
  }

  @Test func `Text that is not UTF-8 is refused with what to write`() throws {
    let outcome = try Bench().script("$BENCH replay --send \"$(printf 'X\\377')\"")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(#"not text in UTF-8. Write other bytes as \xFF"#), "\(outcome)")
  }
}
