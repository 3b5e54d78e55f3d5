import Testing

@testable import Sessions

/// The end of what a command writes to standard error.
struct ErrorTailTests {
  private static func tail(_ parts: String...) -> ErrorTail {
    var tail = ErrorTail()
    for part in parts { tail.append(Array(part.utf8)) }
    return tail
  }

  @Test func `Short output is kept whole`() {
    let tail = Self.tail("Traceback:\n", "  line 1\n")
    #expect(tail.text == "Traceback:\n  line 1")
    #expect(!tail.isCut)
    #expect(ErrorTail().text == "")
  }

  @Test(arguments: [1, 7, 4_095, 4_096, 4_097, 10_000])
  func `Of long output the last 4096 bytes are kept, however it arrives`(_ size: Int) {
    let all = (0..<20_000).map { UInt8(ascii: "a") + UInt8($0 % 26) }
    var tail = ErrorTail()
    var rest = all[...]
    while !rest.isEmpty {
      tail.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    #expect(tail.bytes == Array(all.suffix(4_096)))
    #expect(tail.isCut)
  }

  @Test func `Exactly 4096 bytes are not cut`() {
    #expect(!Self.tail(String(repeating: "x", count: 4_096)).isCut)
  }

  @Test(arguments: [
    ("\u{1B}[31mred\u{1B}[0m", "\\u001b[31mred\\u001b[0m"), ("a\tb\rc", "a\\tb\\rc"),
    ("\u{7}\u{0}", "\\u0007\\u0000"), ("grün\n\n", "grün"),
  ])
  func `Control characters are visible`(_ written: String, _ shown: String) {
    #expect(Self.tail(written).text == shown)
  }

  @Test func `Bytes that are not UTF-8 do no harm`() {
    var tail = ErrorTail()
    tail.append([0x61, 0xFF, 0xC3])
    #expect(tail.text.hasPrefix("a\u{FFFD}"))
  }
}
