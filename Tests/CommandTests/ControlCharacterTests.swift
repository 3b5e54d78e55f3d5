import Foundation
import TestSupport
import Testing

/// No printed text can move the cursor, reverse the writing direction or fill the screen, whatever
/// its source.
@Suite(.ownThread) struct ControlCharacterTests {
  /// Sets a terminal's window title, clears its screen and reverses the writing direction.
  private static let evil = "\u{1B}]0;a\u{7}\u{9B}2J\u{202E}b"
  private static let plain = "\\u001b]0;a\\u0007\\u009b2J\\u202eb"

  private static func expectPlain(_ outcome: Bench.Outcome) {
    for text in [outcome.output, outcome.errors] {
      let active = text.unicodeScalars.filter {
        $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
      }
      #expect(active.isEmpty, "\(text.debugDescription)")
    }
  }

  @Test(
    arguments: [
      (["replay", evil], 66), (["verify", evil], 66), (["explain", "a\n\(evil)"], 66),
      (["replay", "--send", "L", "--device", evil], 64),
      (["replay", "--send", "L", "--for", evil], 64),
      (["calibrate", evil], 66), (["--\(evil)"], 64), ([evil], 64),
      (["run", "--baud", "a\n\(evil)"], 64),
      (["gateway", "--listen", evil], 64), (["gateway", "--token-file", evil], 66),
      (["follow", evil], 64), (["replay", "--send", "L", "--timing", evil], 66),
      (["aim", evil, "--to", "-"], 66), (["run", "-q", "--for", "10ms", "--", evil], 127),
    ] as [([String], Int32)])
  func `An error shows typed control characters in readable form`(
    arguments: [String], status: Int32
  ) throws {
    let bench = try Bench()
    let program = try #require(Bench.program)
    let outcome = try bench.start(
      program, arguments, environment: ["XDG_RUNTIME_DIR": bench.folder.path]
    ).finish()
    #expect(outcome.status == status, "\(outcome.errors)")
    Self.expectPlain(outcome)
    #expect(outcome.errors.contains(Self.plain), "\(outcome.errors)")
    if status == 66 { #expect(outcome.errors.split(separator: "\n").count == 1) }
  }

  @Test(arguments: [["verify", "-v"], ["diff"], ["explain"]])
  func `A report shows the name of a file in readable form`(_ command: [String]) throws {
    let bench = try Bench()
    let program = try #require(Bench.program)
    let names = command == ["diff"] ? ["\(Self.evil)1", "x2"] : ["\(Self.evil)1"]
    try bench.write(Sample.good, "\(Self.evil)1")
    try bench.write(Sample.bad, "x2")
    let outcome = try bench.start(program, command + names).finish()
    Self.expectPlain(outcome)
    if command != ["explain"] { #expect(outcome.output.hasPrefix(Self.plain), "\(outcome.output)") }
  }

  @Test func `A state that contains control characters is refused in one line`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    _ = try bench.run("replay", "t.jsonl", "--until", "1.5s", "--save-state", "s.json", "-q")
    let state = try bench.read("s.json")
    for (old, message) in [
      ("sentry-state", "s.json: error: expected format"), ("model", "s.json: error: the file is "),
    ] {
      let damaged = state.replacing(old, with: #"\u001b]0;a\u0007"#)
      #expect(damaged != state)
      try bench.write(damaged, "s.json")
      let outcome = try bench.run("replay", "t.jsonl", "--from-state", "s.json")
      #expect(outcome.status == 65 && outcome.errors.hasPrefix(message))
      Self.expectPlain(outcome)
    }
  }

  @Test func `An event of thousands of bytes is shortened in a report`() throws {
    let bench = try Bench()
    let bytes = String(repeating: "\\u001b", count: 3_000)
    try bench.write(
      Sample.bad.replacing("[1.504", with: "[1.500000, \"rx\", \"\(bytes)\"]\n[1.504"), "t.jsonl")
    let outcome = try bench.run("verify", "t.jsonl")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("[1.500000, \"rx\", \"\\u001b\\u001b"))
    #expect(outcome.lines.allSatisfy { $0.count < 300 })
    Self.expectPlain(outcome)
  }

  @Test(arguments: [
    ["replay", "--send", "L", "--device"], ["aim", "x", "--to", "-", "--rate"],
    ["gateway", "--listen"],
    ["replay"],
  ])
  func `No line of an error is longer than 1 000 characters`(_ arguments: [String]) throws {
    let program = try #require(Bench.program)
    let bench = try Bench()
    let outcome = try bench.start(
      program, arguments + [String(repeating: "x", count: 20_000)]
    ).finish()
    #expect(outcome.status != 0)
    #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.count <= 1_000 })
    #expect(outcome.errors.contains("xxx...xxx"))
  }
}
