import Foundation
import Platform
import TestSupport
import Testing

/// `aim` to a gateway that ends.
@Suite(.ownThread) struct AimReconnectTests {
  private static func address(_ kind: String, _ stage: GatewayStage) -> String {
    kind == "ws" ? "ws://127.0.0.1:\(stage.port)/" : "tcp://127.0.0.1:\(stage.tcpPort)"
  }

  @Test(arguments: ["ws", "tcp"])
  func `A gateway that was killed and returns is sent the newest aim first`(_ kind: String)
    async throws
  {
    let first = try await GatewayStage(tcp: true)
    let aim = try AimStage(
      to: Self.address(kind, first), on: TestTerminal(columns: 200, rows: 10), in: Bench())
    aim.see(0.125)
    try await first.recorded("X52.")
    first.send(SIGKILL)
    _ = try await first.finish()
    try await aim.shows("disconnected")
    for x in [0.25, 0.375, 0.5, 0.625] { aim.see(x) }
    try await aim.shows("X: 102")
    let again =
      kind == "ws"
      ? ["--listen", "127.0.0.1:\(first.port)"] : ["--tcp", "127.0.0.1:\(first.tcpPort)"]
    let second = try await GatewayStage(again)
    try await second.recorded("X102.")
    try await aim.shows("connected | Shooting X: 102")
    aim.see(0.75)
    try await second.recorded("X115.")
    #expect(try await aim.end().status == 0)
    #expect(first.received == "X52.")
    #expect(second.received == "X102.X115.")
  }

  static let afterwards: [(seen: [Double?], last: String)] = [
    ([0.25, nil], "L"),
    // The last command may have been lost with the connection.
    ([], "X90."),
  ]

  @Test(arguments: afterwards)
  func `A gateway that does not return may miss the last command, which is reported`(
    _ seen: [Double?], _ last: String
  ) async throws {
    let gateway = try await GatewayStage()
    let aim = try AimStage(to: Self.address("ws", gateway), in: Bench())
    aim.see(0.5)
    try await gateway.recorded("X90.")
    gateway.send(SIGKILL)
    _ = try await gateway.finish()
    try await aim.tells("disconnected: ")
    for x in seen { aim.see(x) }
    let outcome = try await aim.end()
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains(": error: the last command, \(last), may not have arrived; "))
  }

  @Test(arguments: ["ws", "tcp"])
  func `Observations that end before there is a connection are sent too`(_ kind: String)
    async throws
  {
    let gateway = try await GatewayStage(tcp: true)
    for x in [0.25, 0.5] {
      let outcome = try gateway.bench.pipe(
        Seen.frame("0", Seen.face(x)), to: Self.address(kind, gateway))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(!outcome.errors.contains("error: "))
    }
    try await gateway.recorded("X90.")
    #expect(gateway.received == "X65.X90.")
  }

  @Test func `Without a frame no command can fail to be sent`() throws {
    let outcome = try Bench().pipe(to: "ws://127.0.0.1:9/")
    #expect(outcome.status == 0)
    #expect(!outcome.errors.contains("error: "))
  }
}
