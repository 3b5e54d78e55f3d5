import Devices
import Gateway
import Logging
import Platform
import TestSupport
import Testing
import Turret

/// A network that is opened first, and then runs a bench on the calling thread.
@Suite(.ownThread) struct SessionNetworkTests {
  private struct Failed: Error {}

  /// A bench that ends with the first bytes for the board.
  private final class FirstBytesBench: NetworkBench {
    private let door: ArbiterRunner
    private let deadline = HostTime.now + .seconds(10)
    private let fails: Bool
    private(set) var calls: [String] = []

    init(_ door: ArbiterRunner, fails: Bool = false) {
      self.door = door
      self.fails = fails
    }

    func begin() { calls.append("begin") }
    func arrived(_ bytes: [UInt8]) {}
    func close() { calls.append("close") }

    func turn(_ reason: TurnReason) throws -> TurnOutcome<String> {
      if fails { throw Failed() }
      if let bytes = door.next(waitingCount: 0, room: 100) {
        return .over(String(decoding: bytes, as: UTF8.self))
      }
      guard .now < deadline else { return .over("nothing in 10 s") }
      return .wait(TurnPlan(deadline: deadline, descriptors: [], stream: nil))
    }

    @Sendable static func wait(_ descriptors: [CInt]) -> [CInt] {
      // Reading what interrupts it blocks until something does.
      [descriptors[descriptors.count - 1]]
    }
  }

  private static func open(_ address: String = "127.0.0.1:0") throws -> SessionNetwork {
    var plan = NetworkPlan(
      door: ArbiterSettings(firmware: .guarded, baud: 9_600), log: BenchLog(.text, level: .critical)
    )
    var server = ServerConfiguration()
    server.tcp = [Endpoint(address)!]
    plan.server = server
    return try SessionNetwork(plan)
  }

  @Test func `A client that connects before the run is served, and the run returns the ending`()
    throws
  {
    let stage = try Self.open()
    let client = try Wire(stage.addresses.tcp[0])
    client.send("X45.")
    let bench = FirstBytesBench(stage.door)
    #expect(try stage.run(bench) == "X45.")
    #expect(bench.calls == ["begin", "close"])
    #expect(client.receive(through: "\n").contains(Closing.goingAway.reason))
    #expect(client.receive(1) == [])
  }

  @Test func `A turn that fails ends the session with its error`() throws {
    let stage = try Self.open()
    let bench = FirstBytesBench(stage.door, fails: true)
    #expect(throws: Failed.self) { try stage.run(bench) }
    #expect(bench.calls == ["begin", "close"])
  }

  @Test func `A port is in use while a network has it, and free after its release`() throws {
    var stage: SessionNetwork? = try Self.open()
    let taken = try #require(stage?.addresses.tcp.first)
    #expect(throws: NetworkError.self) { try Self.open("\(taken)") }
    stage = nil
    #expect(throws: Never.self) { try Self.open("\(taken)") }
  }

  @Test func `Without a server, the network runs its bench as usual`() throws {
    let plan = NetworkPlan(
      door: ArbiterSettings(firmware: .guarded, baud: 9_600), log: BenchLog(.text, level: .critical)
    )
    let stage = try SessionNetwork(plan)
    #expect(stage.addresses == ListeningAddresses())
    #expect(throws: Failed.self) { try stage.run(FirstBytesBench(stage.door, fails: true)) }
  }
}
