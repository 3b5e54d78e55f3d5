import Sketches
import TestSupport
import Testing

@testable import Serial

struct ComPortServerTests {
  /// A server whose client has agreed to everything, after the bytes of the agreement were taken.
  private static func agreed() -> ComPortServer {
    var server = ComPortServer(speed: 9_600, speeds: 1...2_000_000)
    _ = server.receive([255, 251, 0, 255, 253, 0, 255, 251, 44])
    _ = server.takeOutput(data: 0)
    return server
  }

  private static let twoStops = LineFormat(dataSize: 8, parity: .none, stopSize: .two)

  private static func bytes(_ command: PortCommand) -> [UInt8] { command.bytes(from: .client) }

  /// The commands in the server's output.
  private static func answers(_ server: inout ComPortServer) -> [PortCommand] {
    TelnetDecoderTests.items([server.takeOutput(data: 0)]).items.compactMap { item in
      guard case .subnegotiation(44, let parameters) = item else { return nil }
      return PortCommand(parameters, from: .server)
    }
  }

  @Test func `The server requests a binary connection and control of the port first`() {
    var server = ComPortServer(speed: 9_600, speeds: 1...2_000_000)
    #expect(
      server.takeOutput(data: 100) == [
        255, 251, 0, 255, 253, 0, 255, 251, 3, 255, 253, 3, 255, 253, 44,
      ])
    // pyserial's first bytes: it also requests an echo, which is refused.
    _ = server.receive([
      255, 253, 1, 255, 251, 3, 255, 253, 3, 255, 253, 44, 255, 251, 44,
    ])
    #expect(
      server.takeOutput(data: 100) == [255, 252, 1, 255, 251, 44]
        + PortCommand.modemState(176).bytes(from: .server))
  }

  @Test(
    arguments: [
      (PortCommand.speed(19_200), PortCommand.speed(19_200), [.line(.speed(19_200))]),
      (.speed(9_600), .speed(9_600), []), (.speed(0), .speed(9_600), []),
      (.speed(2_000_001), .speed(9_600), []), (.speed(.max), .speed(9_600), []),
      (.dataSize(0), .dataSize(8), []), (.dataSize(9), .dataSize(8), []),
      (
        .dataSize(7), .dataSize(7),
        [.line(.format(LineFormat(dataSize: 7, parity: .none)))]
      ),
      (.parity(3), .parity(3), [.line(.format(LineFormat(dataSize: 8, parity: .even)))]),
      (.parity(0), .parity(1), []), (.parity(6), .parity(1), []),
      (.stopSize(2), .stopSize(2), [.line(.format(Self.twoStops))]),
      (.stopSize(0), .stopSize(1), []), (.stopSize(9), .stopSize(1), []),
      (.control(0), .control(1), []), (.control(2), .control(2), []),
      (.control(13), .control(14), []), (.control(16), .control(16), []),
      (.control(4), .control(6), []), (.control(5), .control(5), [.line(.breakBegan)]),
      (.control(6), .control(6), []), (.control(7), .control(8), []),
      (.control(8), .control(8), []), (.control(9), .control(9), []),
      (.control(10), .control(11), []), (.control(12), .control(12), []),
      (.lineState(nil), .lineState(96), []), (.modemState(nil), .modemState(176), []),
      (.lineStateMask(5), .lineStateMask(5), []), (.modemStateMask(0), .modemStateMask(0), []),
      (.purge(1), .purge(1), []), (.purge(2), .purge(2), [.purgeLine]),
      (.purge(3), .purge(3), [.purgeLine]),
      (.signature([]), .signature(Array("SentryBench".utf8)), []),
    ] as [(PortCommand, PortCommand, [ComPortServer.Action])])
  func `Each command has its effect, and an answer with what is set now`(
    _ command: PortCommand, _ answer: PortCommand, _ actions: [ComPortServer.Action]
  ) {
    var server = Self.agreed()
    #expect(server.receive(Self.bytes(command)) == actions)
    #expect(Self.answers(&server) == [answer])
  }

  @Test func `DTR restarts the board when it is set, not while it stays set`() {
    var server = Self.agreed()
    let (set, clear) = (Self.bytes(.control(8)), Self.bytes(.control(9)))
    // DTR is set from the beginning, because the port is open.
    #expect(server.receive(set) == [])
    #expect(server.receive(clear) == [])
    #expect(server.receive(clear) == [])
    #expect(server.receive(set + set) == [.restart])
  }

  @Test func `Bytes, speeds and breaks for the line stay in order`() {
    var server = Self.agreed()
    let bytes =
      [88] + Self.bytes(.speed(300)) + [255, 255] + Self.bytes(.control(5))
      + Self.bytes(.control(6)) + [46]
    #expect(
      server.receive(bytes) == [
        .line(.bytes([88])), .line(.speed(300)), .line(.bytes([255])), .line(.breakBegan),
        .line(.breakEnded), .line(.bytes([46])),
      ])
  }

  @Test func `A break ends with the connection`() {
    var server = Self.agreed()
    #expect(server.close() == [])
    _ = server.receive(Self.bytes(.control(5)))
    #expect(server.close() == [.line(.breakEnded)])
  }

  @Test func `The board's bytes are doubled, held while suspended, and dropped by a purge`() {
    var server = Self.agreed()
    #expect(server.send([65, 255]) == 2)
    #expect(server.takeOutput(data: 10) == [65, 255, 255])
    _ = server.receive(Self.bytes(.suspend))
    #expect(server.send([66]) == 1)
    #expect(!server.hasOutput)
    #expect(server.takeOutput(data: 10) == [])
    _ = server.receive(Self.bytes(.resume))
    #expect(server.takeOutput(data: 10) == [66])
    _ = server.send([67, 68])
    _ = server.receive(Self.bytes(.purge(1)))
    #expect(server.takeOutput(data: 10) == PortCommand.purge(1).bytes(from: .server))
  }

  @Test func `A client that does not read loses the board's bytes above a limit`() {
    var server = Self.agreed()
    _ = server.receive(Self.bytes(.lineStateMask(2)))
    #expect(server.send([UInt8](repeating: 65, count: 70_000)) == 65_536)
    #expect(server.send([66]) == 0)
    _ = Self.answers(&server)
    server.note(waiting: 0, isIdle: true)
    #expect(Self.answers(&server) == [.lineState(2)])
    server.note(waiting: 0, isIdle: true)
    #expect(Self.answers(&server) == [])
  }

  @Test func `A client that reads no answers is not read any more`() {
    var server = Self.agreed()
    while server.acceptsInput { _ = server.receive(Self.bytes(.speed(0))) }
    #expect(server.takeOutput(data: 0).count < 9_000)
    #expect(server.acceptsInput)
  }

  @Test func `A client is suspended while many bytes wait, and its CTS is off then`() {
    var server = Self.agreed()
    let steps: [(Int, [PortCommand])] = [
      (2_047, []), (2_048, [.suspend, .modemState(161)]), (4_000, []), (1_024, []),
      (1_023, [.resume, .modemState(177)]), (2_047, []),
    ]
    for (waiting, expected) in steps {
      server.note(waiting: waiting, isIdle: false)
      #expect(Self.answers(&server) == expected, "\(waiting)")
    }
  }

  @Test func `Changes of the line's state are reported as far as the mask permits`() {
    var server = Self.agreed()
    server.note(waiting: 5, isIdle: false)
    #expect(Self.answers(&server) == [])
    _ = server.receive(Self.bytes(.lineStateMask(64)))
    _ = Self.answers(&server)
    server.note(waiting: 0, isIdle: false)
    #expect(Self.answers(&server) == [])
    server.note(waiting: 0, isIdle: true)
    #expect(Self.answers(&server) == [.lineState(64)])
    server.note(waiting: 0, isIdle: true)
    #expect(Self.answers(&server) == [])
  }

  @Test func `A client without telnet still sends and receives bytes`() {
    var server = ComPortServer(speed: 9_600, speeds: 1...2_000_000)
    #expect(server.receive(Array("X45.".utf8)) == [.line(.bytes(Array("X45.".utf8)))])
    _ = server.takeOutput(data: 0)
    _ = server.send(Array("ok\r\n".utf8))
    #expect(server.takeOutput(data: 10) == Array("ok\r\n".utf8))
    server.note(waiting: 4_000, isIdle: false)
    #expect(!server.hasOutput)
  }

  @Test func `What is not understood is counted`() {
    var server = Self.agreed()
    _ = server.receive([255, 250, 44, 77, 255, 240, 255, 250, 31, 0, 255, 240, 255, 244])
    _ = server.receive(Self.bytes(.purge(9)) + Self.bytes(.control(99)))
    #expect(server.ignoredCount == 5)
  }

  @Test(arguments: 0..<300)
  func `Random telnet never traps, and gives the same in pieces`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = RandomTelnet.bytes(600, using: &random)
    var whole = Self.agreed()
    var split = Self.agreed()
    var (one, other): ([ComPortServer.Action], [ComPortServer.Action]) = ([], [])
    // If the format is not 8N1, the bytes that are received depend on which ones are sent without a
    // gap.
    let kept = { (action: ComPortServer.Action) in
      if case .line(.bytes) = action { false } else { true }
    }
    one = whole.receive(bytes).filter(kept)
    for piece in RandomTelnet.pieces(of: bytes, using: &random) {
      other += split.receive(piece).filter(kept)
    }
    #expect(one == other, "seed \(seed)")
    #expect(whole == split, "seed \(seed)")
  }
}
