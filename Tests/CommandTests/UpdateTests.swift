import Foundation
import TestSupport
import Testing

@Suite("verify --update", .ownThread)
struct UpdateTests {
  private func permissions(_ bench: Bench, _ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: bench.path(name))[.posixPermissions] as? Int
  }

  @Test func `A trace that disagrees is rewritten and verifies, and others are unchanged`() throws {
    let bench = try Bench()
    // Agrees, but is not in canonical form, so that rewriting it would show.
    let messy = Sample.good.replacing("[1.500000, \"rx\"", with: "[1.5,\"rx\"")
    try bench.write(messy, "good.jsonl")
    try bench.write(
      Sample.bad.replacing(
        "[1.500000, \"rx\"", with: "[1.0, \"mark\", \"m\"]\n[1.2,\"x-a\",1]\n[1.500000, \"rx\""),
      "bad.jsonl")
    let outcome = try bench.run("verify", "--update", ".")
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "./bad.jsonl: updated: 1 kept, 0 moved, 1 removed, 1 added")
    #expect(outcome.output.contains("1 of 2 traces agrees, 1 updated"))
    #expect(try bench.read("good.jsonl") == messy)
    let lines = try bench.read("bad.jsonl").split(separator: "\n")
    #expect(lines[0] == Sample.header[...])
    #expect(
      lines[2...4] == [
        "[1.000000, \"mark\", \"m\"]", "[1.200000, \"x-a\", 1]", "[1.500000, \"rx\", \"X45.\"]",
      ])
    #expect(lines[5].hasSuffix(", \"servo\", 45, 1008]"))
    #expect(try bench.run("verify", "--tolerance", "0us", "bad.jsonl").status == 0)
    #expect(bench.names == ["bad.jsonl", "good.jsonl"])
  }

  @Test func `A second update changes nothing`() throws {
    let bench = try Bench()
    try bench.write(Sample.bad, "t.jsonl")
    #expect(try bench.run("verify", "--update", "t.jsonl").status == 0)
    let once = try bench.read("t.jsonl")
    #expect(try bench.run("verify", "--update", "t.jsonl").output.hasPrefix("1 trace agrees"))
    #expect(try bench.read("t.jsonl") == once)
  }

  @Test(arguments: [0o600, 0o640, 0o664, 0o666, 0o755])
  func `The permissions are kept, whatever the umask`(_ mode: Int) throws {
    let bench = try Bench()
    try bench.write(Sample.bad, "t.jsonl")
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: bench.path("t.jsonl"))
    #expect(try bench.script("umask 077; \"$BENCH\" verify --update t.jsonl").status == 0)
    #expect(try permissions(bench, "t.jsonl") == mode)
    #expect(try bench.read("t.jsonl") != Sample.bad)
  }

  @Test func `A trace without outputs is given the device's outputs`() throws {
    let bench = try Bench()
    try bench.write(Sample.inputs("buzzer", "[1.5, \"rx\", \"T\"]"), "t.jsonl")
    #expect(try bench.run("verify", "--update", "t.jsonl").status == 0)
    #expect(try bench.read("t.jsonl").contains("\"tone\", 800]"))
    #expect(try bench.run("verify", "--tolerance", "0us", "t.jsonl").status == 0)
  }

  @Test func `Only the kinds that a trace has or expects are written`() throws {
    let bench = try Bench()
    try bench.write(
      Sample.inputs("buzzer", "[0.5, \"servo\", 1, 555]", "[1.5, \"rx\", \"TX45.\"]"), "has.jsonl")
    #expect(try bench.run("verify", "--update", "has.jsonl").status == 0)
    #expect(try bench.read("has.jsonl").contains("\"servo\", 45"))
    #expect(try !bench.read("has.jsonl").contains("\"tone\""))
    try bench.write(
      "\(Sample.header.dropLast()), \"expects\": [\"servo\", \"pulse\"]}\n", "expects.jsonl")
    #expect(try bench.run("verify", "--update", "expects.jsonl").status == 0)
    #expect(try bench.read("expects.jsonl").contains("\"pulse\""))
  }

  @Test
  func `An unreadable trace is left alone, standard input is refused, the rest is updated`() throws
  {
    let bench = try Bench()
    try bench.write(Sample.broken, "broken.jsonl")
    try bench.write(Sample.bad, "t.jsonl")
    #expect(try bench.run("verify", "--update", "broken.jsonl", "t.jsonl").status == 65)
    #expect(try bench.read("broken.jsonl") == Sample.broken)
    #expect(try bench.run("verify", "t.jsonl").status == 0)
    let pipe = try bench.run("verify", "--update", "-", input: Sample.bad)
    #expect(pipe.status == 74)
    #expect(pipe.errors == "-: error: cannot be updated: it is not a file\n")
    #expect(try bench.run("verify", "--update", "-", input: Sample.good).status == 0)
  }
}
