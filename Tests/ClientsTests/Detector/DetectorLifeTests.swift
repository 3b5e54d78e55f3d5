import Networking
import TestSupport
import Testing
import Turret

@testable import Clients

/// The life of the connection to a detector, tested without a socket.
struct DetectorLifeTests {
  typealias Life = DetectorLife<SeededGenerator>

  /// Takes events and returns the resulting actions as words.
  private struct Line {
    var life = Life(.detector, random: SeededGenerator(seed: 1))
    var now = Instant.zero

    mutating func take(_ events: Life.Event...) -> [String] {
      events.flatMap { event in
        life.handle(event, at: now).map { action in
          switch action {
          case .report(.ready): "ready"
          case .report(.away(let why)): "away: \(why)"
          case .deliver(let bytes, _): "deliver \(String(decoding: bytes, as: UTF8.self))"
          default: "\(action)"
          }
        }
      }
    }

    /// Advances to the deadline, and reports that time has passed.
    mutating func pass() -> [String] {
      now = max(now, life.nextDeadline ?? now)
      return take(.passed)
    }
  }

  private static let answer = Array(#"{"hello": {"name": "x", "protocol": 1}}"#.utf8)
  private static let hello = Life.Event.received(answer, .text)

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
    #expect(line.take(.closed) == [])
    #expect(line.pass() == ["connect"])
  }

  @Test(arguments: [[Life.Event](), [.opened]])
  func `A detector that does not answer in time is left`(_ before: [Life.Event]) {
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
    _ = line.take(.connected, .opened, Self.hello)
    #expect(line.take(.rejected("it was late"), .closed) == ["cut", "away: it was late"])
    // Each only once, and nothing when there is no connection.
    #expect(line.take(.rejected("again"), .lost("again"), .opened, Self.hello) == [])
    #expect(line.pass() == ["connect"])
  }

  @Test func `The wait grows until a connection has lasted`() throws {
    var line = Line()
    var waits: [Interval] = []
    _ = line.take(.start)
    for _ in 0..<12 {
      _ = line.take(.refused("no"))
      waits.append(try #require(line.life.nextDeadline) - line.now)
      #expect(line.pass() == ["connect"])
    }
    #expect(waits[0] <= .milliseconds(250) && waits[11] >= .seconds(1))
    #expect(waits.allSatisfy { $0 <= .seconds(2) })
    // One that answers only the hello does not count as good.
    _ = line.take(.connected, .opened, Self.hello, .lost("no"), .closed)
    #expect(try #require(line.life.nextDeadline) - line.now >= .seconds(1))
    _ = line.pass()
    _ = line.take(.connected, .opened, Self.hello)
    line.now += .seconds(1)
    _ = line.take(.lost("no"), .closed)
    #expect(try #require(line.life.nextDeadline) - line.now <= .milliseconds(250))
  }

  @Test func `A stop ends whatever there is, and waits until it is closed`() {
    var idle = Line()
    #expect(idle.take(.stop) == ["finish"])
    #expect(idle.take(.start) == [])
    var connecting = Line()
    #expect(connecting.take(.start, .stop) == ["connect"])
    #expect(connecting.take(.connected) == ["discard"])
    #expect(connecting.take(.closed) == ["finish"])
    var refused = Line()
    #expect(refused.take(.start, .stop, .refused("no")) == ["connect", "finish"])
    var ready = Line()
    _ = ready.take(.start, .connected, .opened, Self.hello)
    #expect(ready.take(.stop, .closed) == ["cut", "finish"])
    #expect(ready.take(.stop, .passed, Self.hello, .rejected("x")) == [])
    var resting = Line()
    _ = resting.take(.start, .refused("no"))
    #expect(resting.take(.stop) == ["finish"])
    #expect(resting.life.nextDeadline == nil)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `There is one connection at a time, and its end is reported once`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var life = Life(.detector, random: SeededGenerator(seed: seed &+ 1_000))
    var now = Instant.zero
    /// Attempts and channels that the class would have.
    var attempts = 0
    var channels = 0
    var isReady = false
    var isUsed = false

    func check(_ actions: [Life.Action]) {
      for action in actions {
        switch action {
        case .connect:
          #expect(attempts == 0 && !isUsed, "seed \(seed)")
          attempts += 1
        case .greet: isUsed = true
        case .cut, .discard: isUsed = false
        case .report(.ready):
          #expect(isUsed && !isReady, "seed \(seed)")
          isReady = true
        case .report(.away):
          isReady = false
          isUsed = false
        case .deliver: #expect(isReady, "seed \(seed)")
        case .sayHello: #expect(isUsed, "seed \(seed)")
        case .finish: Issue.record("It was not stopped (seed \(seed)).")
        }
        #expect(life.isReady == isReady || action != actions.last, "seed \(seed)")
      }
    }

    check(life.handle(.start, at: now))
    var readyCount = 0
    for _ in 0..<1_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0 where attempts > 0:
        attempts -= 1
        check(life.handle(.refused("no"), at: now))
      case 1, 2:
        guard attempts > 0 else { continue }
        attempts -= 1
        channels += 1
        check(life.handle(.connected, at: now))
      case 3, 4: if isUsed { check(life.handle(.opened, at: now)) }
      case 5, 6: if isUsed { check(life.handle(Self.hello, at: now)) }
      case 7:
        if Bool.random(using: &random) { check(life.handle(.lost("x"), at: now)) }
        if Bool.random(using: &random) { check(life.handle(.rejected("x"), at: now)) }
      case 8 where channels > 0 && !isUsed:
        channels -= 1
        check(life.handle(.closed, at: now))
      default:
        if let deadline = life.nextDeadline, Bool.random(using: &random) {
          now = max(now, deadline)
        } else {
          now += .milliseconds(Int64.random(in: 0...500, using: &random))
        }
        check(life.handle(.passed, at: now))
      }
      if isReady { readyCount += 1 }
      // It never waits for nothing.
      #expect(isReady || attempts > 0 || life.nextDeadline != nil, "seed \(seed)")
    }
    #expect(readyCount > 10, "seed \(seed)")
  }
}
