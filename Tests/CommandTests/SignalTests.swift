import Foundation
import Platform
import TestSupport
import Testing

@Suite("Signals and FIFOs", .ownThread)
struct SignalTests {
  static let signals: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143)]

  /// Waits until the condition holds. Returns false after ten seconds.
  static func wait(until condition: () -> Bool) -> Bool {
    for _ in 0..<1_000 {
      if condition() { return true }
      usleep(10_000)
    }
    return false
  }

  @Test(arguments: signals)
  func `A signal removes the unfinished file and leaves the old one`(
    _ number: Int32, _ status: Int32
  ) throws {
    let bench = try Bench()
    try bench.write(Sample.late, "out.jsonl")
    #expect(mkfifo(bench.path("fifo"), 0o600) == 0)
    // Opened for reading too, so that opening does not wait, and kept open, so that the trace never
    // ends.
    let fifo = open(bench.path("fifo"), O_RDWR)
    #expect(fifo >= 0)
    defer { close(fifo) }
    let text = Array(Sample.good.utf8)
    #expect(put(fifo, text) == text.count)
    let program = try #require(Bench.program)
    let running = try bench.start(program, ["replay", "fifo", "-o", "out.jsonl"])
    #expect(Self.wait { bench.names.contains { $0.hasSuffix(".part") } })
    #expect(kill(running.identifier, number) == 0)
    let outcome = try running.finish(within: 20)
    #expect(outcome.status == status)
    #expect(outcome.output.isEmpty)
    #expect(bench.names == ["fifo", "out.jsonl"])
    #expect(try bench.read("out.jsonl") == Sample.late)
  }

  @Test func `What a killed command has left is removed by the next one that writes that file`()
    throws
  {
    let bench = try Bench()
    try bench.write(Sample.good, "good.jsonl")
    let program = try #require(Bench.program)
    var drafts: [String] { bench.names.filter { $0.hasSuffix(".part") } }
    var fifos: [CInt] = []
    defer { for fifo in fifos { close(fifo) } }
    /// Starts a command that waits for the rest of its trace.
    func begin(_ name: String, into output: String) throws -> Bench.Running {
      #expect(mkfifo(bench.path(name), 0o600) == 0)
      let fifo = open(bench.path(name), O_RDWR)
      fifos.append(fifo)
      let text = Array(Sample.good.utf8)
      #expect(put(fifo, text) == text.count)
      let before = Set(drafts)
      let running = try bench.start(program, ["replay", name, "-o", output])
      // It may have removed another one.
      #expect(Self.wait { !before.isSuperset(of: drafts) })
      return running
    }
    let killed = try begin("a", into: "out.jsonl")
    kill(killed.identifier, SIGKILL)
    _ = try killed.finish(within: 20)
    #expect(drafts.count == 1)
    let other = try begin("b", into: "out.jsonl.b")
    let writing = try begin("c", into: "out.jsonl")
    #expect(drafts.count == 2)
    #expect(try bench.run("replay", "good.jsonl", "-o", "out.jsonl").status == 0)
    #expect(drafts.count == 2)
    for running in [other, writing] {
      kill(running.identifier, SIGTERM)
      #expect(try running.finish(within: 20).status == 143)
    }
    #expect(bench.names == ["a", "b", "c", "good.jsonl", "out.jsonl"])
  }

  @Test(arguments: signals)
  func `A signal ends a rig, and no file is left half written`(
    _ number: Int32, _ status: Int32
  ) throws {
    let bench = try Bench()
    try bench.write("faces: [{}]\nlength: 80000s\n", "rig.yaml")
    let program = try #require(Bench.program)
    // The program that tracks says that the session runs.
    let tracker = "read header; : > begun; while read line; do echo; done"
    let running = try bench.start(
      program, ["rig", "rig.yaml", "-o", "out.jsonl", "--", "sh", "-c", tracker])
    #expect(Self.wait { bench.names.contains("begun") })
    #expect(kill(running.identifier, number) == 0)
    #expect(try running.finish(within: 20).status == status)
    #expect(bench.names == ["begun", "rig.yaml"])
  }

  private func put(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
    write(descriptor, bytes, bytes.count)
  }

  @Test(arguments: ["replay", "verify", "explain", "replay --summary"])
  func `A FIFO that its writer has already closed is a trace like any other`(_ command: String)
    throws
  {
    let bench = try Bench()
    try bench.write(Sample.good, "good.jsonl")
    let outcome = try bench.script(
      "mkfifo fifo; cat good.jsonl > fifo & timeout 20 \"$BENCH\" \(command) fifo")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let plain = try bench.script("\"$BENCH\" \(command) good.jsonl")
    if command != "verify" { #expect(outcome.output == plain.output) }
  }

  @Test func `A result can be written to a FIFO and to a link's target`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "good.jsonl")
    let outcome = try bench.script(
      "mkfifo fifo; cat fifo > copy & \"$BENCH\" replay good.jsonl -o fifo; s=$?; wait; exit $s")
    #expect(outcome.status == 0)
    #expect(try bench.read("copy") == bench.run("replay", "good.jsonl").output)
    try bench.write(Sample.late, "target.jsonl")
    #expect(
      try bench.script(
        "ln -s target.jsonl link; \"$BENCH\" replay good.jsonl -o link; test -L link"
      ).status == 0)
    #expect(try bench.read("target.jsonl") == bench.read("copy"))
  }
}
