import Foundation
import Platform
import TestSupport
import Testing

/// Files in the place of the link, and a computer without a free pty.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "the link tells who made it by /proc"))
struct PortLinkFaultTests {
  @Test func `A killed bench leaves a dangling link, and the next bench replaces it`()
    async throws
  {
    let killed = try Stage(options: ["-q"])
    try await killed.ready()
    try killed.write("X45.")
    try await killed.recorded(#""servo", 45"#)
    killed.send(SIGKILL)
    #expect(try await killed.finish().status == 137)
    #expect(killed.hasLink && !killed.hasPort)
    // The recording is complete up to the last line.
    #expect(killed.recording.hasSuffix("]\n"))
    #expect(killed.recording == (try killed.replay()))

    let next = try Stage(options: ["--for", "100ms"], in: killed.bench)
    #expect(try await next.end().status == 0)
  }

  @Test func `A link to a pty that no longer exists is replaced`() async throws {
    let bench = try Bench()
    #expect(symlink("/dev/pts/9999", bench.path("port")) == 0)
    let stage = try Stage(options: ["--for", "100ms"], in: bench)
    #expect(try await stage.end().status == 0)
  }

  @Test func `A second bench leaves the first one's port alone, and names its process`()
    async throws
  {
    let first = try Stage()
    try await first.ready()
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: first.port)
    let second = try first.bench.run("run", "--pty", first.port)
    #expect(second.status == 69)
    #expect(second.output.isEmpty)
    #expect(second.errors.contains("process \(first.identifier)"), "\(second.errors)")
    #expect(second.errors.contains("--pty"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: first.port) == target)
    try first.write("X45.")
    try await first.recorded(#""servo", 45"#)
    first.send(SIGTERM)
    #expect(try await first.end().status == 143)
  }

  @Test(arguments: [
    "a file", "a folder", "a link to a file", "a link to nothing", "a link to a tty",
  ])
  func `A user's own file, folder or link stays unchanged`(_ what: String) throws {
    let bench = try Bench()
    let link = bench.path("port")
    var target: String?
    switch what {
    case "a file": try bench.write("mine\n", "port")
    case "a folder": #expect(mkdir(link, 0o700) == 0)
    case "a link to a file":
      try bench.write("mine\n", "file")
      target = "file"
    case "a link to nothing": target = "missing"
    default: target = "/dev/tty"
    }
    if let target { #expect(symlink(target, link) == 0) }
    let outcome = try bench.run("run", "--pty", "port", "--for", "100ms", "--record", "r.jsonl")
    #expect(outcome.status == 69)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("port: error: already exists"), "\(outcome.errors)")
    if let target {
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    } else if what == "a file" {
      #expect(try bench.read("port") == "mine\n")
    }
    if what == "a link to a file" { #expect(try bench.read("file") == "mine\n") }
  }

  @Test func `A missing folder is not created`() throws {
    let outcome = try Bench().run("run", "--pty", "missing/port", "--for", "100ms")
    #expect(outcome.status == 69)
    #expect(outcome.errors.hasPrefix("missing/port: error: the link to the pty cannot be created"))
  }

  /// Descriptors 0, 1 and 2 are open, and the loader needs one more for a moment.
  @Test(arguments: 4...7)
  func `Without a descriptor for a pty the status is 69 with a sentence, and there is no link`(
    _ limit: Int
  ) throws {
    let bench = try Bench()
    let outcome = try bench.script(
      """
      exec 3<&- 4<&- 5<&- 6<&-; ulimit -n \(limit)
      exec "$BENCH" run --pty port --record r.jsonl --for 100ms
      """)
    // The descriptor can also be missing for the recording, which is opened after the link is made.
    #expect(outcome.status == (outcome.errors.hasPrefix("r.jsonl") ? 74 : 69))
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("error: ") && outcome.errors.contains("Too many open files"))
    #expect(!bench.names.contains("port"))
  }

  @Test(arguments: [4, 6, 8, 10, 12])
  func `Without descriptors for the network the status is 69 with a sentence`(_ limit: Int) throws {
    let outcome = try Bench().script(
      """
      exec 3<&- 4<&- 5<&- 6<&-; ulimit -n \(limit)
      exec "$BENCH" gateway -q --listen 127.0.0.1:0 --for 100ms
      """)
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("error: ") && outcome.errors.contains("Too many open files"))
  }
}
