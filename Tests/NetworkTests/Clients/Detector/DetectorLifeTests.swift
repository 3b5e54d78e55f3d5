import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

/// The life of the connection to a detector, tested without a socket.
struct DetectorLifeTests {
  /// Takes events and returns the resulting actions as words.
  private struct Line {
    var life = DetectorLife(.detector, seed: 1)
    var now = Instant.zero

    mutating func take(_ events: Reconnection.Event...) -> [String] {
      events.flatMap { take(.link($0)) }
    }

    mutating func take(_ events: DetectorLife.Event...) -> [String] {
      events.flatMap { event in
        life.handle(event, at: now).map { action in
          switch action {
          case .report(.ready): "ready"
          case .report(.away(let why)): "away: \(why)"
          case .link(let action): "\(action)"
          case .deliver(let bytes, _): "deliver \(String(decoding: bytes, as: UTF8.self))"
          default: "\(action)"
          }
        }
      }
    }

    /// Advances to the deadline, and reports that time has passed.
    mutating func pass() -> [String] {
      now = max(now, life.nextDeadline ?? now)
      return take(.link(.passed))
    }
  }

  private static let answer = Array(#"{"hello": {"name": "x", "protocol": 1}}"#.utf8)
  private static let hello = DetectorLife.Event.received(answer, .text)

  @Test func `A detector is ready when it has answered the hello, and not before`() {
    var line = Line()
    #expect(line.take(.start) == ["connect"])
    #expect(line.take(.connected) == ["greet"])
    #expect(line.take(.opened) == ["sayHello"])
    #expect(!line.life.isReady)
    #expect(line.take(Self.hello) == ["ready"])
    #expect(line.life.isReady && line.life.nextDeadline == nil)
    #expect(line.take(.received(Array("{}".utf8), .text)) == ["deliver {}"])
  }

  @Test(arguments: [
    ("{}", MessageKind.text, "it does not answer as a detector"),
    ("at 90", .text, "it does not answer as a detector"),
    (#"{"hello": 1}"#, .text, "it does not answer as a detector"),
    (#"{"hello": {"protocol": 1}}"#, .binary, "it does not answer as a detector"),
    (#"{"hello": {}}"#, .text, "its answer has no version of the protocol"),
    (#"{"hello": {"protocol": "1"}}"#, .text, "its answer has no version of the protocol"),
    (#"{"hello": {"protocol": 2}}"#, .text, "it speaks version 2 of the protocol, not 1"),
  ])
  func `A server that answers otherwise is left`(
    _ text: String, _ kind: MessageKind, _ why: String
  ) {
    var line = Line()
    _ = line.take(.start, .connected, .opened)
    #expect(line.take(.received(Array(text.utf8), kind)) == ["cut", "away: \(why)"])
    #expect(line.take(Reconnection.Event.closed) == [])
    #expect(line.pass() == ["connect"])
  }

  @Test(arguments: [[Reconnection.Event](), [.opened]])
  func `A detector that does not answer in time is left`(_ before: [Reconnection.Event]) {
    var line = Line()
    _ = line.take(.start, .connected)
    for event in before { _ = line.take(event) }
    #expect(line.life.nextDeadline == Instant.zero + SenderSettings.detector.answerTime)
    #expect(line.take(.passed) == [])
    #expect(line.pass() == ["cut", "away: it did not answer in 3 s"])
  }

  @Test func `Each kind of failure is reported, and another attempt follows`() {
    var line = Line()
    _ = line.take(.start)
    #expect(line.take(.refused("Connection refused")) == ["away: Connection refused"])
    #expect(line.pass() == ["connect"])
    #expect(line.take(.connected, .lost("it closed"), .closed) == ["greet", "away: it closed"])
    #expect(line.pass() == ["connect"])
    _ = line.take(.connected, .opened)
    _ = line.take(Self.hello)
    #expect(line.take(.rejected("it was late")) == ["cut", "away: it was late"])
    // Each only once, and nothing when there is no connection.
    #expect(line.take(.closed, .lost("again"), .opened) == [])
    #expect(line.take(.rejected("again"), Self.hello) == [])
    #expect(line.pass() == ["connect"])
  }

  @Test func `One that answers only the hello does not make the wait short again`() throws {
    var line = Line()
    _ = line.take(.start)
    for isGood in [false, false, false, false, true] {
      _ = line.take(.connected, .opened)
      _ = line.take(Self.hello)
      if isGood { line.now += .seconds(1) }
      _ = line.take(.lost("no"), .closed)
      let wait = try #require(line.life.nextDeadline) - line.now
      #expect(!isGood || wait <= .milliseconds(250))
      #expect(wait <= .seconds(2))
      _ = line.pass()
    }
  }

  @Test func `A stop ends whatever there is, and passes on nothing more`() {
    var ready = Line()
    _ = ready.take(.start, .connected, .opened)
    _ = ready.take(Self.hello)
    #expect(ready.take(.end, .closed) == ["cut", "finish"])
    #expect(ready.take(Self.hello, .rejected("x")) == [])
    #expect(ready.take(.end, .passed, .start) == [])
    var greeted = Line()
    _ = greeted.take(.start, .connected, .opened, .end)
    #expect(greeted.take(Self.hello) == [])
  }

  @Test(arguments: Seeds.first(100))
  func `In any order of events a detector is ready after its hello, and only then`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var life = DetectorLife(.detector, seed: seed &+ 1_000)
    var link = LinkModel(seed: seed)
    var now = Instant.zero
    var isReady = false
    var isGreeted = false
    var readyCount = 0

    func handle(_ event: DetectorLife.Event) {
      for action in life.handle(event, at: now) {
        switch action {
        case .link(let action): link.carryOut(action)
        case .report(.ready):
          #expect(isGreeted && !isReady && event == Self.hello, "seed \(seed)")
          isReady = true
          readyCount += 1
        case .report(.away): #expect(!link.isUsed, "seed \(seed)")
        case .deliver: #expect(isReady, "seed \(seed)")
        case .sayHello:
          #expect(link.isUsed && !isGreeted, "seed \(seed)")
          isGreeted = true
        }
      }
      if !link.isUsed { (isReady, isGreeted) = (false, false) }
      #expect(life.isReady == isReady, "seed \(seed)")
      link.check(isStarted: true, isEnded: event == .link(.end), nextDeadline: life.nextDeadline)
    }

    handle(.link(.start))
    for _ in 0..<1_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...4: if let event = link.event(using: &random) { handle(.link(event)) }
      case 5, 6: if link.isUsed { handle(Self.hello) }
      case 7 where Int.random(in: 0..<4, using: &random) == 0: handle(.rejected("x"))
      default:
        now = LinkModel.later(now, life.nextDeadline, upTo: 500, using: &random)
        handle(.link(.passed))
      }
    }
    #expect(readyCount > 0, "seed \(seed)")
    handle(.link(.end))
  }
}
