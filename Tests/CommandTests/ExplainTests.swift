import Foundation
import Sketches
import TestSupport
import Testing

@Suite("explain", .ownThread)
struct ExplainTests {
  @Test func `The JSON contains the exact fate of each byte`() throws {
    let bench = try Bench()
    try bench.write(Sample.inputs("classic", "[1.5, \"rx\", \"X90.\"]"), "t.jsonl")
    let outcome = try bench.run("explain", "--json", "t.jsonl")
    #expect(
      outcome.first
        == #"{"byte": 88, "arrived": 1.501042, "taken": 1.501045, "fate": "letter", "ended_scan": false, "command": 1}"#
    )
    #expect(
      try VerifyTests.values("fate", in: outcome) == ["letter", "digit", "digit", "terminator"])
    #expect(try VerifyTests.values("byte", in: outcome) == ["88", "57", "48", "46"])
  }

  static let fates: [(String, String, String)] = [
    ("ring-full", "classic", "[0.1, \"rx\", \"\(String(repeating: "X11.", count: 17))\"]"),
    ("booting", "classic", "[1, \"reset\", 1.6]\n[1.5, \"rx\", \"X\"]"),
    ("cleared", "classic", "[0.1, \"rx\", \"L\"]\n[0.5, \"reset\", 0]"),
    ("waiting", "classic", "[2.5, \"reset\", 0]\n[2.6, \"rx\", \"L\"]"),
    ("purged", "classic", "[0.1, \"rx\", \"qX\"]"),
    ("junk", "classic", "[1.5, \"rx\", \"q\"]"),
    ("swallowed", "buzzer", "[1.5, \"rx\", \"X45L\"]"),
    ("skipped", "classic", "[1.5, \"rx\", \"X4\\u00ff5.\"]"),
    ("abandoned", "guarded", "[1.5, \"rx\", \"X4q\"]"),
    ("letter", "guarded", "[1.5, \"rx\", \"?\"]"),
    ("digit", "buzzer", "[1.5, \"rx\", \"X4\"]"),
    ("terminator", "guarded", "[1.5, \"rx\", \"X4.\"]"),
  ]

  @Test(arguments: fates)
  func `Each fate is reported in the table and in JSON`(
    _ fate: String, _ firmware: String, _ events: String
  ) throws {
    let bench = try Bench()
    try bench.write(Sample.inputs(firmware, events), "t.jsonl")
    let json = try bench.run("explain", "--json", "t.jsonl")
    let fates = try VerifyTests.values("fate", in: json)
    #expect(fates.contains(fate))
    let table = try bench.run("explain", "t.jsonl").output
    #expect(table.contains(" \(fate)"))
    #expect(table.contains("\(fates.count { $0 == fate }) \(fate)"))
    // A byte that was never taken has no time at which it was, and no command.
    let untaken = ["ring-full", "booting", "cleared", "waiting"]
    for line in json.lines where untaken.contains(where: { line.contains("\"\($0)\"") }) {
      #expect(line.contains("\"taken\": null"))
      #expect(line.hasSuffix("\"ended_scan\": false, \"command\": null}"))
    }
  }

  @Test func `A byte that ends a sweep is reported as such`() throws {
    let bench = try Bench()
    try bench.write(
      Sample.inputs("classic", "[1.5, \"rx\", \"L\"]", "[2, \"rx\", \"X10.\"]"), "t.jsonl")
    #expect(
      try VerifyTests.values("ended_scan", in: bench.run("explain", "--json", "t.jsonl"))
        .map { $0 == "1" || $0 == "true" } == [false, true, false, false, false])
    #expect(
      try bench.run("explain", "t.jsonl").lines.filter { $0.hasSuffix("ended the sweep") }.count
        == 1
    )
  }

  static let hints: [(String, String, String)] = [
    (
      "classic", "X100",
      "`X100` had no end: the sketch waits for one, and does nothing else until it comes"
    ),
    ("guarded", "X100", "`X100` had no end"),
    ("classic", "X45LX10.", "`X45` had no end; the `L` of the next command ended it and was lost"),
    ("guarded", "X4q", "`X4` had no end and was abandoned; what followed was not lost"),
    ("classic", "X181.", "`X181.` is over 180 and was ignored"),
    ("guarded", "X181.", "`X181.` is over 180 and was refused"),
    ("classic", "X.", "`X.` has no digits: that is 0, and the servo swings to 0 degrees"),
    ("classic", "X65536.", "`X65536.` wraps at 65 536 to 0"),
    ("buzzer", "X200.", "`X200.` is not checked: it became a pulse of"),
    ("guarded", "x90.", "capital letters"),
  ]

  @Test(arguments: hints)
  func `A hint explains what the sender probably meant and did not get`(
    _ firmware: String, _ bytes: String, _ hint: String
  ) throws {
    let bench = try Bench()
    try bench.write(Sample.inputs(firmware, "[1.5, \"rx\", \"\(bytes)\"]"), "t.jsonl")
    let output = try bench.run("explain", "t.jsonl").output
    let parts = output.components(
      separatedBy: "\nWhat the sender probably meant and did not get:\n")
    #expect(parts.count == 2)
    #expect(parts.last?.contains(hint) == true, "\(output)")
  }

  @Test(arguments: Firmware.allCases)
  func `A sender that got everything it asked for is given no hint`(_ firmware: Firmware) throws {
    let bench = try Bench()
    try bench.write(
      Sample.inputs(firmware.rawValue, "[1.5, \"rx\", \"X90.\"]", "[2, \"rx\", \"L\"]"), "t.jsonl")
    #expect(try !bench.run("explain", "t.jsonl").output.contains("probably meant"))
  }

  @Test func `Line ends after whole commands are not listed as not taken in any timing`() throws {
    let bench = try Bench()
    try bench.write(Sample.inputs("classic", "[1.5, \"rx\", \"X90.\\nX45.\\n\"]"), "t.jsonl")
    let output = try bench.run("explain", "t.jsonl", "--uncertainty", "2ms").output
    #expect(output.contains("every command was taken in all of them"), "\(output)")
    #expect(!output.contains("not understood"), "\(output)")
  }

  @Test func `The table has a line for each byte, and a sum`() throws {
    let bench = try Bench()
    try bench.write(Sample.inputs("classic", "[1.5, \"rx\", \"X90.\"]"), "t.jsonl")
    let lines = try bench.run("explain", "t.jsonl").lines
    #expect(lines.first == "  arrived      taken        byte  fate         command")
    #expect(lines[1] == "  1.501042     1.501045     X     letter       1")
    #expect(lines.contains("4 bytes: 1 letter, 2 digit, 1 terminator"))
  }
}
