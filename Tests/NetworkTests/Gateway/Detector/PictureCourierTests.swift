import Engine
import Logging
import NIOCore
import NIOPosix
import NetworkTestSupport
import Sketches
import TestSupport
import Testing

import TurretLink

@testable import Network

/// Pictures from clients of `/detect` to a detector and back, over the loopback.
@Suite(.ownThread) struct PictureCourierTests {
  private static func plan(_ address: String, answerTime: Interval = .seconds(10)) throws
    -> DetectorPlan
  {
    var plan = try DetectorPlan(address)
    plan.connection.backOffFirst = .milliseconds(10)
    plan.connection.backOffMost = .milliseconds(20)
    plan.limits.answerTime = answerTime
    return plan
  }

  private static func server(_ plan: DetectorPlan) throws -> BoardServer {
    try BoardServer(ArbiterSettings(firmware: .guarded, baud: 9_600), detector: plan)
  }

  private static func join(_ server: BoardServer) throws -> Wire {
    try Wire.webSocket(server.address, "/detect")
  }

  /// The client's next texts, up to and including one that contains this; nil if there is none.
  private static func texts(_ wire: Wire, through part: String) -> [String]? {
    var texts: [String] = []
    while let frame = wire.frame(), frame.first == 0x81 {
      texts.append(String(decoding: frame.payload, as: UTF8.self))
      if texts[texts.count - 1].contains(part) { return texts }
    }
    return nil
  }

  private static func send(_ picture: String, _ wire: Wire) {
    wire.send(ClientFrame.bytes(0x82, Array(picture.utf8)))
  }

  private static let ready = #"{"notice": "detector-ready", "message": "#
  private static let away = #"{"notice": "detector-away", "message": "#

  @Test func `A client's picture is seen, and its command reaches the board`() throws {
    let detector = try FakeDetector()
    let server = try Self.server(Self.plan(detector.address))
    let wire = try Self.join(server)
    #expect(Self.texts(wire, through: Self.ready) != nil)
    Self.send("face", wire)
    #expect(
      Self.texts(wire, through: "seq") == [
        #"{"t": 0, "found": [], "seq": 1, "image": [320, 240], "ms": 1.5, "replaced": 0}"#
      ])
    #expect(detector.hears("picture 1: face"))
    wire.send(ClientFrame.text("X45."))
    #expect(Self.texts(wire, through: "X45") == ["X45.\n"])
    wire.send(ClientFrame.text("no"))
    #expect(Self.texts(wire, through: "not-a-command") != nil)
  }

  @Test func `Every client is told the detector's state when it joins`() throws {
    // If a message could be lost, it would be in one of many connections.
    let detector = try FakeDetector { $0.greetsAtOnce = true }
    for _ in 0..<10 {
      let server = try Self.server(Self.plan(detector.address))
      let wires = try (0..<4).map { _ in try Self.join(server) }
      for wire in wires {
        let texts = Self.texts(wire, through: Self.ready)
        #expect(texts?.count == 1 || texts?.count == 2 && texts?[0].hasPrefix(Self.away) == true)
      }
    }
    let absent = try FakeDetector()
    let address = absent.address
    absent.stop()
    let wire = try Self.join(Self.server(Self.plan(address)))
    #expect(Self.texts(wire, through: Self.away)?.count == 1)
  }

  @Test func `A client that is not in control cannot show the detector anything`() throws {
    let detector = try FakeDetector()
    let server = try Self.server(Self.plan(detector.address))
    let first = try Self.join(server)
    #expect(Self.texts(first, through: Self.ready) != nil)
    let second = try Self.join(server)
    #expect(Self.texts(second, through: Self.ready) != nil)
    Self.send("no", second)
    #expect(
      Self.texts(second, through: "seq") == [
        #"{"seq": 1, "error": "Not in control: another client controls the turret."}"#
      ])
    Self.close(first)
    // It was never notified that it was not in control, so it is not notified that it has gained
    // control.
    second.send(ClientFrame.text("X10."))
    #expect(Self.texts(second, through: "X10") != nil)
    Self.send("yes", second)
    #expect(Self.texts(second, through: #""seq": 2, "image""#)?.count == 1)
    #expect(detector.lines.filter { $0.hasPrefix("picture") } == ["picture 1: yes"])
  }

  private static func close(_ wire: Wire) {
    wire.send(ClientFrame.close(1000))
    _ = wire.closing()
  }

  @Test func `A detector that is killed and started again is used again`() throws {
    var detector = try FakeDetector()
    let port = detector.port
    let server = try Self.server(Self.plan(detector.address))
    let wire = try Self.join(server)
    #expect(Self.texts(wire, through: Self.ready) != nil)
    for number in 1...3 {
      Self.send("face", wire)
      #expect(Self.texts(wire, through: #""seq": \#(number), "image""#)?.count == 1)
      detector.stop()
      #expect(Self.texts(wire, through: Self.away)?.count == 1)
      detector = try FakeDetector(port: port)
      #expect(Self.texts(wire, through: Self.ready)?.count == 1)
    }
  }

  @Test func `A detector that does not answer a picture is left and connected to again`() throws {
    let detector = try FakeDetector { $0.answer = { _ in nil } }
    let server = try Self.server(Self.plan(detector.address, answerTime: .milliseconds(30)))
    let wire = try Self.join(server)
    #expect(Self.texts(wire, through: Self.ready) != nil)
    Self.send("face", wire)
    #expect(
      Self.texts(wire, through: Self.ready)?.map { $0.prefix(26) } == [
        #"{"seq": 1, "error": "The d"#, Self.away.prefix(26), Self.ready.prefix(26),
      ])
    #expect(detector.hears("hello", times: 2))
  }

  @Test func `Each of many pictures at once has an answer, and the last one is seen`() throws {
    let detector = try FakeDetector()
    let server = try Self.server(Self.plan(detector.address))
    let wire = try Self.join(server)
    #expect(Self.texts(wire, through: Self.ready) != nil)
    for number in 1...40 { Self.send("\(number)", wire) }
    let texts = try #require(Self.texts(wire, through: #""seq": 40, "image""#))
    let numbers = texts.compactMap { text in
      text.split(separator: "\"seq\": ").last?.prefix { $0.isNumber }
    }.compactMap { Int($0) }
    #expect(numbers.sorted() == Array(1...40))
    #expect(texts.last?.contains("\"replaced\": ") == true)
    #expect(detector.lines.last == "picture \(texts.count { $0.contains("found") }): 40")
  }

  @Test func `A picture that is too large is answered, and a message above the limit ends it`()
    throws
  {
    let detector = try FakeDetector()
    let server = try Self.server(Self.plan(detector.address))
    let wire = try Self.join(server)
    #expect(Self.texts(wire, through: Self.ready) != nil)
    wire.send(ClientFrame.bytes(0x82, [UInt8](repeating: 1, count: 200_001)))
    #expect(
      Self.texts(wire, through: "seq") == [
        #"{"seq": 1, "error": "A picture can have at most 200000 bytes."}"#
      ])
    wire.send(ClientFrame.bytes(0x82, [UInt8](repeating: 0x31, count: 200_000)))
    #expect(Self.texts(wire, through: #""seq": 2, "image""#)?.count == 1)
    wire.send([0x82, 0xFF, 0, 0, 0, 0, 0, 0x0F, 0x42, 0x41, 1, 2, 3, 4])
    #expect(wire.closing().code == CloseCode.tooBig)
    // A text message has the same limit as every client's.
    let other = try Self.join(server)
    #expect(Self.texts(other, through: Self.ready) != nil)
    other.send([0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 3, 4])
    #expect(other.closing().code == CloseCode.tooBig)
  }
}
