import NIOHTTP1
import NetworkTestSupport
import Platform
import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

/// The sender on real sockets, connected to the gateway's own server.
@Suite(.ownThread, .serialized)
struct CommandSenderTests {
  static let commands = ["X90.", "X91.", "L", "X180."]

  /// What a server's delegate records of commands that arrive one by one.
  static func told(_ transport: String, _ commands: [String]) -> [String] {
    ["joined 1 \(transport)"] + commands.map { "1 text \($0)" } + ["left 1 closed"]
  }

  /// Sends the commands, each after the one before has arrived, and stops.
  private static func sendAll(_ stand: SenderStand, _ server: TestServer, _ kind: String) throws {
    try stand.start()
    #expect(stand.hears("connected"))
    for command in commands {
      try stand.send(command)
      #expect(server.hears("1 \(kind) \(command)"))
    }
    try stand.stop()
    #expect(server.hears("left 1 closed"))
    #expect(stand.lines == ["connecting", "connected"])
  }

  @Test func `Commands arrive in order over WebSocket, one in each message`() throws {
    let server = try TestServer()
    try Self.sendAll(SenderStand("ws://\(server.address)/"), server, "text")
    #expect(server.lines(1).filter { $0 != "all" } == Self.told("websocket", Self.commands))
  }

  @Test func `Commands arrive in order over bare TCP`() throws {
    let server = try TestServer()
    try Self.sendAll(SenderStand("tcp://\(server.tcpAddress)"), server, "binary")
  }

  @Test(
    .enabled(if: TLSLayer.isBuiltIn, "it is built without TLS"),
    arguments: ["127.0.0.1", "localhost"])
  func `Commands arrive over TLS, by address and by name, if the certificate is trusted`(
    host: String
  ) throws {
    try TestCertificate.inFiles { files in
      let server = try TestServer { configuration, _ in configuration.tls = files }
      let target = "wss://\(host):\(server.address.port)/"
      try Self.sendAll(SenderStand(target, authorities: files.certificates), server, "text")
      // This computer does not trust the certificate without the file.
      let doubtful = try SenderStand(target)
      try doubtful.start()
      #expect(doubtful.hears("disconnected: its certificate is not trusted"))
    }
  }

  @Test(.enabled(if: TLSLayer.isBuiltIn, "it is built without TLS"))
  func `A certificate for another name is refused, and so is a server without TLS`() throws {
    try TestCertificate.inFiles { files in
      let secure = try TestServer { configuration, _ in configuration.tls = files }
      let plain = try TestServer { configuration, _ in
        configuration.webSocket = [Endpoint("127.0.0.2:0")!]
      }
      let toPlain = try SenderStand("wss://\(plain.address)/", authorities: files.certificates)
      try toPlain.start()
      #expect(toPlain.hears("disconnected: it does not speak TLS"))
      let toSecure = try SenderStand("ws://\(secure.address)/")
      try toSecure.start()
      #expect(
        toSecure.hears(
          "disconnected: it answers 400 Bad Request: "
            + "`This port speaks TLS: use https:// or wss://.`"))
      let other = try TestServer { configuration, _ in
        configuration.tls = files
        configuration.webSocket = [Endpoint("127.0.0.2:0")!]
      }
      let toOther = try SenderStand("wss://\(other.address)/", authorities: files.certificates)
      try toOther.start()
      #expect(toOther.hears("disconnected: its certificate is for another name"))
    }
  }

  @Test(.enabled(if: TLSLayer.isBuiltIn, "it is built without TLS"))
  func `An invalid file of certificates is reported at once`() throws {
    for path in ["/no/such/file", "/dev/null"] {
      let failure = #expect(throws: NetworkError.self) {
        _ = try SenderStand("wss://127.0.0.1:1/", authorities: path)
      }
      #expect(failure?.description.hasPrefix(path) == true)
    }
  }

  @Test func `The token is sent in the query`() throws {
    let server = try TestServer { configuration, _ in
      configuration.authorize = { head in
        let token = RequestTarget(head.uri)?.item("token")
        return token == .value("0123456789abcdef") ? nil : (401, "a token, please")
      }
    }
    let stand = try SenderStand("ws://\(server.address)/?token=0123456789abcdef")
    try stand.start()
    #expect(stand.hears("connected"))
    let stranger = try SenderStand("ws://\(server.address)/")
    try stranger.start()
    let line =
      "disconnected: it answers 401 Unauthorized (put the token into a file, --token-file, "
      + "or into the address, ?token=TOKEN)"
    #expect(SenderStand.wait { stranger.lines.contains { $0.hasPrefix(line) } })
  }

  @Test func `The gateway's notices are passed on, and its pings are answered`() throws {
    let server = try TestServer { configuration, delegate in
      configuration.limits.pingPeriod = .milliseconds(20)
      configuration.limits.pongTime = .milliseconds(2_000)
      delegate.whenJoined = { client in
        client.send(Array("at 90\n".utf8), as: .text)
        let notice = #"{"error": "not-in-control", "message": "another client controls"}"#
        client.send(Array((notice + "\n").utf8), as: .text)
      }
    }
    for target in ["ws://\(server.address)/", "tcp://\(server.tcpAddress)"] {
      let stand = try SenderStand(target)
      try stand.start()
      #expect(stand.hears("error not-in-control: another client controls"))
      server.wait(milliseconds: 100)
      #expect(stand.lines.count == 3)
    }
  }

  @Test(arguments: ["ws", "tcp"])
  func `A target that returns gets the newest aim first, and the last one again`(kind: String)
    throws
  {
    var server: TestServer? = try TestServer()
    let webSocket = server!.address
    let tcp = server!.tcpAddress
    let text = kind == "ws" ? "text" : "binary"
    let stand = try SenderStand(kind == "ws" ? "ws://\(webSocket)/" : "tcp://\(tcp)")
    func restart() throws {
      server = try TestServer { configuration, _ in
        configuration.webSocket = [webSocket]
        configuration.tcp = [tcp]
      }
    }
    try stand.start()
    try stand.send("X10.")
    #expect(server!.hears("1 \(text) X10."))
    try server!.shutDown()
    #expect(stand.hears("disconnected: it closed with 1001: `the bench is stopping`"))
    for degrees in 20...60 { try stand.send("X\(degrees).") }
    // Connections are refused meanwhile.
    #expect(stand.hears("disconnected: Connection refused", times: 2))
    try restart()
    #expect(server!.hears("1 \(text) X60."))
    #expect(
      server!.lines(2).prefix(2) == [
        "joined 1 \(kind == "ws" ? "websocket" : "tcp")", "1 \(text) X60.",
      ])
    // Nothing new was sent meanwhile, so the last command is repeated.
    try server!.shutDown()
    #expect(SenderStand.wait { stand.lines.last?.hasPrefix("disconnected") == true })
    try restart()
    #expect(server!.hears("1 \(text) X60."))
    let counts = try stand.counts()
    #expect(counts.given == 42 && counts.replaced == 40 && counts.dropped == 0)
    #expect(counts.sent == 2 && counts.repeated == 1 && counts.connections == 3)
  }

  @Test
  func `An aim or an L given before the first connection waits, and a tone does not`() throws {
    let server = try TestServer()
    let stand = try SenderStand("ws://\(server.address)/")
    try stand.perform { sender in
      // In one step, because it could be connected in between.
      sender.start()
      for command in ["X1.", "T", "L", "X2.", "X3."] { sender.send(LinkCommand(text: command)) }
    }
    #expect(server.hears("1 text X3."))
    let told = server.lines(1).filter { $0.hasPrefix("1 text") }
    #expect(told == ["1 text L", "1 text X3."])
  }

  @Test func `Bytes that are not text are sent as a binary message`() throws {
    let server = try TestServer()
    let stand = try SenderStand("ws://\(server.address)/")
    try stand.perform { sender in
      sender.start()
      sender.send(LinkCommand([0xFF], .aim))
      sender.send(LinkCommand([0x41], .lost))
    }
    #expect(server.hears("1 text A"))
    #expect(server.lines(1).contains { $0.hasPrefix("1 binary") })
  }

  @Test func `Stopping sends pending commands, even before there is a connection`() throws {
    let server = try TestServer()
    for target in ["ws://\(server.address)/", "tcp://\(server.tcpAddress)"] {
      let stand = try SenderStand(target)
      try stand.perform { sender in
        sender.start()
        sender.send(.aim(7))
        sender.stop()
      }
      try stand.stop()
    }
    #expect(server.hears("1 text X7.") && server.hears("2 binary X7."))
    #expect(server.hears("left 1 closed") && server.hears("left 2 closed"))
  }

  @Test
  func `Stopping ends in time if no server is there or answers, and before the start`() throws {
    let silent = try ScriptedServer()
    let deaf = try ScriptedServer(accepts: true, reads: false)
    for target in [
      "ws://127.0.0.1:1/", "ws://127.0.0.1:\(silent.port)/", "ws://127.0.0.1:\(deaf.port)/",
    ] {
      let stand = try SenderStand(target) {
        $0.connectTime = .milliseconds(50)
        $0.answerTime = .milliseconds(50)
        $0.stopTime = .milliseconds(100)
      }
      try stand.start()
      try stand.send("X7.")
      if target.hasSuffix("\(deaf.port)/") { #expect(stand.hears("connected")) }
      try stand.stop()
    }
    try SenderStand("ws://127.0.0.1:1/").stop()
  }
}
