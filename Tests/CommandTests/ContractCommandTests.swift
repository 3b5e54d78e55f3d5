import TestSupport
import Testing

@Suite("contract", .ownThread)
struct ContractCommandTests {
  @Test func `It prints the figures, and writes rules and a session for each figure`() throws {
    let bench = try Bench()
    try bench.write("mine\n", "kept.yaml")
    let outcome = try bench.run(
      "contract", "--firmware", "buzzer", "--rules", "rules.yaml", "--witnesses", "shown",
      "--budget", "0")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.first == "buzzer on model:")
    let listed = try bench.script("cd shown && ls && \"$BENCH\" verify -q .")
    #expect(listed.status == 0, "\(listed)")
    #expect(listed.lines.contains("deaf.jsonl"), "\(listed)")

    // A sender that is too fast for a tone breaks the rules; one that keeps the gap does not.
    for (gap, status) in [(0, Int32(1)), (20, 0)] {
      let aims = (0..<200).map { index in
        let milliseconds = 2_000 + index * (6 + gap)
        let part = String(1_000 + milliseconds % 1_000).dropFirst()
        return "[\(milliseconds / 1_000).\(part), \"rx\", \"X\(100 + index % 2).\"]"
      }
      let head = "{\"format\": \"sentry-trace\", \"version\": 1, \"firmware\": \"buzzer\"}\n"
      try bench.write(head + aims.joined(separator: "\n") + "\n", "sent.jsonl")
      let judged = try bench.script(
        "\"$BENCH\" replay sent.jsonl -o r.jsonl && \"$BENCH\" verify r.jsonl --rules rules.yaml")
      #expect(judged.status == status, "\(judged)")
    }
  }

  @Test(arguments: [
    ("--firmware classic --json --budget 0", 0), ("--rules kept.yaml", 64),
    ("--device nothing", 64), ("--firmware buzzer --budget 1ms", 124), ("--budget -1s", 64),
    ("--profile none.yaml", 66), ("--device serial:/dev/null", 69),
    ("--profile kept.yaml", 65), ("--profile letters.yaml", 1), ("--profile none", 1),
  ])
  func `It ends with a status`(_ line: String, _ status: Int32) throws {
    let bench = try Bench()
    try bench.write("mine\n", "kept.yaml")
    try bench.write("name: letters\ncommands:\n  - \"F\"\n", "letters.yaml")
    let outcome = try bench.script("\"$BENCH\" contract \(line)")
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.output.hasPrefix("{") == (status == 0), "\(outcome)")
    // A long list is not cut.
    #expect(outcome.output.hasSuffix("]}\n") == (status == 0), "\(outcome)")
    #expect(outcome.output.contains("not measured") == (status == 124), "\(outcome)")
    #expect(outcome.errors.contains("--budget 0 is no limit") == (status == 124), "\(outcome)")
    #expect(bench.names.sorted() == ["kept.yaml", "letters.yaml"])
  }
}
