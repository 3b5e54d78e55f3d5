import TestSupport
import Testing

/// The notes if nothing was aimed at, about mistakes that a sentence can correct.
@Suite("aim's notes", .ownThread)
struct AimNoteTests {
  static let cat = #", "label": "cat""#

  static let cases: [(what: String, options: [String], note: String?)] = [
    (Seen.face(0.5), [], nil),
    ("", [], nil),
    (
      #"{"kind": "face", "box": [384, 144, 96, 97], "confidence": 1}"#, [],
      "no box lies in the picture; a box is [x, y, width, height] in shares of the picture, 0 to 1"
    ),
    (
      Seen.face(0.5), ["--label", "face"],
      "none has the label `face`; none has any, and `kind` is not a label"
    ),
    (
      Seen.thing("object", 0.5, more: cat), ["--label", "cat", "--require", "dog:0.5"],
      "none has the label `dog`; the labels are `cat`"
    ),
    // The contents of a file cannot move the cursor.
    (
      Seen.thing("object", 0.5, more: #", "label": "\u001b[2J""#), ["--label", "cat"],
      #"none has the label `cat`; the labels are `\u001b[2J`"#
    ),
    (
      Seen.thing("object", 0.5, more: cat), ["--require", "dog:0.5"],
      "none has the label `dog`; the labels are `cat`"
    ),
    (Seen.face(0.5), ["--strips"], "pairs of strips are made of rectangles, and there are none"),
    (
      Seen.thing("rectangle", 0.5), ["--strips"],
      "no two rectangles of a frame make a pair of strips"
    ),
    (Seen.face(0.5, confidence: 0.3), ["--min-confidence", "0.5"], "nothing passed the options"),
  ]

  @Test(arguments: cases)
  func `The reason why nothing was aimed at is printed once, at the end`(
    _ what: String, _ options: [String], _ note: String?
  ) throws {
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    let input = Seen.file(Seen.frame("1", what), Seen.frame("2", what))
    let outcome = try Bench().start(program, ["aim", "-", "--to", "-"] + options, input: input)
      .finish()
    #expect(outcome.status == 0)
    let start = "-: note: nothing was aimed at, though 2 things were seen: "
    #expect(outcome.errors == (note.map { start + $0 + "\n" } ?? ""))
  }
}
