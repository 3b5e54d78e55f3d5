import Foundation
import TestSupport
import Testing

/// A trace that lasts for years, by mistake or on purpose.
@Suite(.ownThread) struct LongSessionTests {
  /// It sweeps from 1.5 s on.
  private static let years = """
    {"format": "sentry-trace", "version": 1, "firmware": "classic"}
    [0.000197, "servo", 90, 1472]
    [1.500000, "rx", "L"]
    [999999999, "rx", "X90."]

    """
  private static let header = Sample.inputs("classic", duration: "999999999", #"[1.5, "rx", "L"]"#)
  private static let found =
    "error: expected a session of at most 86400 s, found 999999999 s (11574 days): a sweep of that "
    + "length is about 66 billion events, 2.5 TB of trace; "

  @Test(
    arguments: [
      ["replay", "t.jsonl"], ["replay", "t.jsonl", "-o", "out"], ["replay", "--pulses", "t.jsonl"],
      ["replay", "t.jsonl", "--servo", "sg90"], ["verify", "t.jsonl"],
      ["verify", "--update", "t.jsonl"],
      ["explain", "t.jsonl"], ["plot", "t.jsonl", "-o", "out"],
      ["run", "--pty", "port", "--expect", "t.jsonl", "--for", "10ms"],
    ], [(years, "t.jsonl:4:2: "), (header, "t.jsonl:1: ")])
  func `A command that would simulate each step of a long session asks first`(
    _ arguments: [String], _ trace: (text: String, place: String)
  ) throws {
    let bench = try Bench()
    try bench.write(trace.text, "t.jsonl")
    let program = try #require(Bench.program)
    let outcome = try bench.start(program, arguments).finish()
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix(trace.place + Self.found), "\(outcome.errors)")
    let remedy =
      switch arguments[0] {
      case "replay": "--until TIME replays a part of it, --allow-long all of it\n"
      case "run": "a live session cannot be judged by a longer one\n"
      default: "--allow-long accepts it\n"
      }
    #expect(outcome.errors.hasSuffix(remedy), "\(outcome.errors)")
    #expect(bench.names == ["t.jsonl"])
    #expect(try bench.read("t.jsonl") == trace.text)
  }

  @Test func `A long session on an emulated chip asks first too`() throws {
    let bench = try Bench()
    try bench.write(Self.years, "t.jsonl")
    let program = try #require(Bench.program)
    for command in ["replay", "verify"] {
      let outcome = try bench.start(
        program, [command, "--device", "avr:\(ChipProgram.sketch("classic"))", "t.jsonl"]
      ).finish()
      #expect(outcome.status == 64)
      #expect(outcome.errors.hasPrefix("t.jsonl:4:2: " + Self.found), "\(outcome.errors)")
    }
  }

  @Test func `A part of a long session is replayed, and all of it on request`() throws {
    let bench = try Bench()
    try bench.write(Self.years, "t.jsonl")
    let part = try bench.run("replay", "t.jsonl", "--until", "2s")
    #expect(part.status == 0 && part.lines.count > 20)
    // Nothing happens in this session, so its replay is quick.
    try bench.write(Self.years.replacing("\"L\"", with: "\"X45.\""), "t.jsonl")
    for command in ["replay", "verify", "explain"] {
      #expect(try bench.run(command, "t.jsonl").status == 64)
      let outcome = try bench.run(command, "--allow-long", "t.jsonl")
      #expect(outcome.errors == "" && outcome.status == (command == "verify" ? 1 : 0))
    }
    #expect(
      try bench.run("replay", "t.jsonl", "--summary").output.contains(#""seconds": 999999999,"#))
  }

  @Test func `A long session counts as one that could not be verified among others`() throws {
    let bench = try Bench()
    try bench.write(Self.years, "a.jsonl")
    try bench.write(Sample.good, "b.jsonl")
    let outcome = try bench.run("verify", "a.jsonl", "b.jsonl")
    #expect(outcome.status == 64)
    #expect(outcome.first.hasPrefix("1 of 2 traces agrees, 1 could not be verified"))
  }
}
