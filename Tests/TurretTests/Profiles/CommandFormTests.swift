import Testing
import Turret

struct CommandFormTests {
  @Test(arguments: [
    ("P{pan:0..180},{tilt:0..180}\\n", "P{pan:0..180},{tilt:0..180}\\n", 9),
    ("F", "F", 1), ("a\tb\n", "a\\tb\\n", 4), ("\\\\ \\{x\\}", "\\\\ \\{x\\}", 5),
    ("\\x84{servo: byte 0 .. 5}{to:byte}", "\\x84{servo:byte 0..5}{to:byte 0..255}", 3),
    ("\u{FF}\\x0d", "\\xff\\r", 2), ("T{t:-90..90};", "T{t:-90..90};", 5),
    ("M{x:0..2147483647}.", "M{x:0..2147483647}.", 12),
    ("M{x:-2147483648..0}.", "M{x:-2147483648..0}.", 13),
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
    ("P{:0..1}\n", 3, "name"), ("P{a b:0..1}\n", 3, "name"), ("P{a:1}\n", 2, "a range"),
    ("P{a:9..1}\n", 2, "low to high"), ("P{a:0..99999999999}\n", 2, "a range"),
    ("P{a:byte 0..256}", 2, "0..255"), ("P\\q", 2, "\\n"), ("P\\", 2, "\\n"),
    ("P\\x4", 2, "two hexadecimal"), ("\u{20AC}", 1, "a byte"),
  ])
  func `A mistake has its column, and says what was expected`(
    text: String, column: Int, words: String
  ) {
    let mistake = #expect(throws: CommandForm.Mistake.self) { try CommandForm(text) }
    #expect(mistake?.column == column)
    #expect(mistake?.message.contains(words) == true, "\(mistake?.message ?? "")")
  }

  @Test(arguments: [
    ("", "at least one byte"), ("{a:0..9}\n", "a byte before"), ("P{a:0..9}", "a byte after {a}"),
    ("P{a:0..9}5", "a byte after {a}"), ("P{a:0..9}{b:0..9}\n", "a byte after {a}"),
    ("P{a:0..9},{a:0..9}\n", "\"a\" is there twice"),
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
    (["A{a:byte 0..5}", "A\u{5}Z"], 0, 1),
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
  ])
  func `Commands that can be told apart may begin alike`(texts: [String]) throws {
    #expect(try CommandForm.overlap(in: texts.map { try CommandForm($0) }) == nil)
  }
}
