import Foundation
import Platform
import TestSupport
import Testing

/// What the command after `--` inherits, and what it does not.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "descriptors are looked up in /proc"))
struct ChildProcessTests {
  private static let network = ["--websocket", "127.0.0.1:0", "--tcp", "127.0.0.1:0"]

  @Test(arguments: [[], network])
  func `A command has the three standard descriptors and no other`(_ options: [String]) throws {
    let bench = try Bench()
    let program = try #require(Bench.program)
    let outcome = try bench.start(
      program,
      ["run", "-q", "--pty", bench.path("port"), "--record", "record.jsonl"] + options
        + ["--", "ls", "/proc/self/fd"]
    ).finish()
    #expect(outcome.status == 0)
    // The last one is the descriptor with which ls reads the folder.
    #expect(outcome.errors == "0\n1\n2\n3\n")
  }

  @Test func `A command has the bench's environment, with the addresses in place of older ones`()
    throws
  {
    let outcome = try Bench().script(
      #"""
      export ODD=$(printf '\377=') SENTRY_PORT=old
      "$BENCH" run -q --pty port -- sh -c 'printf %s "$ODD" | od -An -tx1; echo "$SENTRY_PORT"
        env | grep -c ^SENTRY_PORT='
      """#)
    #expect(outcome.status == 0)
    let lines = outcome.errors.split(separator: "\n")
    try #require(lines.count == 3, "\(outcome.errors)")
    #expect(lines[0] == " ff 3d")
    #expect(lines[1].hasSuffix("/port"))
    #expect(lines[2] == "1")
  }

  @Test func `An address is free after a bench ends, even if a process of its command survives`()
    throws
  {
    let bench = try Bench()
    func run(_ webSocket: String, _ tcp: String, _ script: String) throws -> Bench.Outcome {
      try bench.run(
        "run", "-q", "--pty", bench.path("port"), "--websocket", webSocket, "--tcp", tcp, "--",
        "sh", "-c", script)
    }
    let first = try run(
      "127.0.0.1:0", "127.0.0.1:0",
      """
      setsid sleep 120 </dev/null >/dev/null 2>&1 &
      echo $! >sleeper
      url=${SENTRY_WEBSOCKET#ws://}
      printf '%s' "${url%/} $SENTRY_TCP" >addresses
      """)
    let sleeper = try #require(
      Int32(try bench.read("sleeper").trimmingCharacters(in: .newlines)))
    defer { kill(sleeper, SIGKILL) }
    #expect(first.status == 0, "\(first.errors)")
    #expect(kill(sleeper, 0) == 0)
    let addresses = try bench.read("addresses").split(separator: " ").map(String.init)
    try #require(addresses.count == 2)
    let second = try run(addresses[0], addresses[1], "true")
    #expect(second.status == 0, "\(second.errors)")
    #expect(kill(sleeper, 0) == 0)
  }
}
