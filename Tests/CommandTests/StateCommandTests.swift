import Foundation
import Platform
import Sketches
import TestSupport
import Testing
import Traces

/// `replay --until`, `--save-state`, `--from-state` and `--timing`.
@Suite(.ownThread) struct StateCommandTests {
  private static let sweep = Sample.inputs(
    "classic", #"[1.5, "rx", "X45.L"]"#, #"[2.5, "mark", "a note"]"#, #"[2.5, "rx", "X90."]"#)

  private static func events(_ outcome: Bench.Outcome) -> [Substring] {
    Array(outcome.lines.dropFirst())
  }

  // StateTests has parts that end at any instant.
  @Test(arguments: [
    (["1.504224s", "1.7s", "2.5s", "2999999us", "3s"], []), (["1.5s", "2.5s"], ["--pulses"]),
  ])
  func `Two parts equal the whole`(_ ends: [String], _ options: [String]) throws {
    let bench = try Bench()
    try bench.write(Self.sweep, "t.jsonl")
    func replay(_ arguments: String...) throws -> Bench.Outcome {
      let program = try #require(Bench.program)
      return try bench.start(program, ["replay", "t.jsonl"] + arguments + options).finish()
    }
    let whole = try replay()
    #expect(whole.status == 0)
    for until in ends {
      let first = try replay("--until", until, "--save-state", "s.json")
      let rest = try replay("--from-state", "s.json")
      #expect([first.status, rest.status] == [0, 0], "\(until): \(first.errors)\(rest.errors)")
      #expect(Self.events(first) + Self.events(rest) == Self.events(whole), "\(until)")
      #expect(rest.first.contains(#""start": "unknown""#) && rest.first.contains(#""from": "#))
      #expect(try bench.read("s.json").split(separator: "\n").count == 1)
      // Both are valid traces.
      try bench.write(first.output, "first.jsonl")
      #expect(try bench.run("verify", "--tolerance", "0us", "first.jsonl").status == 0, "\(until)")
      try bench.write(rest.output, "rest.jsonl")
      let again = try bench.run(
        "replay", "rest.jsonl", "--from-state", "s.json", options.isEmpty ? "-q" : "--pulses")
      #expect(Self.events(again) == Self.events(rest), "\(until)")
    }
  }

  @Test func `States can follow each other, and a summary counts the rest`() throws {
    let bench = try Bench()
    try bench.write(Self.sweep, "t.jsonl")
    let whole = try bench.run("replay", "t.jsonl")
    var parts: [Substring] = []
    parts += Self.events(
      try bench.run("replay", "t.jsonl", "--until", "1.6s", "--save-state", "1.json"))
    parts += Self.events(
      try bench.run(
        "replay", "t.jsonl", "--from-state", "1.json", "--until", "2.6s", "--save-state", "2.json"))
    parts += Self.events(try bench.run("replay", "t.jsonl", "--from-state", "2.json"))
    #expect(parts == Self.events(whole))
    #expect(
      try bench.run("replay", "t.jsonl", "--from-state", "2.json", "--summary").output
        == #"{"seconds": 0.4, "events": 0, "servo": 0, "angle": null, "lost": 0}"# + "\n")
    let first = try bench.run(
      "replay", "t.jsonl", "--until", "1.6s", "--summary", "--save-state", "s.json")
    #expect(first.output.hasPrefix(#"{"seconds": 1.6, "events": 8, "servo": 8, "angle": 51,"#))
    #expect(try bench.read("s.json") == bench.read("1.json"))
  }

  @Test func `Another trace continues from a state, and its earlier events are left out`() throws {
    let bench = try Bench()
    try bench.write(Self.sweep, "t.jsonl")
    _ = try bench.run("replay", "t.jsonl", "--until", "1.7s", "--save-state", "s.json", "-q")
    let fork = Sample.inputs("classic", #"[1.6, "rx", "X1."]"#, #"[1.8, "rx", "X10."]"#)
    let outcome = try bench.run("replay", "-", "--from-state", "s.json", input: fork)
    #expect(!outcome.output.contains("X1.\""))
    #expect(outcome.lines.dropFirst().first?.hasPrefix("[1.70") == true)
    #expect(outcome.lines.last?.contains(#""servo", 10, "#) == true)
  }

  @Test(arguments: [
    (["--save-state", "s"], "--save-state requires --until"),
    (["--until", "1.0000005s"], "whole microseconds"),
    (["--until", "4s"], "--until is after the trace's end, which is at 3 s"),
    (["--from-state", "s.json", "--until", "1s"], "--until is not after the state"),
    (["--from-state", "s.json", "--servo", "sg90"], "a state contains no shaft"),
    (["--from-state", "s.json", "--timing", "x"], "a state has its own timing"),
    (["--until", "2s", "--save-state", "-"], "require two different files"),
    (
      ["--device", "serial:/dev/none", "--until", "2s", "--save-state", "s"],
      "the state of a board can be neither read nor restored"
    ),
    (["--device", "serial:/dev/none", "--timing", "x"], "--timing requires the model"),
  ])
  func `Meaningless options are wrong usage`(_ arguments: [String], _ message: String) throws {
    let bench = try Bench()
    try bench.write(Self.sweep, "t.jsonl")
    _ = try bench.run("replay", "t.jsonl", "--until", "1.5s", "--save-state", "s.json")
    let program = try #require(Bench.program)
    let outcome = try bench.start(program, ["replay", "t.jsonl"] + arguments).finish()
    #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(bench.names == ["s.json", "t.jsonl"])
  }

  @Test func `A state that does not fit is refused with its name`() throws {
    let bench = try Bench()
    try bench.write(Self.sweep, "t.jsonl")
    _ = try bench.run("replay", "t.jsonl", "--until", "1.5s", "--save-state", "s.json")
    let state = try bench.read("s.json")
    let damages: [(old: String, new: String, message: String)] = [
      ("sentry-state", "sentry-trace", "expected format \"sentry-state\" version 4"),
      (#""version": 4"#, #""version": 2"#, "save the state again with this version"),
      (
        #""device", "model""#, #""device", "avr""#, "s.json: error: the file is damaged, or another"
      ),
      (#""sent", "#, #""send", "#, "s.json: error: the file is damaged, or another build has"),
      ("{", "[", "s.json:1:"),
    ]
    for damage in damages {
      let damaged = state.replacing(damage.old, with: damage.new, maxReplacements: 1)
      try bench.write(damaged, "s.json")
      let outcome = try bench.run("replay", "t.jsonl", "--from-state", "s.json")
      #expect(outcome.status == 65, "\(damage)")
      #expect(outcome.errors.hasPrefix("s.json:") && outcome.errors.contains(damage.message))
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test func `A missing state is invalid input, and one that cannot be written ends with 74`()
    throws
  {
    let bench = try Bench()
    try bench.write(Self.sweep, "t.jsonl")
    let missing = try bench.run("replay", "t.jsonl", "--from-state", "none.json")
    #expect(missing.status == 66 && missing.errors.hasPrefix("none.json: error: cannot be opened"))
    let folder = try bench.run("replay", "t.jsonl", "--from-state", ".")
    #expect(folder.status == 66 && folder.errors.contains("expected a state, found a folder"))
    let unwritable = try bench.run(
      "replay", "t.jsonl", "--until", "2s", "--save-state", "none/s.json")
    #expect(unwritable.status == 74 && unwritable.output.isEmpty)
  }

  @Test func `A timing from a file is the model's timing`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    try bench.write(ClassicSketch.measuredTiming.text, "same.json")
    #expect(
      try bench.run("replay", "t.jsonl", "--timing", "same.json")
        == bench.run("replay", "t.jsonl"))
    var slow = ClassicSketch.measuredTiming
    slow.angleWrite = .microseconds(1_054)
    try bench.write(slow.text, "slow.json")
    #expect(
      try bench.run("replay", "t.jsonl", "--timing", "slow.json").output.contains(
        #"[1.505224, "servo", 45, 1008]"#))
    #expect(try bench.run("verify", "t.jsonl", "--timing", "same.json").status == 0)
    #expect(try bench.run("verify", "t.jsonl", "--timing", "slow.json").status == 1)
    for command in ["replay", "verify", "explain", "plot"] {
      try bench.write("{\n  \"step\": -1\n}\n", "bad.json")
      let bad = try bench.run(command, "t.jsonl", "--timing", "bad.json")
      #expect(bad.status == 65 && bad.errors.hasPrefix("bad.json:2:11: error: "), "\(bad.errors)")
      #expect(try bench.run(command, "t.jsonl", "--timing", "none").status == 66)
    }
  }
}
