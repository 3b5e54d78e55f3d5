import Foundation
import Network
import TestSupport
import Testing

@testable import sentrybench

/// `--log json`: standard error contains lines of JSON and nothing else.
@Suite(.ownThread) struct JSONLogTests {
  /// Returns the lines' objects. Fails for a line that is not an object.
  private static func lines(_ outcome: Bench.Outcome) throws -> [[String: Any]] {
    try outcome.errors.split(separator: "\n").map { line in
      let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(value as? [String: Any], "\(line)")
    }
  }

  @Test(
    arguments: [
      (["gateway", "--listen", "nowhere"], 64, "\"nowhere\" is not an address to listen on"),
      (["gateway", "--listen", "127.0.0.1:0", "--listen", "192.0.2.1:0"], 64, "--token-file"),
      (["gateway", "--token-file", "none"], 66, "none: error: cannot read the tokens"),
      (["gateway", "--record", "none/r.jsonl"], 74, "none/r.jsonl: error: cannot be written"),
      (["gateway", "--device", "avr:none"], 66, "none: error: cannot be opened"),
      (
        ["gateway", "--tls", "cert=a,key=b"], TLSLayer.isBuiltIn ? 66 : 64,
        TLSLayer.isBuiltIn ? "a: error: cannot be read" : "built without TLS"
      ),
      (["gateway", "--nonsense"], 64, "Unknown option '--nonsense'"),
      (["gateway", "--limits", "rate=x"], 64, "rate= requires a number from 0"),
      (["gateway", "--echo", "--record", "x"], 64, "--echo cannot be combined"),
      (["follow", "nowhere"], 64, "\"nowhere\" is not an address"),
      (["run", "--pty", "p", "--expect", "none"], 66, "none: error: cannot be opened"),
      (
        ["run", "--pty", "p", "--for", "1s", "--", "./none"], 127,
        "./none: error: cannot be started"
      ),
    ] as [([String], Int32, String)])
  func `The final error is the last line`(
    _ run: (arguments: [String], status: Int32, message: String)
  ) throws {
    let program = try #require(Bench.program)
    let bench = try Bench()
    let outcome = try bench.start(
      program, run.arguments.prefix(1) + ["--log", "json"] + run.arguments.dropFirst()
    ).finish()
    #expect(outcome.status == run.status, "\(outcome.errors)")
    let last = try #require(Self.lines(outcome).last)
    #expect(last["level"] as? String == "error")
    #expect((last["message"] as? String)?.contains(run.message) == true)
    #expect(last["time"] is String)
  }

  @Test(arguments: [
    (["gateway", "--log", "json", "--nonsense"], true), (["gateway", "--log=json", "x"], true),
    (["gateway", "--log", "text"], false), (["gateway", "--log"], false), (["json"], false),
    (["run", "--", "x", "--log", "json"], false), (["run", "--", "x", "--log=json"], false),
    (["run", "--log=json", "--", "x"], true),
  ])
  func `JSON is asked for in two forms, even if the rest cannot be parsed`(
    _ arguments: [String], _ isAsked: Bool
  ) {
    #expect(LogOptions.asksForJSON(arguments) == isAsked)
  }

  @Test func `A session on a pty writes its greeting and verdict as JSON too`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    let outcome = try bench.run(
      "run", "--log", "json", "--pty", bench.path("port"), "--websocket", "127.0.0.1:0",
      "--expect", "t.jsonl", "--for", "100ms")
    #expect(outcome.status == 1)
    let messages = try Self.lines(outcome).compactMap { $0["message"] as? String }
    #expect(messages.first?.hasPrefix("\(bench.path("port")): classic at 9600 baud; ") == true)
    #expect(messages.contains { $0.hasPrefix("listening on ws://127.0.0.1:") })
    #expect(messages.last?.hasPrefix("t.jsonl:3: error: the sender stopped after 0 of 4") == true)
  }

  @Test func `After -- the option belongs to the command`() throws {
    let outcome = try Bench().run("run", "--nonsense", "--", "x", "--log", "json")
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("error: Unknown option '--nonsense'\nUsage: "))
  }
}
