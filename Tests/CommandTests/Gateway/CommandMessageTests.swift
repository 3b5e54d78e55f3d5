import Foundation
import TestSupport
import Testing

/// What the board receives of clients' messages, and how these are answered.
@Suite(.ownThread) struct CommandMessageTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var what: String
    var messages: [String]
    /// Everything that reaches the board.
    var board: String
    /// A text in each answer, in order.
    var answers: [String] = []
    var testDescription: String { what }
  }

  private static let cases = [
    Case(what: "one", messages: ["X45."], board: "X45."),
    Case(what: "three in a message", messages: ["X90.LC"], board: "X90.LC"),
    Case(what: "one in four messages", messages: ["X", "9", "0", ".L"], board: "X90.L"),
    Case(what: "line ends between", messages: ["L\r\n", " C\n"], board: "LC"),
    Case(
      what: "a letter that is no command", messages: ["Z", "L"], board: "L",
      answers: [#""bytes": "Z""#]),
    Case(
      what: "an angle over 180", messages: ["X999.", "L"], board: "L",
      answers: ["not-a-command"]),
    Case(
      what: "a number cut off", messages: ["X4", "L"], board: "L", answers: [#""bytes": "X4""#]),
    Case(
      what: "a number without its end", messages: ["LX90"], board: "L",
      answers: [#""bytes": "X90""#]),
  ]

  @Test func `The board gets whole commands, and the sender is told of the rest`() async throws {
    let stage = try await GatewayStage()
    var board = ""
    // Each sender is new, and what the one before it left unfinished is of no consequence.
    for one in Self.cases {
      do {
        let peer = try stage.connect()
        for message in one.messages { peer.send(message) }
        for text in one.answers {
          guard case .text(let answer) = peer.receive() else {
            Issue.record("\(one): no answer with \(text)")
            return
          }
          #expect(answer.contains(text), "\(one)")
          #expect(answer.hasPrefix(#"{"error": "not-a-command""#), "\(one)")
        }
        board += one.board
        try await Stage.wait("\(one)", within: 10) { stage.received.count >= board.count }
      }
      try await stage.metric("clients{kind=\"websocket\"}", is: 0)
      #expect(stage.received == board, "\(one)")
    }
    _ = try await stage.terminate()
    #expect(stage.received == board)
  }

  @Test func `Bare TCP gives the same result, with a line for each message`() async throws {
    let stage = try await GatewayStage(tcp: true)
    let socket = try PlainSocket(port: stage.tcpPort)
    socket.write("ZX4".utf8)
    #expect(socket.read(through: "\n").contains(#""bytes": "Z""#))
    socket.write("5.L".utf8)
    try await stage.recorded("\"rx\", \"L\"")
    #expect(stage.received == "X45.L")
  }

  @Test func `In raw mode every byte is passed on unchanged`() async throws {
    let stage = try await GatewayStage(["--raw"])
    let peer = try stage.connect()
    peer.send("X999.Z\n")
    peer.send(binary: [0, 0x80, 0xFF])
    let all = "X999.Z\n\u{0}\u{80}\u{FF}"
    try await Stage.wait("the bytes", within: 10) { stage.received.count >= all.count }
    _ = try await stage.terminate()
    #expect(stage.received == all)
  }

  @Test func `With first, the second client is told once, and controls when the first has left`()
    async throws
  {
    let stage = try await GatewayStage(["--control", "first"])
    let second: WebSocketPeer
    do {
      let first = try stage.connect()
      second = try stage.connect()
      second.send("X10.")
      second.send("X11.")
      #expect(Self.code(second.receive()) == "not-in-control")
      first.send("X45.")
      try await stage.recorded("\"X45.\"")
    }
    #expect(Self.code(second.receive()) == "control-gained")
    second.send("X60.")
    try await stage.recorded("\"X60.\"")
    #expect(stage.received == "X45.X60.")
  }

  @Test func `With latest, the second client takes over, and the first is told`() async throws {
    let stage = try await GatewayStage(["--control", "latest"])
    let first = try stage.connect()
    first.send("X45.")
    try await stage.recorded("\"X45.\"")
    let second = try stage.connect()
    #expect(Self.code(first.receive()) == "control-lost")
    first.send("X10.")
    second.send("X60.")
    try await stage.recorded("\"X60.\"")
    #expect(stage.received == "X45.X60.")
  }

  /// Returns the code of an error or a notice.
  private static func code(_ message: WebSocketPeer.Message) -> String? {
    guard case .text(let text) = message,
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    else { return nil }
    return (object["error"] ?? object["notice"]) as? String
  }
}
