import TestSupport
import Testing

/// The conversion of other tools' recordings, by the program.
@Suite("convert", .ownThread) struct ConvertTests {
  /// A number without its terminator, as socat logs it.
  private static let log = """
    > 2026/01/01 10:00:00.100000  length=4 from=0 to=3
     58 31 30 30                                      X100
    --
    > 2026/01/01 10:00:00.300000  length=5 from=4 to=8
     58 31 31 30 2e                                   X110.
    --

    """

  @Test func `A recording becomes a canonical trace, from a file and from a pipe`() throws {
    let bench = try Bench()
    try bench.write(Self.log, "socat.log")
    let converted = try bench.run("convert", "socat.log", "-o", "field.jsonl")
    #expect(converted.status == 0 && converted.output.isEmpty, "\(converted)")
    let trace = try bench.read("field.jsonl")
    #expect(trace.hasSuffix("[0.000000, \"rx\", \"X100\"]\n[0.200000, \"rx\", \"X110.\"]\n"))
    let piped = try bench.run("convert", "-q", "-", input: Self.log)
    #expect(piped == Bench.Outcome(status: 0, output: trace, errors: ""))
    // A canonical trace is replayed as it is.
    let replayed = try bench.run("replay", "-q", "field.jsonl")
    #expect(replayed.output.contains("[0.200000, \"rx\", \"X110.\"]\n"))
  }

  @Test func `What was assumed is reported on standard error, unless it is unwanted`() throws {
    let bench = try Bench()
    try bench.write(Self.log, "socat.log")
    for arguments in [["convert"], ["explain"]] {
      let loud = try bench.script("$BENCH \(arguments[0]) socat.log >/dev/null")
      #expect(loud.errors.contains("socat.log: a socat log, "), "\(loud)")
      #expect(loud.errors.contains("assumed to be classic"), "\(loud)")
      let quiet = try bench.script("$BENCH \(arguments[0]) -q socat.log >/dev/null")
      #expect(quiet.errors.isEmpty, "\(quiet)")
    }
  }

  @Test(arguments: ["explain -q", "replay -q", "plot -q"])
  func `A command that takes a trace takes a recording`(_ command: String) throws {
    let bench = try Bench()
    try bench.write(Self.log, "socat.log")
    let outcome = try bench.script(
      """
      $BENCH convert -q socat.log -o field.jsonl
      cp socat.log field.log
      $BENCH \(command) field.jsonl | sed 's/field.jsonl/field/' >one
      $BENCH \(command) field.log | sed 's/field.log/field/' >two
      cmp one two && test -s one
      """)
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `A file that is neither a trace nor a recording is refused with the kinds`() throws {
    let bench = try Bench()
    let outcome = try bench.run("replay", "-", input: "hello\n")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix(
        "-:1:1: error: expected a header, which starts with '{', found 'h'; nor does it begin as a "
          + "recording of a known kind; if it is one of these, choose it with --from: sr, "))
  }

  @Test func `A damaged recording is refused with its own line`() throws {
    let bench = try Bench()
    let cut = Self.log.replacing("58 31 30 30", with: "58 3x 30 30")
    for command in ["convert", "explain"] {
      let outcome = try bench.run(command, "-", input: cut)
      #expect(outcome.status == 65, "\(outcome)")
      #expect(outcome.errors.hasPrefix("-:"), "\(outcome)")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test func `A trace on a pipe is not delayed by the look for a recording`() throws {
    let bench = try Bench()
    // The pipe stays open until the first output has been seen.
    let outcome = try bench.script(
      """
      mkfifo events
      $BENCH replay - <events >out &
      exec 3>events
      printf '%s\\n' '{"format": "sentry-trace", "version": 1}' >&3
      until test -e header; do
        printf '[1, "mark", "a"]\\n' >&3
        if test -s out; then touch header; fi
      done
      exec 3>&-
      wait
      """)
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `distil writes a test that the sketch fails and guarded passes`() throws {
    let bench = try Bench()
    try bench.write(Self.log, "socat.log")
    let distilled = try bench.run("distil", "socat.log", "-o", "late-dot.jsonl")
    #expect(distilled.status == 0, "\(distilled)")
    #expect(distilled.errors.contains("classic fails this test: "), "\(distilled)")
    #expect(try bench.run("verify", "late-dot.jsonl").status == 1)
    #expect(try bench.run("verify", "--firmware", "guarded", "late-dot.jsonl").status == 0)
  }

  @Test func `distil writes nothing if nothing went wrong`() throws {
    let bench = try Bench()
    let fine = Self.log.replacing("31 30 30 ", with: "39 30 2e ")
    let outcome = try bench.run("distil", "-", "-o", "none.jsonl", input: fine)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("nothing went wrong"), "\(outcome)")
    #expect(bench.names.isEmpty)
  }
}
