import TestSupport
import Testing

/// `--profile` for a trace that has none.
@Suite("--profile", .ownThread)
struct ProfileOptionTests {
  /// `L` is a command of `classic`, but not of the profile.
  private static func bench() throws -> Bench {
    let bench = try Bench()
    try bench.write(
      """
      name: mine
      commands: ["X{pan:0..180}."]
      baud: 19200
      servos: {pan: D9}
      pins: {led: D12}

      """, "mine.yaml")
    try bench.write("- never: [junk]\n- servo pan: 45\n", "rules.yaml")
    let start = #"{"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 4"#
    let events = "[1.5, \"rx\", \"X45.\"]\n[1.52, \"servo\", 45, 1008]\n[2.0, \"rx\", \"L\"]\n"
    try bench.write("\(start)}\n\(events)", "t.jsonl")
    try bench.write("\(start), \"baud\": 9600}\n\(events)", "stated.jsonl")
    return bench
  }

  @Test func `The commands of a profile judge a trace`() throws {
    let bench = try Self.bench()
    let verify = ["verify", "t.jsonl", "--rules", "rules.yaml", "--tolerance", "1s"]
    #expect(try bench.run(verify + ["--profile", "classic"]).output.contains("no servo pan"))
    let outcome = try bench.run(verify + ["--profile", "mine.yaml"])
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("\"L\" is not a command of the profile"), "\(outcome)")
    let shrunk = try bench.run(
      "shrink", "t.jsonl", "--rules", "rules.yaml", "--profile", "mine.yaml", "-o", "small.jsonl")
    #expect(shrunk.status == 0, "\(shrunk)")
    #expect(shrunk.errors.contains("is not a command of the profile"), "\(shrunk)")
    let again = try bench.run("verify", "small.jsonl", "--rules", "rules.yaml")
    #expect(again.status == 1 && again.output.contains("of the profile"), "\(again)")
  }

  @Test func `A trace gets the profile's speed unless it has one, and its pins on the chip`() throws
  {
    let bench = try Self.bench()
    func header(_ arguments: String...) throws -> String {
      let outcome = try bench.run(["replay"] + arguments + ["--profile", "mine.yaml"])
      #expect(outcome.status == 0, "\(outcome)")
      return outcome.first
    }
    #expect(try header("t.jsonl").contains("\"baud\": 19200"))
    #expect(try header("t.jsonl").contains("\"profile\": {\"name\": \"mine\""))
    #expect(try header("stated.jsonl").contains("\"baud\": 9600"))
    #expect(try header("--send", "X45.").contains("\"baud\": 19200"))
    let device = "--device=avr:\(ChipProgram.sketch("classic"))"
    #expect(try header("--send", "X45.", device).contains("\"pins\": [\"D12\"]"))
    #expect(try header("t.jsonl", device).contains("\"pins\": [\"D12\"]"))
    #expect(try !header("t.jsonl").contains("\"pins\": ["))
  }
}
