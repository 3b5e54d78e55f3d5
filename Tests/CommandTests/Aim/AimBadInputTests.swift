import TestSupport
import Testing

@Suite("aim refuses", .ownThread)
struct AimBadInputTests {
  static let header = Seen.header

  /// The input, and the place and the beginning of the error message.
  static let files: [(String, String)] = [
    ("", ":1:1: error: expected a header, found an empty file"),
    ("\n", ":1:1: error: expected a header, which starts with '{', found the end of the line"),
    ("[]\n", ":1:1: error: expected a header, which starts with '{', found '['"),
    ("{}\n", ":1:2: error: expected format \"sentry-observations\" version 1, found format none"),
    (Sample.header + "\n", ":1:12: error: expected format \"sentry-observations\" version 1"),
    (
      header.replacing("n\": 1", with: "n\": 2"),
      ":1:46: error: expected format \"sentry-observations\" version 1, found format "
        + "\"sentry-observations\" version 2"
    ),
    (
      #"{"format": "sentry-observations", "version": 1}"#,
      ":1:47: error: expected the key \"image\" in the header"
    ),
    (
      header.replacing("[1000, 1000]", with: "[0, 1000]"),
      ":1:58: error: expected \"image\" to be [width, height], each 1 to 1000000, found [0, 1000]"
    ),
    (header.replacing("60}", with: "180}"), ":1:79: error: expected \"fov\" to be degrees above 0"),
    (
      header.replacing("60}", with: "60, \"orientation\": \"east\"}"),
      ":1:98: error: expected \"orientation\" to be \"up\" or \"right\" or \"down\" or \"left\""
    ),
    (header.replacing("60}", with: "60, \"fov\": 61}"), ":1:83: error: expected each key once"),
    (header + "x", ":1:82: error: expected the end of the line, found 'x'"),
  ]

  static let frames: [(String, String)] = [
    ("", ":3:1: error: expected a frame, which starts with '{', found the end of the line"),
    ("[1.5]", ":3:1: error: expected a frame, which starts with '{', found '['"),
    ("{}", ":3:2: error: expected the key \"t\" in a frame"),
    (#"{"t": 2}"#, ":3:8: error: expected the key \"found\" in a frame"),
    (#"{"t": 2, "found": []"#, ":3:21: error: expected ',' or '}', found the end of the line"),
    (#"{"t": 2, "found": [], "t": 3}"#, ":3:23: error: expected each key once, found \"t\" again"),
    (#"{"t": 2, "found": [], "a": 1, "a": 1}"#, ":3:31: error: expected each key once"),
    (#"{"t": 1.4999, "found": []}"#, ":3:7: error: expected a time that is not before the last"),
    (#"{"t": -1, "found": []}"#, ":3:7: error: expected a time in seconds from 0"),
    (#"{"t": 1e9, "found": []}"#, ":3:7: error: expected less than 1 000 000 000 seconds"),
    (
      #"{"t": NaN, "found": []}"#, ":3:7: error: expected a time in seconds, found 'N'; JSON has no"
    ),
    (#"{"t": 02, "found": []}"#, ":3:7: error: expected a number without leading zeros"),
    (#"{"t": "2", "found": []}"#, ":3:7: error: expected a time in seconds, found '\"'"),
    (#"{"t": 2, "found": {}}"#, ":3:19: error: expected a list of what was found"),
    (#"{"t": 2, "found": [1]}"#, ":3:20: error: expected an object, which starts with '{'"),
    (#"{"t": 2, "found": [{}]}"#, ":3:21: error: expected the key \"kind\" in an observation"),
    (found(#""kind": "dog""#), ":3:29: error: expected one of \"face\", \"rectangle\", \"object\""),
    (found(#""kind": "face", "confidence": 1"#), "error: expected the key \"box\" in face"),
    (
      found(#""kind": "face", "box": [0, 0, 1, 1]"#),
      "error: expected the key \"confidence\" in face"
    ),
    (
      found(#""kind": "class", "confidence": 1"#),
      ":3:53: error: expected the key \"label\" in class"
    ),
    (found(#""box": [NaN, 0, 1, 1]"#), ":3:29: error: expected a box's x, a number, found 'N'"),
    (found(#""box": [0, -Infinity, 1, 1]"#), ":3:33: error: expected a box's y, a number"),
    (
      found(#""box": [0, 1e999, 1, 1]"#),
      ":3:32: error: expected a box's y, a number that is finite"
    ),
    (found(#""box": [0, 0, 1]"#), ":3:36: error: expected ',' and a box's height, found ']'"),
    (found(#""box": [0, 0, 1, 1, 1]"#), ":3:39: error: expected ']' after a box's four numbers"),
    (found(#""box": null"#), ":3:28: error: expected a box [x, y, width, height], found 'n'"),
    (found(#""confidence": "1""#), ":3:35: error: expected a confidence from 0 to 1"),
    (found(#""label": 1"#), ":3:30: error: expected a label in quotes, found '1'"),
    (found(#""corners": [[0, 0]]"#), ":3:32: error: expected four corners, found 1"),
    (found(#""landmarks": {"nose": [[0]]}"#), ":3:46: error: expected ',' and a point's y"),
    (
      #"{"t": 2, "found": [\#(Array(repeating: Seen.face(0.5), count: 10_001).joined(separator: ","))]}"#,
      "expected at most 10000 things in a frame, found more"
    ),
    // Quoted contents of a file cannot move the cursor.
    (found(#""kind": "\u001b[31m\nx""#), #"found "\u001b[31m\nx""#),
    (#"{"t": 1, "found": []}"#, "not before the last frame's, 1.500000 s, found 1.000000 s"),
    (#"{"t": 2, "found": []} {"#, ":3:23: error: expected the end of the line, found '{'"),
  ]

  static func found(_ members: String) -> String { #"{"t": 2, "found": [{\#(members)}]}"# }

  @Test(arguments: files)
  func `An invalid header is refused`(_ text: String, _ message: String) throws {
    let bench = try Bench()
    try bench.write(text, "seen.jsonl")
    let outcome = try bench.run("aim", "seen.jsonl", "--to", "-")
    #expect(outcome.status == 65)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("seen.jsonl:1:"))
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(!outcome.errors.contains("without that line it can be used"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: frames)
  func `An invalid frame is refused, and earlier commands are kept`(
    _ text: String, _ message: String
  ) throws {
    let input = Seen.file(AimTests.middle, text, AimTests.middle)
    let outcome = try Bench().run("aim", "-", "--to", "-", input: input)
    #expect(outcome.status == 65)
    #expect(outcome.output == Seen.trace(("1.500000", "X90.")))
    #expect(outcome.errors.hasPrefix("-:3:"))
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func `A truncated frame is refused at any length, with its place`() throws {
    let bench = try Bench()
    let frame = Seen.frame("2", Seen.thing("object", 0.5, more: #", "label": "\u00e4""#))
    for length in stride(from: 1, to: frame.count, by: 5) {
      let text = Seen.header + "\n" + frame.prefix(length)
      let outcome = try bench.run("aim", "-", "--to", "-", input: text)
      #expect(outcome.status == 65)
      #expect(outcome.errors.hasPrefix("-:2:"))
      #expect(outcome.errors.contains("the file ends in the middle of a line"))
    }
  }

  static let usages: [[String]] = [
    ["seen.jsonl"], ["--to", "-"], ["seen.jsonl", "--to", ""],
    ["seen.jsonl", "--to", "-", "--mapping", "square"],
    ["seen.jsonl", "--to", "-", "--gravity", "fill"],
    ["seen.jsonl", "--to", "-", "--min-confidence", "1.01"],
    ["seen.jsonl", "--to", "-", "--min-confidence", "nan"],
    ["seen.jsonl", "--to", "-", "--max-overlap=-0.1"],
    ["seen.jsonl", "--to", "-", "--require", "cat"],
    ["seen.jsonl", "--to", "-", "--require", "cat:"],
    ["seen.jsonl", "--to", "-", "--require", "cat:1.5"],
    ["seen.jsonl", "--to", "-", "--stick", "0.99"],
    ["seen.jsonl", "--to", "-", "--stick", "inf"],
    ["seen.jsonl", "--to", "-", "--rate", "0"], ["seen.jsonl", "--to", "-", "--rate", "nan"],
    ["seen.jsonl", "--to", "-", "--view", "390"], ["seen.jsonl", "--to", "-", "--view", "0x844"],
    ["seen.jsonl", "--to", "-", "--view", "390x844x2"],
    ["seen.jsonl", "--to", "-", "--view", "nanx1"],
    ["seen.jsonl", "--to", "-", "--view", "1e300x1e300"],
    // An address without its scheme, and a path that is not a port.
    ["seen.jsonl", "--to", "127.0.0.1:12354"], ["seen.jsonl", "--to", "/dev/null"],
    ["seen.jsonl", "--to", "seen.jsonl"], ["seen.jsonl", "--to", "."],
    ["seen.jsonl", "--to", "tcp://127.0.0.1:9", "--token-file", "tokens"],
    ["seen.jsonl", "--to", "/dev/ttyACM9", "--token-file", "tokens"],
  ]

  @Test(arguments: usages)
  func `Wrong usage ends with 64`(_ arguments: [String]) throws {
    let bench = try Bench()
    try bench.write(Seen.file(AimTests.middle), "seen.jsonl")
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    let outcome = try bench.start(program, ["aim"] + arguments).finish()
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(!outcome.errors.isEmpty)
  }

  @Test
  func `The true angle without a field of view, a missing file and a folder are refused`() throws {
    let bench = try Bench()
    let header = #"{"format": "sentry-observations", "version": 1, "image": [10, 10]}"#
    try bench.write(Seen.file(AimTests.middle, header: header), "sub/seen.jsonl")
    let fov = try bench.run("aim", "sub/seen.jsonl", "--to", "-", "--mapping", "fov")
    #expect(fov.status == 65)
    #expect(fov.errors.hasPrefix("sub/seen.jsonl:1: error: the true angle needs"))
    #expect(fov.output.isEmpty)
    #expect(try bench.run("aim", "none", "--to", "-").status == 66)
    let folder = try bench.run("aim", "sub", "--to", "-")
    #expect(folder.status == 66)
    #expect(folder.errors == "sub: error: expected observations, found a folder\n")
  }
}
