import TestSupport
import Testing

@testable import Serial

struct ComPortClientTests {
  /// Passes what the ends send to each other until both are silent. Returns the server's actions.
  @discardableResult
  private static func talk(
    _ client: inout ComPortClient, _ server: inout ComPortServer
  ) -> [ComPortServer.Action] {
    var actions: [ComPortServer.Action] = []
    for _ in 0..<20 {
      actions += server.receive(client.takeOutput())
      let answer = server.takeOutput(data: 100)
      if answer.isEmpty { break }
      _ = client.receive(answer)
    }
    return actions
  }

  @Test func `A client and a server agree, and the port has the client's settings`() {
    var server = ComPortServer(speed: 9_600, speeds: 1...2_000_000)
    var client = ComPortClient(speed: 19_200)
    #expect(!client.isReady)
    #expect(Self.talk(&client, &server) == [.line(.speed(19_200))])
    #expect(client.isReady)
    #expect(client.problem == nil)
    client.send([88, 255, 13, 0])
    #expect(Self.talk(&client, &server) == [.line(.bytes([88, 255, 13, 0]))])
    client.request(lines: false)
    #expect(!client.isReady)
    Self.talk(&client, &server)
    #expect(client.isReady)
    #expect(!server.isDTRSet)
    #expect(!server.isRTSSet)
    client.request(lines: true)
    #expect(Self.talk(&client, &server) == [.restart])
  }

  @Test func `A server that refuses RFC 2217 is a problem`() {
    var client = ComPortClient(speed: 9_600)
    _ = client.receive([255, 254, 44])
    #expect(client.problem == .refused)
    #expect(!client.isReady)
  }

  @Test(
    arguments: [
      (PortCommand.speed(9_600), nil), (.speed(9_615), nil),
      (.speed(115_200), ComPortClient.Problem.speed(wanted: 9_600, kept: 115_200)),
      (.dataSize(7), .format), (.parity(3), .format), (.stopSize(2), .format), (.dataSize(8), nil),
    ] as [(PortCommand, ComPortClient.Problem?)])
  func `A server that keeps other settings is a problem`(
    _ answer: PortCommand, _ problem: ComPortClient.Problem?
  ) {
    var client = ComPortClient(speed: 9_600)
    _ = client.receive([255, 253, 44] + answer.bytes(from: .server))
    #expect(client.problem == problem)
  }

  @Test func `The server suspends and resumes the client`() {
    var client = ComPortClient(speed: 9_600)
    _ = client.receive(PortCommand.suspend.bytes(from: .server))
    #expect(client.isSuspended)
    _ = client.receive(PortCommand.resume.bytes(from: .server))
    #expect(!client.isSuspended)
  }

  @Test(arguments: 0..<200)
  func `Random telnet never traps, and gives the same in pieces`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = RandomTelnet.bytes(400, using: &random)
    var whole = ComPortClient(speed: 9_600)
    var split = whole
    let data = whole.receive(bytes)
    var pieces: [UInt8] = []
    for piece in RandomTelnet.pieces(of: bytes, using: &random) { pieces += split.receive(piece) }
    #expect(data == pieces, "seed \(seed)")
    #expect(whole == split, "seed \(seed)")
  }
}
