import Foundation
import TestSupport
import Testing

@Suite("verify", .ownThread)
struct VerifyTests {
  /// Names in byte order of the path.
  static let names = [
    "B.jsonl", "a.jsonl", "sub.jsonl", "sub/.x.jsonl", "sub/deep/y.jsonl", "z-é.jsonl",
  ]

  static func folder() throws -> Bench {
    let bench = try Bench()
    for (index, name) in names.enumerated() {
      try bench.write(index % 2 == 0 ? Sample.good : Sample.bad, "t/\(name)")
    }
    try bench.write("no trace\n", "t/notes.txt")
    try bench.write("no trace\n", "t/x.jsonl.part")
    return bench
  }

  /// Returns the value of a key in each line of JSON.
  static func values(_ key: String, in outcome: Bench.Outcome) throws -> [String] {
    try outcome.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?[key].map { "\($0)" })
    }
  }

  @Test(arguments: ["t", "t/", "./t"])
  func `A folder means every .jsonl file below it in byte order`(_ path: String) throws {
    let outcome = try Self.folder().run("verify", "--json", path)
    let prefix = path.hasSuffix("/") ? path : path + "/"
    #expect(try Self.values("file", in: outcome) == Self.names.map { prefix + $0 })
    #expect(
      try Self.values("verdict", in: outcome)
        == Self.names.indices.map { $0 % 2 == 0 ? "agrees" : "disagrees" })
    #expect(outcome.status == 1)
  }

  @Test func `Several paths are verified in the given order`() throws {
    let outcome = try Self.folder().run("verify", "--json", "t/sub", "t/B.jsonl", "t/sub")
    #expect(
      try Self.values("file", in: outcome)
        == [
          "t/sub/.x.jsonl", "t/sub/deep/y.jsonl", "t/B.jsonl", "t/sub/.x.jsonl",
          "t/sub/deep/y.jsonl",
        ])
  }

  @Test func `A folder without traces ends with status 66`() throws {
    let bench = try Bench()
    try bench.write("", "t/notes.txt")
    let outcome = try bench.run("verify", "t")
    #expect(outcome.status == 66)
    #expect(outcome.errors == "t: error: there is no *.jsonl in this folder\n")
  }

  @Test func `Circular and dangling links do no harm`() throws {
    let bench = try Self.folder()
    let outcome = try bench.script(
      "ln -s .. t/sub/up; ln -s none t/dead.jsonl; timeout 20 \"$BENCH\" verify --json t")
    #expect(outcome.status == 66)
    #expect(outcome.lines.count == Self.names.count + 1)
  }

  // ShardTests has every number of shards.
  @Test(arguments: [1, 3])
  func `The shards have the traces with index mod N equal to I - 1, and together all`(count: Int)
    throws
  {
    let bench = try Self.folder()
    var all: [String] = []
    for index in 1...count {
      let outcome = try bench.run("verify", "--json", "--shard", "\(index)/\(count)", "t")
      let files = try Self.values("file", in: outcome)
      let wanted = Self.names.enumerated().filter { $0.offset % count == index - 1 }.map {
        "t/" + $0.element
      }
      #expect(files == wanted)
      all += files
    }
    #expect(all.sorted() == Self.names.map { "t/" + $0 }.sorted())
  }

  @Test(arguments: ["-q", "--json"])
  func `Any number of jobs gives the same output`(_ option: String) throws {
    let bench = try Self.folder()
    try bench.write(Sample.broken, "t/m.jsonl")
    let one = try bench.run("verify", option, "--jobs", "1", "t")
    for count in [2, 4, 32] {
      #expect(try bench.run("verify", option, "--jobs", "\(count)", "t") == one, "\(count) jobs")
    }
    #expect(one.status == 65)
    #expect(!one.output.isEmpty)
  }

  static let tolerances: [(String, Int32)] = [
    ("999us", 1), ("1005us", 0), ("2ms", 0), ("0.002s", 0), ("1.5s", 0), ("0.9ms", 1), ("0us", 1),
    ("2000000ns", 0),
  ]

  @Test func `The value of --tolerance has a unit and overrides the trace's`() throws {
    let bench = try Bench()
    try bench.write(Sample.late, "t.jsonl")
    #expect(try bench.run("verify", "t.jsonl").status == 1)
    for (text, status) in Self.tolerances {
      #expect(try bench.run("verify", "--tolerance", text, "t.jsonl").status == status, "\(text)")
    }
  }

  static let nothing: [(String, String)] = [
    (
      Sample.header + "\n[1.5, \"rx\", \"X45.\"]\n",
      "it has no outputs, and no \"expects\" that says there are none"
    ),
    (
      "{\"format\": \"sentry-trace\", \"version\": 1, \"start\": \"unknown\"}\n"
        + "[0.4, \"rx\", \"L\"]\n[0.5, \"tone\", 900]\n",
      "the board was already running, and no aim or reset makes its state known"
    ),
  ]

  @Test(arguments: nothing)
  func `A trace with nothing to compare fails with the reason`(_ text: String, _ why: String) throws
  {
    let bench = try Bench()
    try bench.write(text, "t.jsonl")
    let outcome = try bench.run("verify", "-q", "t.jsonl")
    #expect(outcome.status == 1)
    #expect(
      outcome.output == "t.jsonl: error: undecided: there is nothing to compare: \(why)\n")
    let json = try bench.run("verify", "--json", "t.jsonl")
    #expect(json.output.contains("\"verdict\": \"undecided\", \"status\": 1"), "\(json)")
    let junit = try bench.run("verify", "--junit", "-", "t.jsonl")
    #expect(junit.output.contains("<failure message=\"t.jsonl: error: undecided: "), "\(junit)")
    let summary = try bench.run("verify", "t.jsonl")
    #expect(summary.lines.last?.hasPrefix("0 of 1 trace agrees, 1 undecided (") == true)
  }

  /// A trace whose recording was misread, and the sentence that its verdict begins with.
  static let unsound: [(text: String, sentence: String)] = [
    (Sample.header + "\n", "nothing was sent to the board"),
    (
      Sample.header + "\n[1.5, \"rx\", \"n\\u00ee^*\"]\n",
      "what was sent is not a command of classic"
    ),
    (
      Sample.header + "\n[0, \"baud\", 19200]\n[1.5, \"rx\", \"X45.\"]\n",
      "all of the bytes were sent at 19200 baud, but the board listens at 9600"
    ),
    (
      Sample.header + "\n[1.5, \"rx\", \"ok\"]\n[1.7, \"tx\", \"X\"]\n[1.8, \"tx\", \"9\"]\n",
      "the commands are on the line from the board, and none is on the line to it: the lines are "
        + "swapped"
    ),
  ]

  @Test(arguments: unsound)
  func `Every command begins with what is wrong with a recording`(
    _ text: String, _ sentence: String
  ) throws {
    let bench = try Bench()
    try bench.write(text, "t.jsonl")
    let explained = try bench.run("explain", "-q", "t.jsonl")
    #expect(explained.status == 0)
    #expect(explained.lines.first?.hasPrefix("t.jsonl: \(sentence)") == true, "\(explained)")
    let verified = try bench.run("verify", "-q", "t.jsonl")
    #expect(verified.status == 1)
    // What can be compared is, and then it can disagree.
    let found = verified.output.replacing("undecided: ", with: "")
    #expect(found.hasPrefix("t.jsonl: error: \(sentence)"), "\(verified)")
    // Also through a pipe, which can be read only once.
    let piped = try bench.run("verify", "-q", "-", input: text)
    #expect(piped.status == 1)
    #expect(
      piped.output.replacing("undecided: ", with: "").hasPrefix("-: error: \(sentence)"), "\(piped)"
    )
    for command in ["distil", "report", "plot"] {
      let outcome = try bench.run(command, "-q", "t.jsonl", "-o", "out")
      #expect(outcome.status == 1, "\(command) \(outcome)")
      #expect(
        outcome.errors.hasPrefix("t.jsonl: error: \(sentence)"), "\(command) \(outcome)")
      #expect(!outcome.errors.contains("nothing went wrong"))
    }
    let page = try bench.read("out")
    #expect(page.contains(sentence.prefix(20)), "the picture names it")
  }

  @Test(arguments: [("tone", 0 as Int32), ("servo", 1)])
  func `The key expects without an event asserts that there is none`(
    _ kind: String, _ status: Int32
  ) throws {
    let bench = try Bench()
    try bench.write(
      "\(Sample.header.dropLast()), \"expects\": [\"\(kind)\"]}\n[1.5, \"rx\", \"X45.\"]\n",
      "t.jsonl")
    #expect(try bench.run("verify", "t.jsonl").status == status)
  }

  @Test
  func `A divergence is formatted like a compiler's error, with notes, a table and counts`() throws
  {
    let bench = try Bench()
    try bench.write(Sample.bad, "t.jsonl")
    let lines = try bench.run("verify", "t.jsonl").lines
    #expect(
      lines[0].wholeMatch(
        of:
          #/t\.jsonl:4: error: expected servo 46 \(1018 us\) at 1\.504224 s, found servo 45 \(1008 us\) at 1\.50422\d+ s/#
      ) != nil)
    #expect(
      lines[1].wholeMatch(
        of: #/t\.jsonl:4: note: at 1\.50422\d+ s the sketch was .+, 0 bytes waiting/#) != nil)
    #expect(lines[2].wholeMatch(of: #/ +expected +found/#) != nil)
    #expect(
      lines.contains {
        $0.wholeMatch(
          of:
            #/    > 4  \[1\.504224, "servo", 46, 1018\]   \[1\.50422\d+, "servo", 45, 1008\]/#
        ) != nil
      })
    #expect(lines.contains("    1 matched, 0 moved, 1 missing, 1 extra"))
    #expect(
      lines.last?.wholeMatch(
        of: #/0 of 1 trace agrees, 1 disagrees, 1 event matched, .* \(\d+\.\d{3} s\)/#) != nil)
  }

  @Test func `The option --firmware selects whose behaviour is verified`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    #expect(try bench.run("verify", "--firmware", "classic", "t.jsonl").status == 0)
    try bench.write(Sample.good.replacing("X45.", with: "X45L"), "l.jsonl")
    #expect(try bench.run("verify", "l.jsonl").status == 0)
    #expect(try bench.run("verify", "--firmware", "guarded", "l.jsonl").status == 1)
  }
}
