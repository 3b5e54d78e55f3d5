import Sketches
import Testing
import Traces

private let kinds =
  #"expected a kind of event ("rx", "baud", "format", "break", "reset", "set", "analog", "part", "#
  + Output.Kind.allCases.map { "\"\($0.name)\", " }.joined() + #""mark" or "x-..."), found "#
private let pins =
  #"expected a pin ("D0" to "D13", "A0" to "A5" or "pca9685@0x40:3"), found "#
private let escapes = #"expected an escape (\" \\ \/ \b \f \n \r \t or \u and four digits), found "#
private let format =
  #"expected a format such as "8E1": 5 to 9 data bits; N, E, O, M or S for the parity; "#
  + "1, 1.5 or 2 stop bits; found "
private let control = #"expected control characters in strings written as \u00xx, found "#

@Suite("Malformed events")
struct MalformedEventTests {
  static let shape: [Malformed] = [
    Malformed("‸hello\n", "expected an event, which starts with '[', found 'h'"),
    Malformed("‸\n", "expected an event, which starts with '[', found the end of the line"),
    Malformed("‸{\"a\": 1}\n", "expected an event, which starts with '[', found '{'"),
    Malformed("[‸\n", "expected a time in seconds, found the end of the line"),
    Malformed("[‸]\n", "expected a time in seconds, found ']'"),
    Malformed(
      "[1.5 ‸\"rx\", \"X\"]\n",
      "expected ',' and the kind of event, found '\"'"),
    Malformed("[1.5‸]\n", "expected ',' and the kind of event, found ']'"),
    Malformed("[1.5, ‸rx, \"X\"]\n", "expected the kind of event in quotes, found 'r'"),
    Malformed("[1.5, ‸\"rxx\", \"X\"]\n", kinds + "\"rxx\""),
    Malformed("[1.5, ‸\"RX\", \"X\"]\n", kinds + "\"RX\""),
    Malformed("[1.5, ‸\"x\", \"X\"]\n", kinds + "\"x\""),
    Malformed("[1.5, ‸\"\", \"X\"]\n", kinds + "\"\""),
    Malformed(
      "[1.5, \"rx\", \"X\"‸, 1]\n", "expected ']' at the end of the event, found ','"),
    Malformed(
      "[1.5, \"rx\", \"X\"‸\n", "expected ']' at the end of the event, found the end of the line"),
    Malformed("[1.5, \"rx\", \"X\"] ‸2\n", "expected the end of the line, found '2'"),
    Malformed(
      "[1.5,‸\u{0}\"rx\", \"X\"]\n",
      "expected the kind of event in quotes, found the byte 0x00"),
    Malformed(
      "‸\u{0}\u{0}\u{0}\n", "expected an event, which starts with '[', found the byte 0x00"),
  ]

  static let times: [Malformed] = [
    Malformed("[‸\"1.5\", \"rx\", \"X\"]\n", "expected a time in seconds, found '\"'"),
    Malformed("[‸-0.5, \"rx\", \"X\"]\n", "expected a time in seconds, found '-'"),
    Malformed("[‸+0.5, \"rx\", \"X\"]\n", "expected a time in seconds, found '+'"),
    Malformed("[‸.5, \"rx\", \"X\"]\n", "expected a time in seconds, found '.'"),
    Malformed("[‸null, \"rx\", \"X\"]\n", "expected a time in seconds, found 'n'"),
    Malformed("[0‸1.5, \"rx\", \"X\"]\n", "expected a time in seconds, found '1'"),
    Malformed("[1e‸, \"rx\", \"X\"]\n", "expected a digit of the exponent, found ','"),
    Malformed("[‸1.5e-9, \"rx\", \"X\"]\n", "expected at most nine places after the point"),
    Malformed("[‸1e9, \"rx\", \"X\"]\n", "expected less than 1 000 000 000 seconds"),
    Malformed("[1.000000000‸1, \"rx\", \"X\"]\n", "expected at most nine places after the point"),
    Malformed("[1.‸, \"rx\", \"X\"]\n", "expected a digit after the point, found ','"),
    Malformed("[‸1000000000, \"rx\", \"X\"]\n", "expected less than 1 000 000 000 seconds"),
    Malformed("[1.5, \"reset\", ‸9223372036.8]\n", "expected less than 1 000 000 000 seconds"),
    Malformed(
      "[1.5, \"mark\", \"\"]\n[‸1.499999999, \"mark\", \"\"]\n",
      "expected a time that is not before the last event's", line: 3),
    Malformed(
      "[1.5, \"mark\", \"\"]\n [  ‸1.4, \"mark\", \"\"]\n",
      "expected a time that is not before the last event's", line: 3),
  ]

  static let strings: [Malformed] = [
    Malformed("[1.5, \"rx\"‸]\n", "expected ',' and the bytes, found ']'"),
    Malformed("[1.5, \"rx\", ‸88]\n", "expected bytes in quotes, found '8'"),
    Malformed(
      "[1.5, \"rx\", \"‸Ā\"]\n",
      "expected characters from U+0000 to U+00FF (bytes), found U+100"),
    Malformed(
      "[1.5, \"rx\", \"‸\\u0100\"]\n",
      "expected characters from U+0000 to U+00FF (bytes), found U+100"),
    Malformed(
      "[1.5, \"rx\", \"ab‸🎯\"]\n",
      "expected characters from U+0000 to U+00FF (bytes), found U+1F3AF"),
    Malformed(
      "[1.5, \"rx\", \"X‸\n", "expected the string's closing quote, found the end of the line"),
    Malformed("[1.5, \"rx\", \"\\‸q\"]\n", escapes + "'q'"),
    Malformed("[1.5, \"rx\", \"\\‸x41\"]\n", escapes + "'x'"),
    Malformed("[1.5, \"rx\", \"\\u00‸g0\"]\n", "expected four hexadecimal digits, found 'g'"),
    Malformed("[1.5, \"rx\", \"\\u00‸\"]\n", "expected four hexadecimal digits, found '\"'"),
    Malformed("[1.5, \"mark\", \"\\ud83d‸\"]\n", "expected the other half of a surrogate pair"),
    Malformed("[1.5, \"mark\", \"\\udc00‸\"]\n", "expected the other half of a surrogate pair"),
    Malformed(
      "[1.5, \"mark\", \"\\ud83d\\u0041‸\"]\n", "expected the other half of a surrogate pair"),
    Malformed("[1.5, \"rx\", \"X‸\u{1}\"]\n", control + "the byte 0x01"),
    Malformed("[1.5, \"rx\", \"X‸\t\"]\n", control + "the byte 0x09"),
    Malformed("[1.5, \"rx\", \"X‸\u{0}\"]\n", control + "the byte 0x00"),
    Malformed("[1.5, \"format\"‸]\n", "expected ',' and the sender's format, found ']'"),
    Malformed(
      "[1.5, \"format\", ‸8]\n",
      "expected the sender's format in quotes, such as \"8E1\", found '8'"),
    Malformed("[1.5, \"format\", ‸\"8X1\"]\n", format + "\"8X1\""),
    Malformed("[1.5, \"format\", ‸\"10N1\"]\n", format + "\"10N1\""),
    Malformed("[1.5, \"format\", ‸\"8n1\"]\n", format + "\"8n1\""),
    Malformed(
      "[1.5, \"format\", \"8E1\"‸, 2]\n", "expected ']' at the end of the event, found ','"),
    Malformed(
      "[1.5, \"break\"‸]\n",
      "expected ',' and the seconds for which the line is low, found ']'"),
    Malformed(
      "[1.5, \"break\", ‸-1]\n", "expected the seconds for which the line is low, found '-'"),
    Malformed("[1.5, \"break\", ‸1000000000]\n", "expected less than 1 000 000 000 seconds"),
    Malformed("[1.5, \"mark\"‸]\n", "expected ',' and the text, found ']'"),
    Malformed("[1.5, \"mark\", ‸5]\n", "expected the text in quotes, found '5'"),
    Malformed("[1.5, \"tx\", ‸\"AB\"]\n", "expected one byte, found 2"),
    Malformed("[1.5, \"tx\", ‸\"\"]\n", "expected one byte, found 0"),
    Malformed("[1.5, \"lost\", ‸\"AB\", \"booting\"]\n", "expected one byte, found 2"),
    Malformed("[1.5, \"lost\", \"X\"‸]\n", "expected ',' and why it was lost, found ']'"),
    Malformed(
      "[1.5, \"lost\", \"X\", ‸\"eaten\"]\n",
      "expected \"ring-full\" or \"uart-overrun\" or \"parity\" or \"booting\", found \"eaten\""),
  ]

  static let numbers: [Malformed] = [
    Malformed("[1.5, \"servo\", ‸181, 1472]\n", "expected degrees from 0 to 180, found 181"),
    Malformed("[1.5, \"servo\", ‸-1, 544]\n", "expected degrees from 0 to 180, found '-'"),
    Malformed("[1.5, \"servo\", ‸\"90\", 1472]\n", "expected degrees from 0 to 180, found '\"'"),
    Malformed("[1.5, \"servo\", 0‸90, 1472]\n", "expected degrees from 0 to 180, found '9'"),
    Malformed("[1.5, \"servo\", 90‸.5, 1472]\n", "expected a whole number, found '.'"),
    Malformed("[1.5, \"servo\", 9‸e1, 1472]\n", "expected a whole number, found 'e'"),
    Malformed("[1.5, \"servo\"‸]\n", "expected ',' and the degrees, found ']'"),
    Malformed("[1.5, \"servo\", 90‸]\n", "expected ',' and the microseconds, found ']'"),
    Malformed(
      "[1.5, \"servo\", 90, ‸65536]\n",
      "expected microseconds from 0 to 65535, found 65536"),
    Malformed("[1.5, \"servo\", 90, 1472, ‸5]\n", "expected a pin in quotes, found '5'"),
    Malformed("[1.5, \"servo\", 90, 1472, ‸\"D14\"]\n", pins + "\"D14\""),
    Malformed("[1.5, \"pulse\", 1472, ‸\"\"]\n", pins + "\"\""),
    Malformed(
      "[1.5, \"servo\", 90, 1472, \"D10\"‸, 5]\n",
      "expected ']' at the end of the event, found ','"),
    Malformed("[1.5, \"pin\"‸]\n", "expected ',' and the pin, found ']'"),
    Malformed("[1.5, \"pin\", ‸7, 1]\n", "expected a pin in quotes, found '7'"),
    Malformed("[1.5, \"pin\", ‸\"pin 7\", 1]\n", pins + "\"pin 7\""),
    Malformed("[1.5, \"pin\", \"D7\"‸]\n", "expected ',' and the level, found ']'"),
    Malformed("[1.5, \"pin\", \"D7\", ‸2]\n", "expected a level, 0 or 1, found 2"),
    Malformed("[1.5, \"pin\", \"D7\", ‸true]\n", "expected a level, 0 or 1, found 't'"),
    Malformed("[1.5, \"pulse\"‸]\n", "expected ',' and the microseconds, found ']'"),
    Malformed("[1.5, \"pulse\", ‸-3]\n", "expected microseconds from 0 to 65535, found '-'"),
    Malformed(
      "[1.5, \"pulse\", ‸65535.5]\n",
      "expected microseconds from 0 to 65535, found 65535.5"),
    Malformed("[1.5, \"pulse\", ‸0123]\n", "expected a number without leading zeros"),
    Malformed("[1.5, \"tone\", ‸1e9]\n", "expected hertz from 0 to 65535, found 1e9"),
    Malformed("[1.5, \"tone\", ‸null]\n", "expected hertz from 0 to 65535, found 'n'"),
    Malformed("[1.5, \"baud\", ‸0]\n", "expected a speed from 1 to 2000000, found 0"),
    Malformed("[1.5, \"baud\", ‸2000001]\n", "expected a speed from 1 to 2000000, found 2000001"),
    Malformed("[1.5, \"baud\"‸]\n", "expected ',' and the speed, found ']'"),
    Malformed("[1.5, \"reset\"‸]\n", "expected ',' and the bootloader's seconds, found ']'"),
    Malformed("[1.5, \"reset\", ‸-1]\n", "expected the bootloader's seconds, found '-'"),
    Malformed("[1.5, \"set\"‸]\n", "expected ',' and the pin, found ']'"),
    Malformed("[1.5, \"set\", ‸2, 1]\n", "expected a pin in quotes, found '2'"),
    Malformed("[1.5, \"set\", ‸\"D14\", 1]\n", pins + "\"D14\""),
    Malformed(
      "[1.5, \"set\", ‸\"pca9685@0x40:3\", 1]\n",
      "expected a pin of the board, found \"pca9685@0x40:3\""),
    Malformed("[1.5, \"set\", \"D2\"‸]\n", "expected ',' and the level, found ']'"),
    Malformed("[1.5, \"set\", \"D2\", ‸2]\n", "expected a level, 0 or 1, found 2"),
    Malformed("[1.5, \"set\", \"D2\", ‸true]\n", "expected a level, 0 or 1, found 't'"),
    Malformed("[1.5, \"analog\", ‸\"A8\", 1]\n", pins + "\"A8\""),
    Malformed("[1.5, \"set\", ‸\"A6\", 1]\n", pins + "\"A6\""),
    Malformed(
      "[1.5, \"part\", ‸\"sonar\", 1]\n",
      "expected a part, such as \"hc-sr04@D7:D8\" or \"pca9685@0x40\", found \"sonar\""),
    Malformed("[1.5, \"part\"‸]\n", "expected ',' and the part, found ']'"),
    Malformed("[1.5, \"part\", \"a@D2\"‸]\n", "expected ',' and the part's value, found ']'"),
    Malformed(
      "[1.5, \"part\", \"a@D2\", ‸1000000.000001]\n",
      "expected a value up to 1 000 000 with at most six places"),
    Malformed("[1.5, \"analog\", \"A0\"‸]\n", "expected ',' and the volts, found ']'"),
    Malformed("[1.5, \"analog\", \"A0\", ‸-1]\n", "expected volts from 0 to 5, found '-'"),
    Malformed("[1.5, \"analog\", \"A0\", ‸5.000001]\n", "expected volts from 0 to 5"),
    Malformed("[1.5, \"analog\", \"A0\", ‸1.0000001]\n", "expected volts with at most six places"),
    Malformed("[1.5, \"x-a\", ‸]\n", "expected a JSON value, found ']'"),
    Malformed("[1.5, \"x-a\", ‸tru]\n", "expected a JSON value, found 't'"),
    Malformed("[1.5, \"x-a\", [1, 2‸\n", "expected ',' or ']', found the end of the line"),
    Malformed("[1.5, \"x-a\", {\"k\"‸}]\n", "expected ':', found '}'"),
    Malformed(
      "[1.5, \"x-a\", {\"k\": 1, ‸\"k\": 2}]\n", "expected each key once, found \"k\" again"),
    Malformed(
      "[1.5, \"x-a\", \(String(repeating: "[", count: 64))‸[[[[]\n",
      "expected at most 64 levels of nesting"),
    Malformed(
      "[1.5, \"x-a\", \(String(repeating: "[", count: 64))‸\(String(repeating: "[", count: 200_000))\n",
      "expected at most 64 levels of nesting"),
    Malformed(
      "[1.5, \"x-a\", \(String(repeating: #"{"a":"#, count: 64))‸\(String(repeating: #"{"a":"#, count: 9_000))\n",
      "expected at most 64 levels of nesting"),
  ]

  @Test(arguments: shape + times + strings + numbers)
  func `A malformed event is refused with line, column and what was expected`(
    _ malformed: Malformed
  ) {
    #expect(malformed.complaint(prefix: head + "\n") == nil)
  }

  static let badUTF8: [[UInt8]] = [
    [0xFF], [0x80], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
  ]

  @Test(arguments: badUTF8)
  func `Bytes that are not UTF-8 are refused where they begin`(_ bad: [UInt8]) throws {
    let line = Array("[1.5, \"mark\", \"a".utf8) + bad + Array("\"]\n".utf8)
    let error = #expect(throws: TraceError.self) { try ReadTrace(Array("\(head)\n".utf8) + line) }
    let byte = String(bad[0], radix: 16, uppercase: true)
    #expect(
      error?.description == "t.jsonl:2:17: error: expected text in UTF-8, found the byte 0x\(byte)")
  }
}
