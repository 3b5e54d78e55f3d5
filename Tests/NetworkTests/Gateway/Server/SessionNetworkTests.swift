import Engine
import Logging
import Network
import NetworkTestSupport
import Platform
import Sketches
import TestSupport
import Testing

/// A network that is opened first, and then runs a bench on the calling thread.
@Suite(.ownThread) struct SessionNetworkTests {
  private struct Failed: Error {}

  /// A bench that ends with the first bytes for the board.
  private final class FirstBytesBench: NetworkBench {
    private let board: ArbiterBench
    private let deadline = HostTime.now + .seconds(10)
    private let fails: Bool
    private(set) var calls: [String] = []

    init(_ clients: NetworkClients, fails: Bool = false) {
      board = ArbiterBench(clients, SessionNetworkTests.settings)
      self.fails = fails
    }

    func begin() { calls.append("begin") }
    func arrived(_ bytes: [UInt8]) {}
    func close() { calls.append("close") }

    func turn(_ reason: TurnReason) throws -> TurnOutcome<String> {
      if fails { throw Failed() }
      board.takeTurn()
      if let bytes = board.next() {
        return .over(String(decoding: bytes, as: UTF8.self))
      }
      guard .now < deadline else { return .over("nothing in 10 s") }
      return .wait(TurnPlan(deadline: deadline, descriptors: [], stream: nil))
    }
  }

  private static let settings = ArbiterSettings(firmware: .guarded, baud: 9_600)

  private static func open(_ address: String = "127.0.0.1:0") throws -> SessionNetwork {
    var plan = NetworkPlan(
      arbiter: settings,
      log: BenchLog(.text, level: .critical))
    var server = ServerConfiguration()
    server.tcp = [Endpoint(address)!]
    plan.server = server
    return try SessionNetwork(plan)
  }

  @Test func `A client that connects before the run is served, and the run returns the ending`()
    throws
  {
    let network = try Self.open()
    let client = try Wire(network.addresses.tcp[0])
    client.send("X45.")
    let bench = FirstBytesBench(network.clients)
    #expect(try network.run(bench) == "X45.")
    #expect(bench.calls == ["begin", "close"])
    #expect(client.receive(through: "\n").contains(Closing.goingAway.reason))
    #expect(client.receive(1) == [])
  }

  @Test func `A turn that fails ends the session with its error`() throws {
    let network = try Self.open()
    let bench = FirstBytesBench(network.clients, fails: true)
    #expect(throws: Failed.self) { try network.run(bench) }
    #expect(bench.calls == ["begin", "close"])
  }

  @Test func `A port is in use while a network has it, and free after its release`()
    throws
  {
    var network: SessionNetwork? = try Self.open()
    let taken = try #require(network?.addresses.tcp.first)
    #expect(throws: NetworkError.self) { try Self.open("\(taken)") }
    network = nil
    #expect(throws: Never.self) { try Self.open("\(taken)") }
  }

  @Test func `Without a server, the network runs its bench as usual`() throws {
    let plan = NetworkPlan(
      arbiter: Self.settings,
      log: BenchLog(.text, level: .critical))
    let network = try SessionNetwork(plan)
    #expect(network.addresses == ListeningAddresses())
    #expect(throws: Failed.self) { try network.run(FirstBytesBench(network.clients, fails: true)) }
  }
}
