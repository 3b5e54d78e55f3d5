import Devices
import Sketches
import Testing

@testable import Engine

/// How a live session continues and ends, without a device, a network or a clock.
@Suite struct SessionLifeTests {
  /// A session's life with instants in milliseconds.
  struct Line {
    var life: SessionLife

    init(
      end: Int64? = nil, network: Bool = false, rejoins: Bool = true, commandLimit: Int64? = nil
    ) {
      life = SessionLife(
        end: end.map(Self.instant), hasNetwork: network, rejoins: rejoins,
        commandLimit: commandLimit.map { .milliseconds($0) })
    }

    static func instant(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    mutating func take(_ event: SessionLife.Event, at now: Int64) -> [SessionLife.Action] {
      life.handle(event, at: Self.instant(now))
    }

    /// Ends a command after `--` that started at 0, at this time.
    mutating func endCommand(
      at now: Int64, earliest: Int64 = 0, backlog: Interval = .zero
    ) -> [SessionLife.Action] {
      take(.waited(lag: .zero), at: 0)
        + take(.commandEnded(earliest: Self.instant(earliest), backlog: backlog), at: now)
    }

    /// The next deadline in milliseconds.
    func deadline(after now: Int64) -> Int64? {
      life.nextDeadline(after: Self.instant(now)).map { $0.nanoseconds / 1_000_000 }
    }
  }

  static let gone = DeviceError(.gone, "board: error: is gone")
  static let broken = DeviceError(.inputOutput, "board: error: cannot be read")
  static let idle = SessionLife.Event.line(onTheWay: 0, waiting: 0)

  static func end(_ milliseconds: Int64) -> [SessionLife.Action] {
    [.end(at: Line.instant(milliseconds))]
  }

  @Test(arguments: [false, true])
  func `The key that ends the session ends it as a signal does`(_ hasNetwork: Bool) {
    var line = Line(end: 9_000, network: hasNetwork)
    _ = line.take(.waited(lag: .zero), at: 0)
    #expect(line.take(.endKey, at: 70) == (hasNetwork ? [.leave] : Self.end(70)))
    #expect(line.take(.endKey, at: 80) == [])
    _ = line.take(.network(isDrained: true), at: 90)
    #expect(line.life.ending == .key)
  }

  @Test(arguments: [false, true])
  func `The end of a scene ends the session as its time does`(_ hasNetwork: Bool) {
    var line = Line(end: nil, network: hasNetwork)
    _ = line.take(.waited(lag: .zero), at: 0)
    #expect(line.take(.sceneOver, at: 70) == (hasNetwork ? [.leave] : Self.end(70)))
    #expect(line.take(.sceneOver, at: 80) == [])
    _ = line.take(.network(isDrained: true), at: 90)
    #expect(line.life.ending == .time)
  }

  // MARK: The start

  @Test func `The command starts once, when the device's lag is over`() {
    var line = Line()
    #expect(line.take(.waited(lag: .milliseconds(150)), at: 149) == [])
    #expect(line.take(.waited(lag: .milliseconds(150)), at: 150) == [.startCommand])
    #expect(line.take(.waited(lag: .milliseconds(150)), at: 151) == [])
  }

  @Test func `Without an end, a command or a failure, a session continues`() {
    var line = Line()
    #expect(line.take(.waited(lag: .zero), at: 0) == [.startCommand])
    #expect(line.take(.passed, at: .max / 2_000_000) == [])
    #expect(line.take(Self.idle, at: 5) == [])
    #expect(line.take(.network(isDrained: true), at: 5) == [])
    #expect(line.deadline(after: 5) == nil)
    #expect(line.life.lastInstant == .distantFuture)
    #expect(line.life.ending == nil)
  }

  // MARK: Endings

  @Test func `A signal ends a session without a network at once`() {
    var line = Line(end: 900)
    #expect(line.take(.signal(15), at: 70) == Self.end(70))
    #expect(line.life.ending == .signal(15))
    #expect(line.deadline(after: 70) == nil)
  }

  @Test func `Without a network, a session whose time is up has exactly the requested length`() {
    var line = Line(end: 250)
    let last = Line.instant(250) - .microseconds(1)
    #expect(line.life.lastInstant == last)
    #expect(line.life.nextDeadline(after: .zero) == last)
    #expect(line.take(.passed, at: 249) == [])
    #expect(line.life.handle(.passed, at: last) == Self.end(250))
    #expect(line.life.ending == .time)
  }

  @Test func `With a network, the session leaves when the time is up, and ends later`() {
    var line = Line(end: 250, network: true)
    #expect(line.life.lastInstant == .distantFuture)
    #expect(line.deadline(after: 0) == 250)
    #expect(line.take(.passed, at: 249) == [])
    #expect(line.take(.passed, at: 250) == [.leave])
    #expect(line.take(.network(isDrained: true), at: 260) == Self.end(260))
    #expect(line.life.ending == .time)
  }

  @Test func `After the command has ended, line and board stay quiet for 40 ms`() {
    var line = Line()
    #expect(line.endCommand(at: 1_000) == [.startCommand])
    #expect(line.take(.line(onTheWay: 3, waiting: 0), at: 1_000) == [])
    #expect(line.take(.line(onTheWay: 0, waiting: 2), at: 1_050) == [])
    #expect(line.take(Self.idle, at: 1_060) == [])
    #expect(line.deadline(after: 1_060) == 1_100)
    #expect(line.take(Self.idle, at: 1_099) == [])
    #expect(line.take(Self.idle, at: 1_100) == Self.end(1_100))
    #expect(line.life.ending == .command)
  }

  @Test func `A command that takes longer than its limit ends the session`() {
    var line = Line(commandLimit: 500)
    #expect(line.take(.passed, at: 40) == [])
    #expect(line.deadline(after: 40) == nil)
    #expect(line.take(.waited(lag: .zero), at: 50) == [.startCommand])
    #expect(line.deadline(after: 50) == 550)
    #expect(line.take(.passed, at: 549) == [])
    #expect(line.take(.passed, at: 550) == Self.end(550))
    #expect(line.life.ending == .commandTimeout(.milliseconds(500)))
    #expect(line.deadline(after: 550) == nil)
  }

  @Test func `A command that has ended has no limit`() {
    var line = Line(commandLimit: 500)
    _ = line.endCommand(at: 499, earliest: 3_000)
    #expect(line.deadline(after: 499) == 3_000)
    #expect(line.take(.passed, at: 500) == [])
    #expect(line.take(Self.idle, at: 500) == [])
    #expect(line.take(Self.idle, at: 3_000) == Self.end(3_000))
    #expect(line.life.ending == .command)
  }

  @Test func `With a network, the session leaves when its command takes too long`() {
    var line = Line(network: true, commandLimit: 500)
    _ = line.take(.waited(lag: .zero), at: 0)
    #expect(line.take(.passed, at: 500) == [.leave])
    #expect(line.take(.network(isDrained: true), at: 501) == Self.end(501))
    #expect(line.life.ending == .commandTimeout(.milliseconds(500)))
  }

  @Test func `The session's time and the command's limit count, and the earlier one ends it`() {
    for (end, limit, ending) in [
      (300, 500, SessionLife.Ending.time), (700, 500, .commandTimeout(.milliseconds(500))),
    ] {
      var line = Line(end: Int64(end), commandLimit: Int64(limit))
      _ = line.take(.waited(lag: .zero), at: 0)
      _ = line.take(.passed, at: 300)
      _ = line.take(.passed, at: 500)
      #expect(line.life.ending == ending)
    }
  }

  @Test func `A board that accepts nothing delays the command's end by 5 s and its backlog`() {
    var line = Line()
    _ = line.endCommand(at: 1_000, backlog: .seconds(2))
    #expect(line.take(.line(onTheWay: 1, waiting: nil), at: 7_999) == [])
    #expect(line.take(.line(onTheWay: 1, waiting: nil), at: 8_000) == Self.end(8_000))
  }

  @Test func `The command's end waits for what the judge still expects`() {
    var line = Line()
    _ = line.endCommand(at: 1_000, earliest: 3_000)
    #expect(line.take(Self.idle, at: 1_000) == [])
    #expect(line.deadline(after: 1_000) == 3_000)
    #expect(line.take(Self.idle, at: 2_999) == [])
    #expect(line.take(Self.idle, at: 3_000) == Self.end(3_000))
  }

  @Test func `The command's end counts once, and only after its start`() {
    var line = Line()
    let ended = SessionLife.Event.commandEnded(earliest: .zero, backlog: .zero)
    #expect(line.take(ended, at: 0) == [])
    #expect(line.deadline(after: 0) == nil)
    _ = line.endCommand(at: 10)
    #expect(line.take(Self.idle, at: 10) == [])
    #expect(line.take(ended, at: 90) == [])
    #expect(line.take(Self.idle, at: 110) == Self.end(110))
  }

  @Test func `The time and a signal end a session that is settling`() {
    var line = Line(end: 1_050)
    _ = line.endCommand(at: 1_000)
    #expect(line.take(.passed, at: 1_050) == Self.end(1_050))
    #expect(line.life.ending == .time)
    line = Line()
    _ = line.endCommand(at: 1_000)
    #expect(line.take(.signal(2), at: 1_001) == Self.end(1_001))
  }

  // MARK: Leaving

  @Test func `Leaving lasts until the network is drained`() {
    var line = Line(network: true)
    #expect(line.take(.signal(15), at: 100) == [.leave])
    #expect(line.life.isEnding && line.life.ending == nil)
    #expect(line.take(.network(isDrained: false), at: 100) == [])
    #expect(line.take(.network(isDrained: false), at: 900) == [])
    #expect(line.take(.network(isDrained: true), at: 901) == Self.end(901))
    #expect(line.life.ending == .signal(15))
  }

  @Test func `Leaving lasts 1 s at most, and bytes that the board has not taken are reported`() {
    var line = Line(network: true)
    _ = line.take(.signal(15), at: 100)
    #expect(line.take(.network(isDrained: false), at: 1_099) == [])
    #expect(line.take(.network(isDrained: false), at: 1_100) == [.reportUntaken] + Self.end(1_100))
  }

  @Test func `At the last moment, a drained network is not reported`() {
    var line = Line(network: true)
    _ = line.take(.signal(15), at: 100)
    #expect(line.take(.network(isDrained: true), at: 1_100) == Self.end(1_100))
  }

  @Test func `An output after the command's end keeps a session that is judged by silence`() {
    var line = Line()
    #expect(line.endCommand(at: 0) == [.startCommand])
    #expect(line.take(Self.idle, at: 1) == [])
    #expect(!line.life.isAboutToEnd(at: .zero + .milliseconds(40)))
    #expect(line.life.isAboutToEnd(at: .zero + .milliseconds(41)))
    #expect(line.take(.undecided(until: .zero + .milliseconds(900)), at: 41) == [])
    #expect(line.take(Self.idle, at: 41) == [])
    #expect(line.take(Self.idle, at: 900) == Self.end(900))
  }

  @Test func `While leaving, the line is checked every millisecond until the time is up`() {
    var line = Line(end: 500, network: true)
    _ = line.endCommand(at: 0)
    _ = line.take(.boardFailed(Self.gone), at: 0)
    #expect(line.deadline(after: 0) == 40)
    _ = line.take(.signal(15), at: 100)
    #expect(line.deadline(after: 300) == 301)
    #expect(line.deadline(after: 1_099) == 1_100)
    #expect(line.deadline(after: 1_200) == 1_100)
  }

  @Test func `The first ending wins`() {
    var line = Line(end: 500, network: true)
    #expect(line.take(.signal(2), at: 100) == [.leave])
    #expect(line.take(.signal(15), at: 110) == [])
    #expect(line.take(.boardFailed(Self.broken), at: 120) == [])
    #expect(line.take(.passed, at: 500) == [])
    #expect(line.take(.waited(lag: .zero), at: 510) == [])
    #expect(line.take(.network(isDrained: true), at: 520) == Self.end(520))
    #expect(line.life.ending == .signal(2))
    #expect(line.take(.network(isDrained: true), at: 530) == [])
  }

  // MARK: The board

  @Test func `A board that fails ends a session that does not wait for it, even with a network`() {
    var line = Line(network: true, rejoins: false)
    #expect(line.take(.boardFailed(Self.gone), at: 30) == Self.end(30))
    #expect(line.life.ending == .fault(Self.gone))
  }

  @Test func `A board that never worked is not waited for`() {
    var line = Line()
    #expect(line.take(.boardFailed(Self.broken), at: 30) == Self.end(30))
    #expect(line.life.ending == .fault(Self.broken))
  }

  @Test func `An absent board is checked for every 500 ms`() {
    var line = Line()
    #expect(line.take(.boardFailed(Self.gone), at: 30) == [.missBoard(Self.gone)])
    #expect(line.life.isBoardAway)
    #expect(line.deadline(after: 30) == 530)
    #expect(line.take(.boardFailed(Self.gone), at: 529) == [])
    #expect(line.take(.boardFailed(Self.gone), at: 540) == [.lookForBoard])
    #expect(line.take(.boardIsStillAway, at: 540) == [])
    #expect(line.deadline(after: 540) == 1_040)
    #expect(line.take(.boardFailed(Self.gone), at: 1_040) == [.lookForBoard])
  }

  @Test func `A reconnected board is sent to 100 ms after its sketch should run`() {
    var line = Line()
    _ = line.take(.boardFailed(Self.gone), at: 0)
    #expect(
      line.take(.boardIsBack(bootTime: .seconds(2)), at: 500)
        == [.welcomeBoard(listensAfter: .milliseconds(2_100))])
    #expect(!line.life.isBoardAway)
    #expect(line.deadline(after: 500) == nil)
  }

  @Test func `A board that has reconnected before is waited for after any failure`() {
    var line = Line()
    _ = line.take(.boardFailed(Self.gone), at: 0)
    _ = line.take(.boardIsBack(bootTime: .zero), at: 500)
    #expect(line.take(.boardFailed(Self.broken), at: 600) == [.missBoard(Self.broken)])
  }

  @Test func `While the board is away, the session starts its command, settles and ends as usual`()
  {
    var line = Line()
    _ = line.take(.boardFailed(Self.gone), at: 0)
    #expect(line.endCommand(at: 20) == [.startCommand])
    #expect(line.take(Self.idle, at: 20) == [])
    #expect(line.deadline(after: 20) == 60)
    #expect(line.take(Self.idle, at: 60) == Self.end(60))
    #expect(line.life.isBoardAway)
  }

  @Test func `Only an absent board is checked for`() {
    var line = Line()
    #expect(line.take(.boardIsStillAway, at: 10) == [])
    #expect(line.take(.boardIsBack(bootTime: .zero), at: 10) == [])
    #expect(!line.life.isBoardAway && line.deadline(after: 10) == nil)
    #expect(line.take(.boardFailed(Self.broken), at: 20) == Self.end(20))
  }
}
