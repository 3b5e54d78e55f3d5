import Foundation
import Platform
import TestSupport
import Testing

@Suite("Bad input", .ownThread)
struct BadInputTests {
  static let lines = Sample.good.split(separator: "\n")
  static let reversed = ([lines[0]] + lines.dropFirst().reversed()).joined(separator: "\n") + "\n"

  static let files: [(String, String)] = [
    ("", ":1:1: error: expected a header, found an empty file"),
    ("\n", ":1:1: error: expected a header, which starts with '{'"),
    (String(Sample.good.dropLast(10)), ":4:21: error: expected"),
    (String(Sample.header.dropLast(5)), ":1:"),
    (reversed, ":3:2: error: expected a time that is not before the last event's"),
    (
      lines.reversed().joined(separator: "\n"),
      ":1:1: error: expected a header, which starts with '{', found '['"
    ),
    (
      "\u{0}\u{1}\u{2}ELF",
      ":1:1: error: expected a header, which starts with '{', found the byte 0x00"
    ),
    ("<html>\n", ":1:1: error: expected a header, which starts with '{', found '<'"),
    (
      Sample.good.replacing("\"version\": 1", with: "\"version\": 2"),
      "found format \"sentry-trace\" version 2"
    ),
    (
      Sample.header + "\n[1.5, \"reset\", 9223372036.5]\n",
      ":2:16: error: expected less than 1 000 000 000 seconds"
    ),
  ]

  @Test(
    arguments: files,
    ["replay", "verify", "explain"])
  func `Each command refuses an invalid trace with 65 and the place`(
    _ file: (String, String), _ command: String
  ) throws {
    let bench = try Bench()
    try bench.write(file.0, "t.jsonl")
    let outcome = try bench.run(command, "t.jsonl")
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("t.jsonl"))
    #expect(outcome.errors.contains(file.1), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: ["replay", "verify", "explain"])
  func `Bytes that are not text are refused`(_ command: String) throws {
    let bench = try Bench()
    try Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 129) }).write(
      to: bench.folder.appendingPathComponent("t.jsonl"))
    #expect(try bench.run(command, "t.jsonl").status == 65)
  }

  @Test(arguments: ["replay", "verify", "explain"])
  func `A line over 16 MiB is refused with its number`(_ command: String) throws {
    let bench = try Bench()
    let text =
      Array("\(Sample.header)\n[1.5, \"x-a\", \"".utf8) + [UInt8](repeating: 0x61, count: 17 << 20)
    try Data(text).write(to: bench.folder.appendingPathComponent("t.jsonl"))
    let outcome = try bench.run(command, "t.jsonl")
    #expect(outcome.status == 65)
    #expect(outcome.errors == "t.jsonl:2:16777216: error: expected the line's end within 16 MiB\n")
  }

  @Test(
    arguments: ["replay", "explain"],
    ["sub", "none", "t.jsonl/none"])
  func `A folder or a missing file is not accepted as input`(_ command: String, _ path: String)
    throws
  {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    try bench.write("", "sub/x")
    let outcome = try bench.run(command, path)
    #expect(outcome.status == 66)
    #expect(outcome.errors.hasPrefix("\(path): error: "))
    #expect(outcome.output.isEmpty)
  }

  @Test(
    .enabled(if: geteuid() != 0, "root may read everything"),
    arguments: ["replay", "verify", "explain"])
  func `An unreadable file ends with status 74`(_ command: String) throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: bench.path("t.jsonl"))
    let outcome = try bench.run(command, "t.jsonl")
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("t.jsonl: error: cannot be read"))
  }

  @Test(arguments: ["a b.jsonl", "-x.jsonl", "塔\n🎯.jsonl", "%s%n.jsonl"])
  func `Names with spaces, newlines and other scripts work like any other`(_ name: String) throws {
    let bench = try Bench()
    try bench.write(Sample.good, name)
    #expect(try bench.run("verify", "./" + name).status == 0)
    #expect(try bench.run("replay", "./" + name, "-o", "./o" + name).status == 0)
    #expect(Set(bench.names) == [name, "o" + name])
  }
}
