import Sketches
import TestSupport
import Testing

struct CommandFormTests {
  @Test(arguments: [
    ("P{pan:0..180},{tilt:0..180}\\n", "P{pan:0..180},{tilt:0..180}\\n", 9),
    ("F", "F", 1), ("a\tb\n", "a\\tb\\n", 4), ("\\\\ \\{x\\}", "\\\\ \\{x\\}", 5),
    ("\\x84{servo: byte 0 .. 5}{to:byte}", "\\x84{servo:byte 0..5}{to:byte 0..255}", 3),
    ("\u{FF}\\x0d", "\\xff\\r", 2), ("T{t:-90..90};", "T{t:-90..90};", 5),
    ("M{x:0..2147483647}.", "M{x:0..2147483647}.", 12),
    ("M{x:-2147483648..0}.", "M{x:-2147483648..0}.", 13),
    ("{pan:0..180},{tilt:0 .. 180}\n", "{pan:0..180},{tilt:0..180}\\n", 8),
    ("a{pan:3}{tilt:3 0..180}{fire:1}", "a{pan:3}{tilt:3 0..180}{fire:1}", 8),
    ("T{t:4 -90..90};", "T{t:4 -90..90};", 6),
    ("0xFF {pan:u8} {tilt:u8 0..180} 0xfe", "\\xff{pan:byte 0..255}{tilt:byte 0..180}\\xfe", 4),
    ("0x02{a:0..9}0x03", "\\x02{a:0..9}\\x03", 3), ("0xFF0", "0xFF0", 5), ("0xF", "0xF", 3),
    ("\\x30x41", "\\x30x41", 4), ("{a:u8}\\x30x41", "{a:byte 0..255}\\x30x41", 5),
    ("S{a:u16le}{b:u16be 500..2500}", "S{a:u16le}{b:u16be 500..2500}", 5),
    ("S{a:i8}{b:i16le -90..90}{c:i16be}", "S{a:i8}{b:i16le -90..90}{c:i16be}", 6),
    ("0xAA {a:u8} {sum}", "\\xaa{a:byte 0..255}{sum}", 3),
    (
      "A{a:u8}{xor 2..}{complement 2..2}{negative 1..-2}",
      "A{a:byte 0..255}{xor 2..}{complement 2..2}{negative 1..-2}", 5
    ),
    ("$P{a:0..180}*{xor hex 2..-2}\n", "$P{a:0..180}*{xor hex 2..-2}\\n", 9),
    ("P{a:0..180}{pause}", "P{a:0..180}{pause}", 4),
    ("P{a:0..180}{pause 20ms}", "P{a:0..180}{pause 20ms}", 4),
    ("P{a:0..180}{pause 2s}", "P{a:0..180}{pause 2000ms}", 4),
    ("P{a:0..9}{\\r?}\\n", "P{a:0..9}{\\r?}\\n", 4), ("{P|p}{a:0..9};", "{P|p}{a:0..9};", 3),
    ("{\\x3f|\\x7c|\\}}", "{\\x3f|\\x7c|\\}}", 1), ("a{\\x20?}b", "a{\\x20?}b", 3),
    ("P{a:0.0..180.0}\n", "P{a:0.0..180.0}\\n", 7), ("P{a:-1.5..90}\n", "P{a:-1.5..90.0}\\n", 7),
    ("P{a:-0.25..0.75};", "P{a:-0.25..0.75};", 7),
  ])
  func `A form is read and written`(text: String, written: String, longest: Int) throws {
    let form = try CommandForm(text)
    #expect(form.description == written)
    #expect(form.longest == longest)
    #expect(form.problem == nil)
    #expect(try CommandForm(form.description) == form)
  }

  @Test(arguments: [
    ("P{pan:0..180", 2, "expected \"}\""), ("P}", 2, "expected \"{\""), ("P{pan}", 2, "its range"),
    ("P{:0..1}\n", 3, "name"), ("P{a b:0..1}\n", 3, "name"), ("P{a:1..}\n", 2, "a range"),
    ("P{a:9..1}\n", 2, "low to high"), ("P{a:0..99999999999}\n", 2, "a range"),
    ("P{a:byte 0..256}", 2, "0..255"), ("P\\q", 2, "\\n"), ("P\\", 2, "\\n"),
    ("P\\x4", 2, "two hexadecimal"), ("\u{20AC}", 1, "a byte"), ("P{a:0}", 2, "1 to 9 digits"),
    ("P{a:10}", 2, "1 to 9 digits"), ("P{a:2 0..100}", 2, "within -9..99"),
    ("P{a:u16le -1..5}", 2, "0..65535"), ("P{a:u8 5..1}", 2, "low to high"),
    ("0xFF {a}", 6, "{sum}"),
    ("P{sum 0..}", 2, "counted from 1"), ("P{sum 3..2}", 2, "counted from 1"),
    ("P{pause 5}", 2, "1ms to 60s"), ("P{pause 61s}", 2, "1ms to 60s"), ("P{p|p}", 2, "once"),
    ("P{\\q?}", 2, "{\\r?}"), ("P{a:0.5..}\n", 2, "a range"), ("P{a:.5..1}\n", 2, "a range"),
    ("P{a:0..1.1234567}\n", 2, "6 decimals"), ("P{a:0.000001..9999}\n", 2, "6 decimals"),
  ])
  func `A mistake has its column, and says what was expected`(
    text: String, column: Int, words: String
  ) {
    let mistake = #expect(throws: CommandForm.Mistake.self) { try CommandForm(text) }
    #expect(mistake?.column == column)
    #expect(mistake?.message.contains(words) == true, "\(mistake?.message ?? "")")
  }

  @Test(arguments: [
    ("", "at least one byte"), ("P{a:0..9}", "a byte after {a}"),
    ("P{a:0..9}5", "a byte after {a}"), ("P{a:0..9}{b:0..9}\n", "a byte after {a}"),
    ("P{a:0..9},{a:0..9}\n", "\"a\" is there twice"), ("P{a:0..9}{b:u8}", "a byte after {a}"),
    ("P{a:0..9}{b:2}", "a byte after {a}"), ("P{a:0..9}{\\r?}5", "a byte after {a}"),
    ("P{a:0.0..9.0}.", "nor \".\""), ("P{a:0..9}{sum}", "a byte after {a}"),
    ("{P?}A", "cannot be missing"), ("P{\\r?}", "more bytes"), ("P{\\r?}\\r", "another byte"),
    ("P{pause}A", "nothing after {pause}"), ("{pause}", "before the pause"),
    ("{sum}A", "before the checksum"),
  ])
  func `A form that no sketch can have is refused`(text: String, words: String) throws {
    #expect(try CommandForm(text).problem?.contains(words) == true)
  }

  @Test func `A form has at most 200 bytes`() throws {
    #expect(try CommandForm(String(repeating: "a", count: 200)).problem == nil)
    #expect(throws: CommandForm.Mistake.self) {
      try CommandForm(String(repeating: "a", count: 201))
    }
    let long = String(repeating: "a{x:0..100000}", count: 50)
    #expect(try CommandForm(long + ".").problem?.contains("at most 200 bytes") == true)
  }

  @Test(arguments: [
    (["F", "FIRE\n"], 0, 1), (["AB", "A"], 1, 0), (["A", "A"], 0, 1),
    (["P{a:0..9}.", "P5.Q"], 0, 1), (["P{a:byte}", "P{b:0..9}."], 0, 1),
    (["A{a:byte 0..5}", "A\u{5}Z"], 0, 1), (["{a:0..9}\n", "5\n"], 0, 1),
    (["a{a:2}", "a{b:3}"], 0, 1),
    (["{P|p}X", "pXX"], 0, 1), (["P{\\r?}\n", "P\r\nX"], 0, 1), (["P{\\r?}\n", "P\nX"], 0, 1),
    (["A{a:u16le}", "A{b:byte}{c:byte}Z"], 0, 1), (["A{a:byte}{sum}", "AB{b:byte}Z"], 0, 1),
    (["A{sum hex}", "AF0Z"], 0, 1), (["F{pause}", "F{pause 5ms}"], 0, 1),
    (["F", "F{pause}"], 0, 1),
    (["P{a:0.0..9.0}\n", "P1.5\nX"], 0, 1), (["P{a:0..9}{pause}", "P7{pause}"], 0, 1),
  ])
  func `Commands of which one can end where another goes on are found`(
    texts: [String], ending: Int, other: Int
  ) throws {
    let overlap = try CommandForm.overlap(in: texts.map { try CommandForm($0) })
    #expect(overlap?.ending == ending)
    #expect(overlap?.other == other)
  }

  @Test(arguments: [
    ["P{a:0..9}.", "P{a:0..9},{b:0..9}."], ["F", "f"], ["FA", "FB"], ["A{a:byte 0..4}", "A\u{5}Z"],
    ["P{a:0..9}\n", "P-\n"], ["X{a:0..180}.", "L", "T", "?"],
    ["F{pause}", "FIRE{pause}", "F\n"], ["P{a:0..9}{pause}", "P{a:0..9},{b:0..9}{pause}"],
    ["a{a:2}x", "a{b:3}"], ["{P|p}", "{Q|q}"], ["A{sum hex}", "AG0"], ["{a:0..9}\n", "{a:0..9},"],
  ])
  func `Commands that can be told apart may begin alike`(texts: [String]) throws {
    #expect(try CommandForm.overlap(in: texts.map { try CommandForm($0) }) == nil)
  }

  @Test(arguments: [
    ("P{a:0..180},{b:-90..90}\n", [7, -5], "P7,-5\n"),
    ("a{a:3}{b:3 -99..99}{c:1}", [7, -5, 1], "a007-051"),
    ("0x01 {a:u8} {b:u16le} {c:u16be}", [2, 0x0403, 0x0506], "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}"),
    ("A{a:i8}{b:i16be}", [-1, -2], "A\u{FF}\u{FF}\u{FE}"), ("A{a:u8}{sum}", [0xC0], "A\u{C0}\u{1}"),
    ("A{a:u8}{xor 2..}", [0x55], "AUU"), ("A{a:u8}{complement 2..2}", [0x01], "A\u{1}\u{FE}"),
    ("A{a:u8}{negative}", [0x01], "A\u{1}\u{BE}"),
    ("$A{a:0..9}*{xor hex 2..-2}\n", [1], "$A1*70\n"),
    ("{P|p}{a:0.00..9.00}{\\r?}\n", [125], "P1.25\n"), ("{a:-1.5..1.5}{pause}", [-5], "-0.5"),
  ])
  func `A command is written with its numbers`(
    form: String, values: [Int32], bytes: String
  ) throws {
    #expect(try CommandForm(form).bytes(values) == bytes.unicodeScalars.map { UInt8($0.value) })
  }

  @Test(arguments: 0..<20)
  func `Random texts give a form or a mistake within the text`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "P", "0xFF", " ", "{", "}", "a:", "0..9", "3", "u8", "u16le", "byte", "sum", "hex", "2..",
      "|",
      "?", "\\", "\\r", "pause", "20ms", "-1.5", "..", "{a:0..9}", "{\\r?}", "{sum}", "\n",
      "99999999999",
    ]
    for _ in 0..<500 {
      let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        pieces.randomElement(using: &random)!
      }.joined()
      do {
        let form = try CommandForm(text)
        let again = try CommandForm(form.description)
        #expect(again == form, "seed \(seed): \(text)")
        #expect(form.problem == nil || form.problem?.isEmpty == false)
      } catch {
        #expect((1...max(1, text.unicodeScalars.count + 1)).contains(error.column), "\(text)")
        #expect(!error.message.isEmpty)
      }
    }
  }
}
