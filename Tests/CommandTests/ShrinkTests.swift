import Foundation
import TestSupport
import Testing

@Suite("shrink", .ownThread)
struct ShrinkTests {
  /// A session of `classic` in which a number without an end swallows the next command.
  private static let trace = """
    {"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 6}
    [1.600000, "rx", "X45."]
    [2.000000, "rx", "L"]
    [2.500000, "rx", "X100"]
    [2.700000, "rx", "X110."]
    [3.100000, "rx", "X50."]

    """
  private static let rules = "- never: [swallowed]\n"

  private static func bench() throws -> Bench {
    let bench = try Bench()
    try bench.write(trace, "t.jsonl")
    try bench.write(rules, "rules.yaml")
    try bench.write("hello\n", "bad.txt")
    return bench
  }

  @Test func `The smallest session breaks the rule, and its outputs are the device's`() throws {
    let bench = try Self.bench()
    for (exact, kept, sent) in [
      ([], "6 of 18 bytes and 1 of 5 events kept", "X100X."),
      (["--exact"], "2 of 18 bytes and 1 of 5 events kept", "XX"),
    ] {
      let outcome = try bench.run(
        ["shrink", "t.jsonl", "--rules", "rules.yaml", "-o", "small.jsonl"] + exact)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errors.contains(kept), "\(outcome)")
      #expect(try bench.script("grep -qF '\"\(sent)\"' small.jsonl").status == 0)
      #expect(try bench.run("verify", "small.jsonl").status == 0)
      #expect(try bench.run("verify", "small.jsonl", "--rules", "rules.yaml").status == 1)
    }
  }

  @Test(arguments: [
    ("t.jsonl --strict", 0), ("t.jsonl --against guarded --tolerance 20ms", 0),
    ("t.jsonl -- grep -q X100", 0), ("t.jsonl -- sh -c 'grep -q X100 {}'", 0),
    // It does not fail.
    ("t.jsonl --against classic", 1), ("t.jsonl -- false", 1),
    ("t.jsonl --timeout 50ms -- sh -c 'sleep 9'", 1),
    ("t.jsonl", 64), ("t.jsonl --strict --against guarded", 64), ("t.jsonl --strict -- true", 64),
    ("t.jsonl --strict -o t.jsonl", 64), ("t.jsonl --strict -o rules.yaml", 64),
    ("t.jsonl --against serial:/dev/null", 64), ("t.jsonl --strict --tolerance 1ms", 64),
    ("t.jsonl --strict --timeout 1s", 64), ("bad.txt --strict", 65), ("none.jsonl --strict", 66),
    ("t.jsonl --rules bad.txt", 65), ("t.jsonl --strict --device serial:/dev/null", 69),
    ("t.jsonl --strict -o /dev/full", 74),
    ("t.jsonl -- no-such-program", 127), ("t.jsonl -- sh -c no-such-program", 127),
  ])
  func `It ends with a status`(_ line: String, _ status: Int32) throws {
    let bench = try Self.bench()
    let before = bench.names
    let outcome = try bench.script("\"$BENCH\" shrink \(line)")
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.output.isEmpty == (status != 0), "\(outcome)")
    #expect(bench.names == before)
  }

  @Test func `A signal ends the search, and what was found is written`() throws {
    let bench = try Self.bench()
    // The command itself interrupts the search when it has seen a smaller session.
    let outcome = try bench.script(
      """
      set -m
      "$BENCH" shrink t.jsonl -o small.jsonl -- sh -c '
        grep -q X100 {} || exit 1
        if grep -q X45 {}; then exit 0; fi
        kill -INT $(cat pid); sleep 9' &
      echo $! >pid
      wait $!
      """)
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.errors.contains("the search was not finished"), "\(outcome)")
    #expect(try bench.script("grep -q X100 small.jsonl").status == 0)
  }

  @Test func `A failing scenario states the command that shrinks its session`() throws {
    let bench = try Self.bench()
    try bench.write(
      """
      name: it's cut
      firmware: classic
      send: [[1.5, "X45."], [2, "X100"], [2.2, "X110."]]
      expect:
        - never: [swallowed]

      """, "cut.yaml")
    let outcome = try bench.run("test", "cut.yaml", "--artifacts", "failed")
    #expect(outcome.status == 1, "\(outcome)")
    let line = try #require(outcome.lines.first { $0.contains("sentrybench shrink ") })
    let command = try #require(line.split(separator: ": ").last)
    let script = command.replacing("sentrybench", with: "\"$BENCH\"", maxReplacements: 1)
    let shrunk = try bench.script(String(script))
    #expect(shrunk.status == 0, "\(shrunk)")
    #expect(try bench.script("grep -q X100X small.jsonl").status == 0)
  }
}
