import Aim
import TestSupport
import Testing

@testable import TurretLink

/// What a phone's connection does, tested without a socket or a clock.
struct TurretLinkTests {
  /// A time line in seconds. Waits are the longest of their range.
  private struct Line {
    var link: TurretLink
    var now = 0.0
    /// Whether changes of the status are returned, as `(connecting)`.
    var showsStatus = false

    init(rate: Double? = nil) {
      var settings = TurretLink.Settings()
      settings.commandsPerSecond = rate
      link = TurretLink(settings, seed: nil)
    }

    mutating func take(_ events: TurretLink.Event...) -> [String] {
      events.flatMap { link.handle($0, at: now) }.compactMap { action in
        switch action {
        case .connect: "connect"
        case .send(let command): command.text
        case .close: "close"
        case .show(let status): showsStatus ? "(\(status.connection))" : nil
        }
      }
    }

    /// Advances to the deadline. Returns the time that passed and what follows.
    mutating func pass() -> [String] {
      guard let deadline = link.waitUntil else { return ["nothing"] }
      let wait = ((deadline - now) * 1_000).rounded()
      now = max(now, deadline)
      return ["\(Int(wait)) ms"] + take(.passed)
    }

    mutating func open() -> [String] { take(.start, .connected) }
  }

  /// What a gateway sends.
  private static func notice(_ code: String, _ message: String = "") -> TurretLink.Event {
    .message(#"{"notice": "\#(code)", "message": "\#(message)"}"#)
  }

  private static func error(_ code: String, _ message: String = "") -> TurretLink.Event {
    .message(#"{"error": "\#(code)", "message": "\#(message)"}"#)
  }

  @Test func `It connects, shows that it is connected, and sends`() {
    var line = Line()
    line.showsStatus = true
    #expect(line.link.status.connection == .ended)
    #expect(line.take(.start) == ["(connecting)", "connect"])
    #expect(line.take(.connected) == ["(connected)"])
    #expect(line.take(.send(.aim(90))) == ["X90."])
    #expect(line.take(.send(.lost)) == ["L"])
    #expect(line.link.waitUntil == nil)
  }

  @Test func `A command that equals the last one is not sent again`() {
    var line = Line()
    _ = line.open()
    #expect(
      line.take(.send(.lost), .send(.lost), .send(.aim(1)), .send(.aim(1)), .send(.lost))
        == ["L", "X1.", "L"])
  }

  @Test func `At a rate the newest command is sent when it is due`() {
    var line = Line(rate: 10)
    _ = line.open()
    #expect(line.take(.send(.aim(1)), .send(.aim(2)), .send(.aim(3))) == ["X1."])
    #expect(line.pass() == ["100 ms", "X3."])
    #expect(line.link.waitUntil == nil)
  }

  @Test func `Commands given while it connects wait: the newest aim and the newest L`() {
    var line = Line()
    _ = line.take(.start)
    #expect(line.take(.send(.aim(1)), .send(.lost), .send(.aim(2)), .send(.aim(3))) == [])
    #expect(line.take(.connected) == ["L", "X3."])
  }

  @Test
  func `The pause doubles with each failure up to the longest, and a good connection ends it`() {
    var line = Line()
    _ = line.take(.start)
    for wait in [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000] {
      #expect(line.take(.closed("no route")) == [])
      #expect(line.link.status.connection == .disconnected("no route"))
      #expect(line.pass() == ["\(wait) ms", "connect"])
    }
    _ = line.take(.connected)
    line.now += 2
    _ = line.take(.closed(nil))
    #expect(line.pass() == ["250 ms", "connect"])
  }

  @Test func `A gateway that never answers is given up`() {
    var line = Line()
    _ = line.take(.start)
    #expect(line.pass() == ["5000 ms", "close"])
    #expect(line.link.status.connection == .disconnected("it did not answer in 5 s"))
    #expect(line.pass() == ["250 ms", "connect"])
    #expect(line.take(.connected) == [])
    #expect(line.link.waitUntil == nil)
  }

  @Test func `After a reconnection the last command is sent in any case`() {
    var line = Line()
    _ = line.open()
    _ = line.take(.send(.aim(70)), .closed("reset"))
    #expect(line.pass() == ["250 ms", "connect"])
    #expect(line.take(.connected) == ["X70."])
    #expect(line.take(.send(.aim(70))) == [])
  }

  @Test func `After a reconnection a newer command is sent instead of the last one`() {
    var line = Line()
    _ = line.open()
    _ = line.take(.send(.aim(70)), .closed("reset"))
    #expect(line.take(.send(.aim(71))) == [])
    _ = line.pass()
    #expect(line.take(.connected) == ["X71."])
  }

  @Test func `While another client is in control nothing is sent, and then the newest command`() {
    var line = Line()
    _ = line.open()
    #expect(line.take(.send(.aim(1)), Self.error("not-in-control")) == ["X1."])
    #expect(line.link.status.control == .elsewhere)
    #expect(line.link.status.notice == .notInControl)
    #expect(line.take(.send(.aim(2)), .send(.lost), .send(.aim(3))) == [])
    #expect(line.take(Self.notice("control-gained")) == ["X3."])
    #expect(line.link.status.control == .here && line.link.status.notice == nil)
    #expect(line.take(.send(.aim(4))) == ["X4."])
  }

  @Test func `A command that was refused for lack of control is sent when it is this phone's turn`()
  {
    var line = Line()
    _ = line.open()
    _ = line.take(.send(.aim(1)), Self.error("not-in-control"))
    #expect(line.take(Self.notice("control-gained")) == ["X1."])
  }

  @Test func `What waits for its turn is sent on the next connection`() {
    var line = Line()
    _ = line.open()
    _ = line.take(.send(.aim(1)), Self.error("control-lost"), .send(.aim(2)), .closed(nil))
    _ = line.pass()
    #expect(line.take(.connected) == ["X2."])
    #expect(line.link.status.control == .unknown)
  }

  @Test func `Without room the newest command waits, and a new connection has room`() {
    var line = Line()
    _ = line.open()
    #expect(line.take(.send(.aim(1)), .room(false), .send(.aim(2)), .send(.aim(3))) == ["X1."])
    #expect(line.link.waitsForRoom && line.link.waitUntil == nil)
    #expect(line.take(.room(false), .passed) == [])
    #expect(line.take(.room(true)) == ["X3."])
    #expect(!line.link.waitsForRoom)
    #expect(line.take(.room(false), .send(.aim(4)), .closed(nil)) == [])
    #expect(!line.link.waitsForRoom)
    #expect(line.pass() == ["250 ms", "connect"])
    #expect(line.take(.connected) == ["X4."])
  }

  @Test func `What waits for room is sent before a sleep, and not while another is in control`() {
    var line = Line()
    _ = line.open()
    #expect(line.take(.room(false), .send(.aim(1)), Self.error("not-in-control")) == [])
    #expect(!line.link.waitsForRoom)
    #expect(line.take(.room(true)) == [])
    #expect(line.take(Self.notice("control-gained")) == ["X1."])
    #expect(line.take(.room(false), .send(.aim(2)), .sleep) == ["X2.", "close"])
  }

  @Test func `The pauses of two links differ by their random part, and those of one seed do not`() {
    func pauses(seed: UInt64) -> [Double?] {
      var link = TurretLink(seed: seed)
      _ = link.handle(.start, at: 0)
      return (0..<4).map { _ in
        _ = link.handle(.closed(nil), at: 0)
        defer { _ = link.handle(.passed, at: 100) }
        return link.waitUntil
      }
    }
    #expect(pauses(seed: 1) == pauses(seed: 1))
    #expect(Set((1...50).flatMap { pauses(seed: $0) }).count > 150)
  }

  @Test func `After a sleep nothing from before is sent, and the first command is in any case`() {
    var line = Line(rate: 10)
    line.showsStatus = true
    _ = line.open()
    #expect(line.take(.send(.aim(50)), .send(.aim(51))) == ["X50."])
    // What waits for its turn is sent before the connection is closed.
    #expect(line.take(.sleep) == ["(asleep)", "X51.", "close"])
    #expect(line.link.waitUntil == nil)
    #expect(line.take(.send(.aim(52)), .passed, .sleep, .closed("late")) == [])
    #expect(line.take(.wake) == ["(connecting)", "connect"])
    #expect(line.take(.connected) == ["(connected)"])
    #expect(line.take(.send(.aim(51))) == ["X51."])
    #expect(line.take(.wake) == [])
  }

  @Test func `A link that is stopped does nothing until it is started again`() {
    var line = Line()
    _ = line.open()
    #expect(line.take(.stop) == ["close"])
    #expect(line.link.status.connection == .ended && line.link.waitUntil == nil)
    #expect(line.take(.send(.aim(1)), .connected, .closed("x"), .passed, .stop, .wake) == [])
    #expect(line.open() == ["connect"])
    #expect(line.take(.start) == [])
  }

  @Test func `A link that sleeps while it is started connects when it wakes`() {
    var line = Line()
    #expect(line.take(.sleep, .start) == [])
    #expect(line.link.status.connection == .asleep)
    #expect(line.take(.wake) == ["connect"])
  }

  @Test func `An empty command is not sent, and bytes are sent as they are`() {
    var link = TurretLink()
    _ = link.handle(.start, at: 0) + link.handle(.connected, at: 0)
    #expect(link.handle(.send(LinkCommand([], .lost)), at: 0) == [])
    let command = LinkCommand([0xFF, 90], .aim)
    #expect(link.handle(.send(command), at: 1) == [.send(command)])
  }

  @Test(arguments: [Double.nan, -1, 0, .infinity, 1e300])
  func `Settings that make no sense do not trap`(value: Double) {
    var settings = TurretLink.Settings()
    settings.commandsPerSecond = value
    settings.firstPause = value
    settings.longestPause = value
    settings.connectTime = value
    var link = TurretLink(settings)
    var now = 0.0
    _ = link.handle(.start, at: now)
    for _ in 0..<200 {
      now = max(now, link.waitUntil ?? now)
      _ = link.handle(.send(.aim(1)), at: now) + link.handle(.passed, at: now)
      _ = link.handle(.closed(nil), at: now)
    }
    #expect(link.status.connection != .ended)
  }

  @Test func `The gateway's text is shown without its control characters`() {
    var line = Line()
    _ = line.open()
    _ = line.take(.message(#"{"error": "x", "message": "\u001b[2J"}"#))
    #expect(line.link.status.notice?.description.contains("\u{1b}") == false)
  }

  static let notices: [(text: String, notice: Notice?)] = [
    (
      #"{"error": "not-a-command", "message": "200 is out of range"}"#,
      .notACommand("200 is out of range")
    ),
    (#"{"error": "no-board"}"#, .noBoard), (#"{"error": "late"}"#, .late),
    (#"{"error": "queue-full"}"#, .queueFull), (#"{"error": "leaving"}"#, .leaving),
    (#"{"notice": "new", "message": "words"}"#, .other(code: "new", "words")),
    ("the board's answer", nil), ("{", nil), (#"{"seq": 1}"#, nil), ("", nil),
  ]

  @Test(arguments: notices.indices)
  func `Notices of the gateway are told from answers of the board`(index: Int) {
    var line = Line()
    _ = line.open()
    #expect(line.take(.message(Self.notices[index].text)) == [])
    #expect(line.link.status.notice == Self.notices[index].notice)
    #expect(line.link.status.notice?.description.isEmpty != true)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func `A time that makes no sense does not trap`(time: Double) {
    var link = TurretLink()
    for event in [TurretLink.Event.start, .connected, .send(.aim(1)), .closed(nil), .passed] {
      _ = link.handle(event, at: time)
    }
    #expect(link.status.connection != .ended)
  }

  @Test(arguments: Seeds.first(300))
  func `In any order of events it sends only on a connection, and never stops by itself`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var settings = TurretLink.Settings()
    settings.commandsPerSecond = [nil, 5, 20].randomElement(using: &random)!
    var link = TurretLink(settings, seed: seed &+ 1_000)
    var now = 0.0
    var (isStarted, isAsleep, isTrying, isOpen) = (false, false, false, false)
    var newest: String?
    var lastSent: String?

    func handle(_ event: TurretLink.Event) {
      for action in link.handle(event, at: now) {
        switch action {
        case .connect:
          #expect(!isTrying && !isOpen, "seed \(seed): a second connection")
          isTrying = true
        case .send(let command):
          #expect(isOpen, "seed \(seed): \(command.text) without a connection")
          #expect(link.status.control != .elsewhere, "seed \(seed)")
          lastSent = command.text
        case .close:
          #expect(isTrying || isOpen, "seed \(seed): nothing to close")
          (isTrying, isOpen) = (false, false)
        case .show(let status): #expect(status == link.status, "seed \(seed)")
        }
      }
      if isStarted, !isAsleep, !isOpen {
        #expect(link.waitUntil != nil, "seed \(seed): it waits for nothing after \(event)")
      }
    }

    for _ in 0..<200 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        isStarted = true
        handle(.start)
      case 1 where Bool.random(using: &random):
        isAsleep = true
        handle(.sleep)
        #expect(!isTrying && !isOpen, "seed \(seed)")
      case 2:
        isAsleep = false
        handle(.wake)
      case 3 where Int.random(in: 0..<8, using: &random) == 0:
        isStarted = false
        handle(.stop)
        #expect(!isTrying && !isOpen && link.waitUntil == nil, "seed \(seed)")
      case 4...6 where isTrying:
        (isTrying, isOpen) = (false, true)
        handle(.connected)
      case 7 where isTrying || isOpen:
        (isTrying, isOpen) = (false, false)
        handle(.closed(Bool.random(using: &random) ? nil : "reset"))
      case 8 where isOpen: handle(Self.error("not-in-control"))
      case 9, 10: if isOpen { handle(Self.notice("control-gained")) }
      case 11...15:
        let command: LinkCommand =
          Bool.random(using: &random) ? .lost : .aim(Int.random(in: 0...3, using: &random))
        if isStarted, !isAsleep { newest = command.text }
        handle(.send(command))
      case 16: handle(.room(Bool.random(using: &random)))
      default:
        now = max(now + Double.random(in: 0...0.3, using: &random), now)
        if let deadline = link.waitUntil, Bool.random(using: &random) { now = max(now, deadline) }
        handle(.passed)
      }
    }
    // Once the gateway is there and obeys this phone, the turret does what was wanted last.
    isAsleep = false
    handle(.wake)
    isStarted = true
    handle(.start)
    handle(.room(true))
    handle(.send(.aim(100)))
    newest = "X100."
    for _ in 0..<10 {
      if isTrying {
        (isTrying, isOpen) = (false, true)
        handle(.connected)
      }
      if isOpen, link.status.control == .elsewhere { handle(Self.notice("control-gained")) }
      guard let deadline = link.waitUntil else { break }
      now = max(now, deadline)
      handle(.passed)
    }
    #expect(isOpen && lastSent == newest, "seed \(seed)")
  }
}
