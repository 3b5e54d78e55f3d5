import Sketches
import Testing

struct CommandParserTests {
  /// The result of parsing a text as one message for a firmware, in words: a command as its bytes,
  /// a refusal as `why:bytes`.
  private func parse(_ text: String, _ firmware: Firmware = .guarded) -> [String] {
    var parser = CommandParser(for: firmware)
    return parser.take(Array(text.utf8)).map(\.word)
  }

  @Test(arguments: [
    ("", []),
    ("X90.", ["X90."]),
    ("X0.", ["X0."]),
    ("X180.", ["X180."]),
    ("X007.", ["X7."]),
    ("X000.", ["X0."]),
    ("L", ["L"]),
    ("X90.LC", ["X90.", "L", "C"]),
    ("TL", ["T", "L"]),
    ("?V", ["?", "V"]),
    ("X45.\r\nX135.\r\n", ["X45.", "X135."]),
    (" \t\r\n", []),
    ("\nL L\tL\r\n", ["L", "L", "L"]),
  ])
  func `Commands pass, and white space between them is ignored`(
    text: String, expected: [String]
  ) {
    #expect(parse(text) == expected)
  }

  @Test(arguments: [
    // The reference gateway truncates to four characters.
    ("X100X90.", ["broken-off:X100", "X90."]),
    ("X9\n", ["broken-off:X9"]),
    ("X 90.", ["broken-off:X", "unknown:90."]),
    ("X9 0.", ["broken-off:X9", "unknown:0."]),
    ("XL", ["broken-off:X", "L"]),
    ("X12L", ["broken-off:X12", "L"]),
    ("X12T", ["broken-off:X12", "T"]),
    ("XX90.", ["broken-off:X", "X90."]),
    ("X1234L", ["broken-off:X1234", "L"]),
    ("X9ZL", ["broken-off:X9", "unknown:Z", "L"]),
    ("X-5.", ["broken-off:X", "unknown:-5."]),
    ("X9é", ["broken-off:X9", "not-ascii:Ã©"]),
    ("X4,5.", ["broken-off:X4", "unknown:,5."]),
    ("X.", ["no-digits:X."]),
    ("X.L", ["no-digits:X.", "L"]),
    ("X1800.", ["too-many-digits:X1800."]),
    ("X0090.", ["too-many-digits:X0090."]),
    ("X181.", ["out-of-range:X181."]),
    ("X999.X1.", ["out-of-range:X999.", "X1."]),
    ("X65546.", ["too-many-digits:X65546."]),
  ])
  func `An invalid number is refused whole, and a byte that ends it early is parsed again`(
    text: String, expected: [String]
  ) {
    #expect(parse(text) == expected)
  }

  @Test(arguments: [
    ("hello", ["unknown:hello"]),
    ("x90.", ["unknown:x90."]),
    ("l", ["unknown:l"]),
    ("90.", ["unknown:90."]),
    ("Z\nZ\nZ", ["unknown:ZZZ"]),
    ("ZLZ", ["unknown:Z", "L", "unknown:Z"]),
    ("für", ["not-ascii:fÃ¼r"]),
    ("\u{0}\u{7F}", ["unknown:\u{0}\u{7F}"]),
    (#"{"a": 1}"#, [#"unknown:{"a":1}"#]),
  ])
  func `A run of junk is one refusal`(text: String, expected: [String]) {
    #expect(parse(text) == expected)
  }

  @Test(arguments: [
    (Firmware.classic, ["L", "other-firmware:TOC?V"]),
    (.buzzer, ["L", "T", "O", "C", "other-firmware:?V"]),
    (.guarded, ["L", "T", "O", "C", "?", "V"]),
  ])
  func `The valid letters are those of the firmware`(firmware: Firmware, expected: [String]) {
    #expect(parse("LTOC?V", firmware) == expected)
    #expect(parse("X90.", firmware) == ["X90."])
  }

  @Test func `A letter of another firmware is distinguished from junk`() {
    #expect(parse("TZT", .classic) == ["other-firmware:T", "unknown:Z", "other-firmware:T"])
  }

  @Test func `Each byte gives at most two results`() {
    var parser = CommandParser(for: .guarded)
    var found: [[String]] = []
    for byte in Array("X9LX1Z.X5.".utf8) { found.append(parser.take(byte).map(\.word)) }
    #expect(
      found == [
        [], [], ["broken-off:X9", "L"], [], [], ["broken-off:X1", "unknown:Z"], ["unknown:."], [],
        [], ["X5."],
      ])
  }

  @Test(arguments: [("X", "X"), ("X1", "X1"), ("X180", "X180"), ("LX12345", "X12345")])
  func `An unfinished command can be given up, once`(text: String, refused: String) {
    var parser = CommandParser(for: .classic)
    _ = parser.take(Array(text.utf8))
    #expect(parser.isOpen)
    #expect(parser.finish()?.refusal == Refusal(Array(refused.utf8), why: .unfinished))
    #expect(!parser.isOpen)
    #expect(parser.finish() == nil)
    #expect(parser.take(Array("90.".utf8)).map(\.word) == ["unknown:90."])
  }

  @Test(arguments: ["", "L", "X90.", "Z", "X.", " ", "X9 "])
  func `Nothing is pending after a whole or refused command`(text: String) {
    var parser = CommandParser(for: .guarded)
    _ = parser.take(Array(text.utf8))
    #expect(!parser.isOpen)
    #expect(parser.finish() == nil)
  }

  @Test func `A megabyte of junk is one refusal that reports its length`() {
    var parser = CommandParser(for: .guarded)
    let found = parser.take(repeatElement(UInt8(ascii: "z"), count: 1 << 20))
    #expect(
      found == [
        .refused(
          Refusal(Array(repeating: UInt8(ascii: "z"), count: 256), count: 1 << 20, why: .unknown))
      ])
  }

  @Test func `A megabyte of digits is held as 256 bytes and a count`() {
    var parser = CommandParser(for: .guarded)
    #expect(parser.take(Array("X".utf8)).isEmpty)
    #expect(parser.take(repeatElement(UInt8(ascii: "1"), count: 1 << 20)).isEmpty)
    let refusal = parser.finish()?.refusal
    #expect(refusal?.bytes == Array(("X" + String(repeating: "1", count: 255)).utf8))
    #expect(refusal?.shown == Array("X111111111111111".utf8))
    #expect(refusal?.count == 1 + 1 << 20)
  }

  @Test(arguments: ["ZT", "X.", "X9X.Z", "ZLX9LX.L", "\u{80}X999.T"])
  func `Any mixed message gives few refusals, and they count every byte`(pattern: String) {
    var parser = CommandParser(for: .classic)
    let bytes = Array(String(repeating: pattern, count: 10_000).utf8)
    let found = parser.take(bytes)
    let refusals = found.compactMap(\.refusal)
    #expect(refusals.count == 16)
    #expect(refusals.last?.why == .various || Set(refusals.map(\.why)).count == 1)
    let open = parser.finish()?.refusal?.count ?? 0
    #expect(
      refusals.map(\.count).reduce(open, +) + found.compactMap(\.command).flatMap(\.bytes).count
        == bytes.count)
    #expect(
      refusals.allSatisfy { $0.bytes.count <= Refusal.bytesMax && $0.count >= $0.bytes.count })
  }

  @Test func `A message loses no commands, however many refusals there are`() {
    var parser = CommandParser(for: .classic)
    let found = parser.take(Array(String(repeating: "X9ZLX45.", count: 1_000).utf8))
    #expect(found.compactMap(\.command).count == 2_000)
  }
}
