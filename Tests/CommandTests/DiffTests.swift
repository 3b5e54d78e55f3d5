import Foundation
import TestSupport
import Testing

@Suite("diff", .ownThread)
struct DiffTests {
  static func bench() throws -> Bench {
    let bench = try Bench()
    try bench.write(Sample.good, "good.jsonl")
    try bench.write(Sample.bad, "bad.jsonl")
    try bench.write(Sample.late, "late.jsonl")
    try bench.write(Sample.header + "\n", "empty.jsonl")
    return bench
  }

  static let table: [(String, Int32, String)] = [
    ("good.jsonl good.jsonl", 0, "good.jsonl: agrees: 2 events, at most 0 us off"),
    (
      "good.jsonl bad.jsonl", 1,
      "good.jsonl:4: error: expected servo 45 (1008 us) at 1.504224 s, found servo 46 (1018 us) at 1.504224 s"
    ),
    (
      "bad.jsonl good.jsonl", 1,
      "bad.jsonl:4: error: expected servo 46 (1018 us) at 1.504224 s, found servo 45 (1008 us) at 1.504224 s"
    ),
    (
      "good.jsonl late.jsonl", 1,
      "good.jsonl:4: error: servo 45 (1008 us) came 1 ms late: expected at 1.504224 s, found at 1.505224 s (tolerance 200 us)"
    ),
    (
      "late.jsonl good.jsonl --tolerance 1ms", 0,
      "late.jsonl: agrees: 2 events, at most 1 ms off"
    ),
    (
      "late.jsonl good.jsonl --tolerance 999us", 1,
      "late.jsonl:4: error: servo 45 (1008 us) came 1 ms early: expected at 1.505224 s, found at 1.504224 s (tolerance 999 us)"
    ),
    (
      "good.jsonl empty.jsonl", 1,
      "good.jsonl:2: error: expected servo 90 (1472 us) at 0.000197 s, found none"
    ),
    (
      "empty.jsonl good.jsonl", 1,
      "empty.jsonl:1: error: expected no servo event here, found servo 90 (1472 us) at 0.000197 s"
    ),
    (
      "empty.jsonl empty.jsonl", 1,
      "empty.jsonl: error: undecided: there is nothing to compare: neither trace has outputs"
    ),
    ("-q good.jsonl bad.jsonl", 1, ""),
  ]

  @Test(arguments: table)
  func `The first trace is the expected one, and the second the actual one`(
    _ line: String, _ status: Int32, _ first: String
  ) throws {
    let outcome = try Self.bench().script("\"$BENCH\" diff \(line)")
    #expect(outcome.status == status)
    #expect(outcome.first == first)
  }

  @Test(arguments: [("good.jsonl", "agrees", 0), ("late.jsonl", "disagrees", 1)])
  func `With --json the result is one object`(_ found: String, _ verdict: String, _ status: Int)
    throws
  {
    let outcome = try Self.bench().run("diff", "--json", "good.jsonl", found)
    #expect(outcome.lines.count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["verdict"] as? String == verdict)
    #expect(object["status"] as? Int == status)
    #expect(object["moved"] as? Int == status)
    #expect((object["divergence"] != nil) == (status == 1))
  }

  @Test func `Inputs and notes make no difference`() throws {
    let bench = try Self.bench()
    try bench.write(
      Sample.good.replacing("\"rx\", \"X45.\"", with: "\"mark\", \"other\""), "other.jsonl")
    #expect(try bench.run("diff", "good.jsonl", "other.jsonl").status == 0)
  }
}
