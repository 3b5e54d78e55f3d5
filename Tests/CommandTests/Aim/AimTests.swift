import Foundation
import TestSupport
import Testing

@Suite("aim --to -", .ownThread)
struct AimTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var input: String
    var options: [String] = []
    var output: String
  }

  static let middle = Seen.frame("1.5", Seen.face(0.5))
  static let cat = #", "label": "cat""#

  static let cases = [
    Case(testDescription: "only a header", input: Seen.file(), output: Seen.trace()),
    Case(
      testDescription: "a face, then none, and each command once",
      input: Seen.file(
        middle, Seen.frame("1.533", Seen.face(0.5)), Seen.frame("1.566", Seen.face(0.25)),
        Seen.frame("1.6"), Seen.frame("1.633")),
      output: Seen.trace(("1.500000", "X90."), ("1.566000", "X65."), ("1.600000", "L"))),
    Case(
      testDescription: "no newline at the end", input: String(Seen.file(middle).dropLast()),
      output: Seen.trace(("1.500000", "X90."))),
    Case(
      testDescription: "frames at one time, times with exponents and more places than nine",
      input: Seen.file(
        Seen.frame("0", Seen.face(0.5)), Seen.frame("0"), Seen.frame("1e-3", Seen.face(0.25)),
        Seen.frame("0.30000000000000004"), Seen.frame("0.3333333333333333", Seen.face(0.75))),
      output: Seen.trace(
        ("0.000000", "X90."), ("0.000000", "L"), ("0.001000", "X65."), ("0.300000", "L"),
        ("0.333333333", "X115."))),
    Case(
      testDescription: "keys in any order, unknown keys skipped, escapes, spaces",
      input: Seen.file(
        #" { "found" :[{"id":[1,{"a":null}],"confidence":0.5,"\u0062ox":[0.4375,0.4375,0.125,1.25e-1],"kind":"face"}],"n":{"t":1},"t":2 } "#,
        header:
          #"{"lens": {"k": [0.1]}, "image": [10, 10], "version": 1, "format": "sentry-observations"}"#
      ), output: Seen.trace(("2.000000", "X90."))),
    Case(
      testDescription: "corners, landmarks, labels and classes are read",
      input: Seen.file(
        Seen.frame(
          "1", Seen.thing("rectangle", 0.25, more: #", "corners": [[0,1],[1,1],[1,0],[0,0]]"#)),
        Seen.frame(
          "2",
          Seen.thing("face", 0.75, more: #", "landmarks": {"leftEye": [[0.1, 0.2]], "nose": []}"#)),
        Seen.frame("3", #"{"kind": "class", "label": "tree", "confidence": 0.9}"#)),
      output: Seen.trace(("1.000000", "X65."), ("2.000000", "X115."), ("3.000000", "L"))),
    Case(
      testDescription: "the biggest of two; --stick stays",
      input: Seen.file(
        Seen.frame("1", Seen.face(0.25, 0.25), Seen.face(0.75, 0.125)),
        Seen.frame("2", Seen.face(0.25, 0.25), Seen.face(0.75, 0.265625))),
      options: ["--stick", "1.2"], output: Seen.trace(("1.000000", "X65."))),
    Case(
      testDescription: "without --stick it changes",
      input: Seen.file(
        Seen.frame("1", Seen.face(0.25, 0.25), Seen.face(0.75, 0.125)),
        Seen.frame("2", Seen.face(0.25, 0.25), Seen.face(0.75, 0.265625))),
      output: Seen.trace(("1.000000", "X65."), ("2.000000", "X115."))),
    Case(
      testDescription: "--mirror", input: Seen.file(Seen.frame("1", Seen.face(0.25))),
      options: ["--mirror"], output: Seen.trace(("1.000000", "X115."))),
    Case(
      testDescription: "--mapping fov", input: Seen.file(Seen.frame("1", Seen.face(0.875))),
      options: ["--mapping", "fov"], output: Seen.trace(("1.000000", "X113."))),
    Case(
      testDescription: "--view and --gravity: a square fills a tall view",
      input: Seen.file(Seen.frame("1", Seen.face(0.625))),
      options: ["--view", "100x200", "--gravity", "aspect-fill"],
      output: Seen.trace(("1.000000", "X115."))),
    Case(
      testDescription: "--gravity aspect-fit", input: Seen.file(Seen.frame("1", Seen.face(0.25))),
      options: ["--view", "200x100", "--gravity", "aspect-fit"],
      output: Seen.trace(("1.000000", "X77."))),
    Case(
      testDescription: "--min-confidence",
      input: Seen.file(
        Seen.frame("1", Seen.face(0.5, confidence: 0.5)),
        Seen.frame("2", Seen.face(0.5, confidence: 0.4999))),
      options: ["--min-confidence", "0.5"],
      output: Seen.trace(("1.000000", "X90."), ("2.000000", "L"))),
    Case(
      testDescription: "--max-overlap: of two that overlap the weaker goes",
      input: Seen.file(
        Seen.frame(
          "1", Seen.face(0.5, 0.25, confidence: 0.8), Seen.face(0.484375, 0.21875, confidence: 0.9))
      ),
      options: ["--max-overlap", "0.6"], output: Seen.trace(("1.000000", "X88."))),
    Case(
      testDescription: "--label",
      input: Seen.file(
        Seen.frame(
          "1", Seen.thing("object", 0.25, more: cat),
          Seen.thing("object", 0.75, 0.25, more: #", "label": "dog""#))),
      options: ["--label", "cat"], output: Seen.trace(("1.000000", "X65."))),
    Case(
      testDescription: "--require opens for a class at exactly its confidence",
      input: Seen.file(
        Seen.frame("1", #"{"kind": "class", "label": "a:b", "confidence": 0.7}"#),
        Seen.frame("2", #"{"kind": "class", "label": "a:b", "confidence": 0.69}"#)),
      options: ["--require", "a:b:0.7"],
      output: Seen.trace(("1.000000", "X90."), ("2.000000", "L"))),
    Case(
      testDescription: "boxes outside, negative sizes and no area are no targets",
      input: Seen.file(
        middle,
        Seen.frame(
          "2", #"{"kind": "face", "box": [1.5, 0.5, 0.1, 0.1], "confidence": 1}"#,
          #"{"kind": "face", "box": [0.5, 0.5, -0.1, 0.1], "confidence": 1}"#,
          #"{"kind": "face", "box": [0.5, 0.5, 0, 0.1], "confidence": 1}"#,
          #"{"kind": "face", "box": [-1e300, 0.5, 0.1, 0.1], "confidence": 1}"#)),
      output: Seen.trace(("1.500000", "X90."), ("2.000000", "L"))),
    Case(
      testDescription: "a box over the edge is aimed at by its own middle",
      input: Seen.file(
        Seen.frame("1", #"{"kind": "face", "box": [-0.25, 0.25, 1, 0.5], "confidence": 7}"#)),
      output: Seen.trace(("1.000000", "X65."))),
  ]

  @Test(arguments: cases)
  func `Observations give exactly these commands`(_ one: Case) throws {
    let bench = try Bench()
    try bench.write(one.input, "seen.jsonl")
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    let file = try bench.start(program, ["aim", "seen.jsonl", "--to", "-"] + one.options).finish()
    #expect(file == Bench.Outcome(status: 0, output: one.output, errors: ""))
    let pipe = try bench.start(
      program, ["aim", "-", "--to", "-"] + one.options, input: one.input
    ).finish()
    #expect(pipe == file)
  }

  @Test func `A thousand faces are one target in any order`() throws {
    let faces = (0..<1_000).map { Seen.face(0.1 + Double($0) / 2_000, 0.05 + Double($0) / 1e5) }
    for frames in [faces, faces.reversed()] {
      let frame = #"{"t": 1, "found": [\#(frames.joined(separator: ","))]}"#
      let outcome = try Bench().run(
        "aim", "-", "--to", "-", "--max-overlap", "1", input: Seen.file(frame))
      // 0.1 + 0.4995 of the view.
      #expect(outcome.output == Seen.trace(("1.000000", "X99.")))
    }
  }

  static let rates: [(String, [String], [(String, String)])] = [
    (
      "10", ["0 0.5", "0.02 0.25", "0.04 0.75", "0.2 0.75"],
      [("0.000000", "X90."), ("0.100000", "X115.")]
    ),
    // The newest command at that very moment is sent.
    ("10", ["0 0.5", "0.05 0.25", "0.1 0.75"], [("0.000000", "X90."), ("0.100000", "X115.")]),
    // If the angle returns to the last one sent, nothing is sent.
    ("10", ["0 0.5", "0.05 0.25", "0.08 0.5", "1 0.5"], [("0.000000", "X90.")]),
    // A command that still waits at the end is sent.
    ("10", ["0 0.5", "0.05 -"], [("0.000000", "X90."), ("0.100000", "L")]),
    // A command that was sent when it was due delays the next one.
    (
      "10", ["0 0.5", "0.05 0.25", "0.15 0.75"],
      [("0.000000", "X90."), ("0.100000", "X65."), ("0.200000", "X115.")]
    ),
    ("30", ["0 0.5", "0.01 0.25"], [("0.000000", "X90."), ("0.033333334", "X65.")]),
    ("0.5", ["1 0.5", "5 0.25"], [("1.000000", "X90."), ("5.000000", "X65.")]),
  ]

  @Test(arguments: rates)
  func `With --rate the newest command is sent when it is due`(
    _ rate: String, _ frames: [String], _ events: [(String, String)]
  ) throws {
    let seen = frames.map { text in
      let parts = text.split(separator: " ")
      let time = String(parts[0])
      return Double(parts[1]).map { Seen.frame(time, Seen.face($0)) } ?? Seen.frame(time)
    }
    let outcome = try Bench().run(
      "aim", "-", "--to", "-", "--rate", rate, input: Seen.file(seen))
    let lines = events.map { "[\($0.0), \"rx\", \"\($0.1)\"]\n" }
    #expect(outcome.output == Seen.trace() + lines.joined())
  }

  @Test(arguments: [1, 2, 3])
  func `A random session replays and verifies`(_ seed: UInt64) throws {
    var source = SeededGenerator(seed: seed)
    var time = 1.5
    let frames = (0..<300).map { _ in
      time += Double.random(in: 0...0.07, using: &source)
      let faces = (0..<Int.random(in: 0...3, using: &source)).map { _ in
        Seen.face(
          .random(in: -0.1...1.1, using: &source), .random(in: -0.1...0.5, using: &source),
          confidence: .random(in: 0...1, using: &source))
      }
      return #"{"t": \#(time), "found": [\#(faces.joined(separator: ", "))]}"#
    }
    let bench = try Bench()
    try bench.write(Seen.file(frames), "seen.jsonl")
    let outcome = try bench.script(
      "set -o pipefail; $BENCH aim seen.jsonl --to - --rate 30 | tee aimed.jsonl "
        + "| $BENCH replay - --until 20s -o t.jsonl && $BENCH verify t.jsonl")
    #expect(outcome.status == 0, "\(outcome)")
    // The commands in both traces are the same, in canonical form.
    func sent(_ name: String) throws -> [Substring] {
      try bench.read(name).split(separator: "\n").filter { $0.contains("\"rx\"") }
    }
    let aimed = try sent("aimed.jsonl")
    #expect(aimed.count > 100)
    #expect(try sent("t.jsonl") == aimed)
    #expect(try bench.read("t.jsonl").contains("\"servo\""))
    #expect(zip(aimed, aimed.dropFirst()).allSatisfy { $0.suffix(7) != $1.suffix(7) })
  }

  @Test func `From a pipe each command is printed before the next frame is read`() throws {
    let outcome = try Bench().script(
      """
      set -e
      coproc $BENCH aim - --to -
      exec 3<&${COPROC[0]} 4>&${COPROC[1]}
      echo '\(Seen.header)' >&4
      read -t 30 line <&3; echo "$line"
      echo '\(Self.middle)' >&4
      read -t 30 line <&3; echo "$line"
      echo '\(Seen.frame("1.6"))' >&4
      read -t 30 line <&3; echo "$line"
      """)
    #expect(outcome.output == Seen.trace(("1.500000", "X90."), ("1.600000", "L")))
  }

  @Test func `A broken pipe ends aim quietly`() throws {
    let bench = try Bench()
    let frames = (0..<20_000).map { Seen.frame("\($0)", Seen.face($0 % 2 == 0 ? 0.25 : 0.75)) }
    try bench.write(Seen.file(frames), "seen.jsonl")
    let outcome = try bench.script(
      "$BENCH aim seen.jsonl --to - | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}")
    #expect(outcome == Bench.Outcome(status: 141, output: "", errors: ""))
  }
}
