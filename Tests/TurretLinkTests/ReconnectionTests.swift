import Sketches
import TestSupport
import Testing

@testable import TurretLink

/// When an outgoing connection is made, given up and made again, tested without a socket.
struct ReconnectionTests {
  /// A time line: instants in milliseconds, events, and the actions as words. Waits are the longest
  /// of their range.
  private struct Line {
    var connection: Reconnection
    var now = Instant.zero

    init(_ settings: SenderSettings = SenderSettings()) {
      connection = Reconnection(settings, seed: nil)
    }

    mutating func take(_ events: Reconnection.Event...) -> [String] {
      events.flatMap { connection.handle($0, at: now) }.map { action in
        switch action {
        case .away(let why, let wait): "\(why), \(wait.nanoseconds / 1_000_000)"
        default: "\(action)"
        }
      }
    }

    /// Advances to the deadline, if there is one.
    mutating func pass() -> [String] {
      now = max(now, connection.nextDeadline ?? now)
      return take(.passed)
    }
  }

  private static let toOpen: [Reconnection.Event] = [.start, .connected, .opened]

  /// What follows when these events come at once, one after the other.
  static let lines: [(events: [Reconnection.Event], actions: [String])] = [
    ([.start], ["connect"]),
    ([.start, .start], ["connect"]),
    ([.start, .connected], ["connect", "greet"]),
    (toOpen, ["connect", "greet", "ready"]),
    (toOpen + [.opened, .connected], ["connect", "greet", "ready", "discard"]),
    // Each failure once, whatever follows it.
    ([.start, .refused("no"), .lost("x"), .givenUp("x")], ["connect", "no, 250"]),
    ([.start, .connected, .lost("no"), .closed, .opened], ["connect", "greet", "no, 250"]),
    (toOpen + [.lost(nil), .givenUp("x")], ["connect", "greet", "ready", "it closed, 250"]),
    (
      toOpen + [.givenUp("bad"), .lost("x"), .closed],
      ["connect", "greet", "ready", "cut", "bad, 250"]
    ),
    (toOpen + [.paused(until: .zero + .seconds(1))], ["connect", "greet", "ready"]),
    // Nothing before the start, and no attempt before it is due.
    ([.opened, .lost("x"), .givenUp("x"), .paused(until: .zero), .proven, .passed], []),
    ([.start, .refused("no"), .passed], ["connect", "no, 250"]),
    ([.start, .lost("x"), .givenUp("x"), .opened, .passed], ["connect"]),
    // The end waits until everything is closed.
    ([.end], ["finish"]),
    ([.end, .end, .start, .passed], ["finish"]),
    ([.start, .end], ["connect"]),
    ([.start, .end, .refused("no")], ["connect", "finish"]),
    ([.start, .end, .connected, .closed], ["connect", "discard", "finish"]),
    ([.start, .connected, .end, .closed], ["connect", "greet", "cut", "finish"]),
    (toOpen + [.end, .lost("x"), .closed], ["connect", "greet", "ready", "cut", "finish"]),
    (toOpen + [.lost("no"), .end], ["connect", "greet", "ready", "no, 250"]),
    (toOpen + [.lost("no"), .end, .closed], ["connect", "greet", "ready", "no, 250", "finish"]),
    ([.start, .refused("no"), .end], ["connect", "no, 250", "finish"]),
  ]

  @Test(arguments: lines.indices)
  func `Each event has its actions, and is ignored where it cannot be meant`(index: Int) {
    let (events, actions) = Self.lines[index]
    var line = Line()
    #expect(events.flatMap { line.take($0) } == actions)
  }

  @Test func `One that does not answer in time is given up, and tried again`() {
    var line = Line()
    #expect(line.take(.start) == ["connect"])
    #expect(line.connection.nextDeadline == nil)
    #expect(line.take(.connected) == ["greet"])
    #expect(line.connection.nextDeadline == .zero + .seconds(3))
    line.now += .milliseconds(2_999)
    #expect(line.take(.passed) == [])
    #expect(line.pass() == ["cut", "it did not answer in 3 s, 250"])
    #expect(line.connection.nextDeadline == .zero + .milliseconds(3_250))
    #expect(line.take(.closed) == [])
    #expect(line.pass() == ["connect"])
  }

  @Test func `After a pause the next attempt is due at its time, and the wait is as before`() {
    var line = Line()
    _ = line.take(.start, .refused("no"))
    #expect(line.pass() == ["connect"])
    _ = line.take(.connected, .opened, .paused(until: line.now + .milliseconds(40)), .closed)
    #expect(line.connection.nextDeadline == line.now + .milliseconds(40))
    #expect(line.pass() == ["connect"])
    #expect(line.take(.refused("no")) == ["no, 500"])
  }

  /// How long a connection is open, whether it is proven, and the wait after its loss, which
  /// follows three refusals of 100, 200 and 400 ms.
  static let waits: [(goodTime: Interval?, open: Int64, isProven: Bool, wait: Int64)] = [
    (.seconds(1), 0, false, 400), (.seconds(1), 999, false, 400), (.seconds(1), 1_000, false, 100),
    (.seconds(1), 0, true, 100), (nil, 0, false, 400), (nil, 1_000_000, false, 400),
    (nil, 0, true, 100),
  ]

  @Test(arguments: waits.indices)
  func `The wait doubles up to its limit, until a connection was good`(index: Int) {
    let row = Self.waits[index]
    var settings = SenderSettings()
    settings.backOffFirst = .milliseconds(100)
    settings.backOffMost = .milliseconds(400)
    settings.goodTime = row.goodTime
    var line = Line(settings)
    _ = line.take(.start)
    for wait in [100, 200, 400] {
      #expect(line.take(.refused("no")) == ["no, \(wait)"])
      #expect(line.pass() == ["connect"])
    }
    _ = line.take(.connected, .opened)
    if row.isProven { #expect(line.take(.proven) == []) }
    line.now += .milliseconds(row.open)
    #expect(line.take(.lost("no"), .closed) == ["no, \(row.wait)"])
    // Not answered in time, it was not open.
    _ = line.pass()
    _ = line.take(.connected, .proven)
    let next = min(400, row.wait * 2)
    #expect(line.pass() == ["cut", "it did not answer in 3 s, \(next)"])
  }

  @Test(arguments: Seeds.first(300))
  func `In any order of events there is one connection, its waits grow, and it ends for good`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var settings = SenderSettings()
    settings.goodTime = Bool.random(using: &random) ? .seconds(1) : nil
    var connection = Reconnection(settings, seed: seed &+ 1_000)
    var link = LinkModel(seed: seed)
    var now = Instant.zero
    var isStarted = false
    var isEnded = false
    /// The failures since the wait was reset, and since when the connection is open.
    var failures = 0
    var openSince: Instant?

    func handle(_ event: Reconnection.Event) {
      if case .end = event { isEnded = true }
      if case .proven = event, openSince != nil { failures = 0 }
      let openBefore = openSince
      for action in connection.handle(event, at: now) {
        link.carryOut(action)
        if case .ready = action { openSince = now }
        guard case .away(_, let wait) = action else { continue }
        if let openBefore, let good = settings.goodTime, now - openBefore >= good { failures = 0 }
        let most = min(250 << min(failures, 20), 8_000) * 1_000_000
        #expect((most / 2...most).contains(Int(wait.nanoseconds)), "seed \(seed): \(wait)")
        #expect(connection.nextDeadline == now + wait, "seed \(seed)")
        #expect(!isEnded, "seed \(seed)")
        failures += 1
      }
      if !link.isUsed { openSince = nil }
      #expect(connection.isOpen == (openSince != nil), "seed \(seed)")
      #expect(connection.isIdle == (!isStarted && !isEnded), "seed \(seed)")
      link.check(isStarted: isStarted, isEnded: isEnded, nextDeadline: connection.nextDeadline)
    }

    /// What the owner decides about the connection in use.
    let verdicts: [(Instant) -> Reconnection.Event] = [
      { _ in .givenUp("no") }, { .paused(until: $0 + .milliseconds(30)) }, { _ in .proven },
    ]
    for step in 0..<400 {
      switch Int.random(in: 0..<16, using: &random) {
      case 0 where step > 3:
        if !isEnded { isStarted = true }
        handle(.start)
      case 1 where step > 350: handle(.end)
      case 2...9:
        if var event = link.event(using: &random) {
          // The owner can know that the other end closed in order.
          if event == .lost(nil), Bool.random(using: &random) {
            event = .paused(until: now + .milliseconds(30))
          }
          handle(event)
        }
      case 10:
        let event = verdicts.randomElement(using: &random)!(now)
        // Only a connection that the other end has closed pauses.
        if case .paused = event, link.isUsed { continue }
        handle(event)
      // Late, or about another connection.
      case 11 where !link.isUsed: handle([.opened, .lost("x")].randomElement(using: &random)!)
      default:
        now = LinkModel.later(now, connection.nextDeadline, upTo: 500, using: &random)
        handle(.passed)
      }
    }
    handle(.end)
    while let event = link.event(using: &random) { handle(event) }
    #expect(link.isFinished, "seed \(seed)")
  }
}

struct BackOffTests {
  @Test func `The wait doubles up to its limit, and starts again after a success`() {
    var backOff = BackOff(first: .milliseconds(250), most: .seconds(8))
    var random: RandomStream?
    let waits = (0..<8).map { _ in backOff.wait(drawing: &random) }
    #expect(
      waits == [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000].map { .milliseconds($0) })
    backOff.reset()
    #expect(backOff.wait(drawing: &random) == .milliseconds(250))
  }

  @Test func `The random part is at most half of the wait, and differs each time`() {
    var random: RandomStream? = RandomStream(seed: 3, stream: 0)
    var waits: Set<Interval> = []
    for _ in 0..<1_000 {
      var backOff = BackOff(first: .milliseconds(250), most: .seconds(8))
      let wait = backOff.wait(drawing: &random)
      #expect(wait >= .milliseconds(125) && wait <= .milliseconds(250))
      waits.insert(wait)
    }
    #expect(waits.count > 900)
  }
}
