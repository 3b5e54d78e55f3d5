import TestSupport
import Testing

/// The options that name a detector, and the error messages for wrong ones.
@Suite(.ownThread) struct DetectorOptionTests {
  @Test(arguments: [
    (
      "gateway --detector 127.0.0.1:5900",
      "is not the address of a detector; expected ws://HOST:PORT"
    ),
    ("gateway --detector wss://127.0.0.1:5900", "is not the address of a detector"),
    ("gateway --detector ws://192.0.2.1:5900", "give `--allow remote-detector`"),
  ])
  func `A wrong address is a usage error that says what to do`(_ line: String, _ sentence: String)
    throws
  {
    let outcome = try Bench().script("\"$BENCH\" \(line)")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("gateway --allow remote-detector", "--allow remote-detector requires --detector."),
    (
      "gateway --echo --detector ws://127.0.0.1:5900",
      "--echo cannot be combined with --detector."
    ),
    (
      "gateway --tcp 127.0.0.1:0 --detector ws://127.0.0.1:5900",
      "--detector requires --listen if --tcp is given."
    ),
    (
      "run --tcp 127.0.0.1:0 --detector ws://127.0.0.1:5900",
      "--detector requires --websocket or --http."
    ),
    ("run --detector ws://127.0.0.1:5900", "Network options require"),
  ])
  func `A wrong option is a usage error that says what to do`(_ line: String, _ sentence: String)
    throws
  {
    let refusal = try #require(Refusal(of: line.split(separator: " ").map(String.init)))
    #expect(refusal.status == 64)
    #expect(refusal.message.contains(sentence), "\(refusal.message)")
  }

  @Test func `A gateway without its detector runs, and reports it`() async throws {
    // No server listens on port 1.
    let stage = try await GatewayStage(["--detector", "ws://127.0.0.1:1"])
    #expect(try stage.health()["detector"] as? String == "away")
    #expect(try stage.metric("detector_ready") == 0)
    let peer = try stage.connect("/detect")
    guard case .text(let text) = peer.receive() else {
      Issue.record("The client was not notified.")
      return
    }
    #expect(text.hasPrefix("{\"notice\": \"detector-away\""))
    peer.send("X10.")
    try await stage.recorded("X10.")
    let outcome = try await stage.terminate()
    #expect(outcome.errors.contains("detector away"))
  }
}
