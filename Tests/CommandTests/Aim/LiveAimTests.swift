import Foundation
import TestSupport
import Testing

/// `aim` to a target in real time.
@Suite(.ownThread) struct LiveAimTests {
  /// A face that moves to the right in steps of 40 ms and is then lost.
  private static let observations: String = {
    var lines = [#"{"format": "sentry-observations", "version": 1, "image": [1000, 1000]}"#]
    for (time, x) in [("0.00", 0.0), ("0.04", 0.25), ("0.08", 0.5), ("0.12", 0.75)] {
      let box = "[\(x), 0.25, 0.25, 0.5]"
      lines.append(
        #"{"t": \#(time), "found": [{"kind": "face", "box": \#(box), "confidence": 1}]}"#)
    }
    lines.append(#"{"t": 0.80, "found": []}"#)
    return lines.joined(separator: "\n") + "\n"
  }()
  /// The centres are at 0.125, 0.375, 0.625 and 0.875.
  private static let commands = "X52.X77.X102.X127.L"

  @Test(arguments: ["ws", "tcp"])
  func `A recorded file is sent to a gateway at its times`(_ kind: String) async throws {
    let stage = try await GatewayStage(tcp: true)
    try stage.bench.write(Self.observations, "seen.jsonl")
    let address =
      kind == "ws"
      ? "ws://127.0.0.1:\(stage.port)/?token=secret" : "tcp://127.0.0.1:\(stage.tcpPort)"
    let outcome = try stage.bench.run("aim", "seen.jsonl", "--to", address)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("connected"))
    #expect(!outcome.errors.contains("secret"))
    try await stage.recorded("\"L\"")
    #expect(stage.received == Self.commands)
    _ = try await stage.terminate()
    #expect(try stage.bench.run("verify", "record.jsonl").status == 0)
  }

  @Test func `A recording with many late frames is played to its end`() async throws {
    let stage = try await GatewayStage()
    let frames = (0..<2_500).map { Seen.frame("0", Seen.face(0.25 + Double($0) / 10_000)) }
    try stage.bench.write(Seen.file(frames + [Seen.frame("0.01")]), "seen.jsonl")
    let outcome = try stage.bench.run("aim", "seen.jsonl", "--to", "ws://127.0.0.1:\(stage.port)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("frames: 2501, with a target: 2500, commands: "))
    try await stage.recorded("\"L\"")
    #expect(stage.received.hasSuffix("X89.L"))
  }

  @Test func `At a rate the newest command is sent, and so is the last`() async throws {
    let stage = try await GatewayStage()
    try stage.bench.write(Self.observations, "seen.jsonl")
    let outcome = try stage.bench.run(
      "aim", "seen.jsonl", "--to", "ws://127.0.0.1:\(stage.port)", "--rate", "0.01")
    #expect(outcome.status == 0, "\(outcome.errors)")
    try await stage.recorded("\"L\"")
    #expect(stage.received == "X52.L")
  }

  @Test func `A pty can be the target`() async throws {
    let stage = try Stage("guarded")
    try await stage.ready()
    try stage.bench.write(Self.observations, "seen.jsonl")
    let outcome = try stage.bench.run("aim", "seen.jsonl", "--to", stage.port)
    #expect(outcome.status == 0, "\(outcome.errors)")
    try await Stage.wait("the loss") { stage.recording.contains("\"L\"") }
    for command in ["X52.", "X77.", "X102.", "X127."] {
      #expect(stage.recording.contains("\"servo\", \(command.dropFirst().dropLast())"))
    }
  }

  @Test func `A target that was never there is a failure`() throws {
    let bench = try Bench()
    try bench.write(Self.observations, "seen.jsonl")
    let program = try #require(Bench.program)
    // At the same time, because each tries for ten seconds.
    let runs = try ["ws://127.0.0.1:9/", "tcp://127.0.0.1:9", "nothing-here"].map { target in
      try bench.start(program, ["aim", "seen.jsonl", "--to", target])
    }
    for run in runs {
      let outcome = try run.finish()
      #expect(outcome.status == 69)
      #expect(
        outcome.errors.contains("error: could not be reached within 10 s, and nothing was sent; "))
      #expect(outcome.errors.contains("disconnected"))
    }
  }

  @Test func `A recording starts when its target is there`() async throws {
    let first = try await GatewayStage()
    let port = first.port
    _ = try await first.terminate()
    let bench = try Bench()
    try bench.write(Self.observations, "seen.jsonl")
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    let aim = try bench.start(program, ["aim", "seen.jsonl", "--to", "ws://127.0.0.1:\(port)/"])
    try await Stage.wait("the refusal") { aim.errorsSoFar.contains("disconnected") }
    let second = try await GatewayStage(["--listen", "127.0.0.1:\(port)"])
    #expect(try aim.finish(within: 20).status == 0)
    try await second.recorded("\"L\"")
    // On a busy machine, the newest command can have replaced one in between.
    #expect(second.received.hasPrefix("X52.") && second.received.hasSuffix("X127.L"))
  }

  @Test func `A client that is not in control is told so, and that is a failure`() async throws {
    let stage = try await GatewayStage()
    try stage.bench.write(Self.observations, "seen.jsonl")
    let first = try AimStage(to: "ws://127.0.0.1:\(stage.port)/", in: Bench())
    first.see(0.5)
    try await stage.recorded("X90.")
    let outcome = try stage.bench.run("aim", "seen.jsonl", "--to", "ws://127.0.0.1:\(stage.port)/")
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("error: did not accept every command; not-in-control: "))
    #expect(try await first.end().status == 0)
    #expect(stage.received == "X90.")
  }

  @Test func `A command that waits for its turn is sent when the vision phone is shut down`()
    async throws
  {
    let stage = try await GatewayStage()
    try stage.bench.write(
      Self.observations.replacingOccurrences(of: "0.80", with: "60"), "seen.jsonl")
    let phone = try await ServedPhone(
      ["--to", "ws://127.0.0.1:\(stage.port)", "--rate", "0.01"], in: stage.bench)
    _ = try await phone.answer(with: "angle^37.0")
    #expect(try await phone.shutDown().status == 0)
    try await stage.recorded("X127.")
    #expect(stage.received == "X52.X127.")
  }

  @Test func `The vision phone answers with what is seen, and can be shut down`() async throws {
    let bench = try Bench()
    try bench.write(
      Self.observations.replacingOccurrences(of: "0.80", with: "60"), "seen.jsonl")
    // The recording begins with the first query, whenever that arrives.
    let phone = try await ServedPhone(in: bench)
    let answer = try await phone.answer(with: "angle^37.0")
    #expect(answer.hasSuffix("|angle^37.0|distance^\n"))
    #expect(try await phone.shutDown().status == 0)
  }

  @Test func `A web page cannot shut the vision phone down, and the attempt is reported`()
    async throws
  {
    let bench = try Bench()
    try bench.write(
      Self.observations.replacingOccurrences(of: "0.80", with: "60"), "seen.jsonl")
    let phone = try await ServedPhone(in: bench)
    let page = try PlainSocket(port: phone.port)
    page.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nSHUTDOWN".utf8)
    page.readToEnd()
    _ = try await phone.answer(with: "angle^37.0")
    let outcome = try await phone.shutDown()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("the vision phone has no access control"))
    #expect(outcome.errors.contains(": it begins as an HTTP request\n"))
  }
}
