import Sketches
import TestSupport
import Testing

@testable import TurretLink

/// What happens to commands while a target connects and disconnects, tested without a socket.
struct CommandDeliveryTests {
  /// Takes events and returns the resulting actions as words: `connect`, `X90.`, `(connecting)`.
  private struct Line {
    var delivery: CommandDelivery
    var now = Instant.zero
    /// Whether the socket accepts data.
    var hasRoom = true

    init(seed: UInt64 = 1) {
      delivery = CommandDelivery(SenderSettings(), seed: seed)
    }

    mutating func take(_ events: CommandDelivery.Event...) -> [String] {
      events.flatMap { take($0).map(Self.word) }
    }

    mutating func take(_ events: Reconnection.Event...) -> [String] {
      events.flatMap { take(.link($0)).map(Self.word) }
    }

    mutating func take(_ event: CommandDelivery.Event) -> [CommandDelivery.Action] {
      var actions = delivery.handle(event, at: now)
      while let action = delivery.next(hasRoom: hasRoom) { actions.append(action) }
      return actions
    }

    /// The time until the deadline, in milliseconds; nil for none.
    var wait: Int64? { delivery.nextDeadline.map { ($0 - now).nanoseconds / 1_000_000 } }

    /// Advances to the deadline.
    mutating func pass() -> [String] {
      now = max(now, delivery.nextDeadline ?? now)
      return take(.link(.passed)).map(Self.word)
    }

    mutating func give(_ commands: String...) -> [String] {
      commands.flatMap { take(.give(LinkCommand(text: $0), hasRoom: hasRoom)).map(Self.word) }
    }

    /// Connects until the server has accepted the connection.
    mutating func open() -> [String] { take(.start, .connected, .opened) }

    private static func word(_ action: CommandDelivery.Action) -> String {
      switch action {
      case .send(let command): String(decoding: command.bytes, as: UTF8.self)
      case .link(let action): "\(action)"
      case .report(let state): "(\(state))"
      default: "\(action)"
      }
    }
  }

  @Test func `The sender connects, is accepted, and sends`() {
    var line = Line()
    #expect(line.take(.start) == ["(connecting)", "connect"])
    #expect(line.take(.connected) == ["greet"])
    #expect(line.wait == 3_000)
    #expect(line.give("X1.").isEmpty)
    #expect(line.take(.opened) == ["(connected)", "X1."])
    #expect(line.wait == nil)
    #expect(line.give("X2.", "T") == ["X2.", "T"])
    #expect(line.delivery.counts.sent == 3)
  }

  @Test func `Only the newest aim and the newest L wait`() {
    var line = Line()
    _ = line.take(.start, .connected)
    #expect(line.give("X1.", "L", "T", "X2.", "X3.").isEmpty)
    #expect(line.take(.opened).suffix(2) == ["L", "X3."])
    let counts = line.delivery.counts
    #expect((counts.given, counts.replaced, counts.dropped, counts.sent) == (5, 2, 1, 2))
  }

  @Test(arguments: [
    ([], []), (["X1."], ["X1."]), (["X1.", "X2.", "X3."], ["X3."]), (["L", "L"], ["L"]),
    (["X1.", "L"], ["X1.", "L"]), (["X1.", "L", "X2."], ["L", "X2."]),
    (["L", "X1.", "L"], ["X1.", "L"]), (["X1.", "L", "X2.", "L", "X3.", "X4."], ["L", "X4."]),
  ])
  func `The newest aim and the newest L keep their order while they wait`(
    given: [String], sent: [String]
  ) {
    var line = Line()
    _ = line.take(.start, .connected)
    for command in given { #expect(line.give(command).isEmpty) }
    #expect(line.delivery.waitingCount == sent.count)
    #expect(line.delivery.counts.replaced == given.count - sent.count)
    #expect(line.take(.opened) == ["(connected)"] + sent)
    #expect(line.delivery.waitingCount == 0)
  }

  @Test func `Commands wait if the socket accepts no more`() {
    var line = Line()
    _ = line.open()
    line.hasRoom = false
    #expect(line.give("X1.", "X2.", "T").isEmpty)
    line.hasRoom = true
    #expect(line.delivery.next(hasRoom: true) == .send(.aim(2)))
    #expect(line.delivery.counts.dropped == 1)
  }

  @Test func `A target that returns is sent the pending commands, or else the last one again`() {
    for (meanwhile, expected) in [([], "X1."), (["T"], "X1."), (["X2."], "X2.")] {
      var line = Line()
      _ = line.open()
      _ = line.give("X1.")
      #expect(line.take(.lost("it closed")).last == "(disconnected: it closed)")
      for command in meanwhile { #expect(line.give(command).isEmpty) }
      #expect(line.take(.closed).isEmpty)
      #expect(line.pass() == ["(connecting)", "connect"])
      #expect(line.take(.connected, .opened).suffix(1) == [expected])
      #expect(line.delivery.counts.repeated == (expected == "X1." ? 1 : 0))
    }
  }

  @Test func `A server that does not answer is cut off, and the later close changes nothing`() {
    var line = Line()
    _ = line.take(.start, .connected)
    #expect(line.pass() == ["cut", "(disconnected: it did not answer in 3 s)"])
    #expect(line.take(.closed).isEmpty)
    #expect(line.pass() == ["(connecting)", "connect"])
  }

  @Test func `Stopping closes the connection in good order after the pending commands`() {
    var line = Line()
    _ = line.open()
    line.hasRoom = false
    _ = line.give("X1.")
    #expect(line.take(.stop).isEmpty)
    #expect(line.wait == 1_000)
    line.hasRoom = true
    #expect(line.delivery.next(hasRoom: true) == .send(.aim(1)))
    #expect(line.delivery.next(hasRoom: true) == .close)
    #expect(line.delivery.next(hasRoom: true) == nil)
    #expect(line.take(.lost("it closed"), .closed) == ["finish"])
    #expect(line.delivery.unsent == nil && line.wait == nil)
  }

  @Test func `Stopping waits for a connection only if a command is pending`() {
    var idle = Line()
    #expect(idle.take(.stop) == ["finish"])
    #expect(idle.take(.start).isEmpty)

    var empty = Line()
    _ = empty.take(.start)
    #expect(empty.take(.stop).isEmpty)
    // The attempt is still in progress, and results in a channel.
    #expect(empty.take(.connected, .closed) == ["discard", "finish"])

    var loaded = Line()
    _ = loaded.take(.start)
    _ = loaded.give("X7.")
    #expect(loaded.take(.stop).isEmpty)
    #expect(loaded.wait == 5_000)
    #expect(loaded.take(.connected, .opened) == ["greet", "(connected)", "X7.", "close"])
  }

  @Test func `A connection that is lost while stopping is made again only for a pending command`() {
    for (commands, words) in [([], ["finish"]), (["X1."], ["(disconnected: x)"])] {
      var line = Line()
      _ = line.open()
      line.hasRoom = false
      for command in commands { _ = line.give(command) }
      _ = line.take(.stop)
      #expect(line.take(.lost("x"), .closed) == words)
      #expect(line.delivery.nextDeadline == nil || !commands.isEmpty)
    }
  }

  @Test func `Commands that stopping could not send are reported`() {
    // Given after the stop; waiting at the end; sent on a connection that was lost.
    var late = Line()
    _ = late.open()
    _ = late.take(.stop)
    _ = late.give("X1.")
    #expect(late.delivery.counts.dropped == 1)
    _ = late.take(.lost("it closed"))
    #expect(late.delivery.unsent == .aim(1))

    var waiting = Line()
    _ = waiting.take(.start)
    _ = waiting.give("X2.")
    _ = waiting.take(.stop)
    #expect(waiting.pass().isEmpty)
    #expect(waiting.delivery.unsent == .aim(2))
    #expect(waiting.take(.refused("no")) == ["finish"])

    var doubtful = Line()
    _ = doubtful.open()
    _ = doubtful.give("X3.")
    _ = doubtful.take(.lost("it closed"))
    _ = doubtful.take(.stop)
    #expect(doubtful.delivery.unsent == .aim(3))

    // Sent, but the connection has had no room since then.
    var stuck = Line()
    _ = stuck.open()
    _ = stuck.give("X4.")
    stuck.hasRoom = false
    #expect(stuck.take(.stop).isEmpty)
    #expect(stuck.pass() == ["cut"])
    #expect(stuck.delivery.unsent == .aim(4))
  }

  @Test func `The time limit for stopping ends an unanswered closing handshake, once`() {
    var line = Line()
    _ = line.open()
    _ = line.give("X1.")
    #expect(line.take(.stop) == ["close"])
    #expect(line.pass() == ["cut"])
    // The channel closes late, but the command still counts as sent.
    #expect(line.pass().isEmpty)
    #expect(line.delivery.unsent == nil)
    #expect(line.take(.closed) == ["finish"])
  }

  @Test(arguments: Seeds.first(300))
  func `In any order of events every command is accounted for, over one connection`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var line = Line(seed: seed &+ 1_000)
    var link = LinkModel(seed: seed)
    var isStarted = false
    var isStopped = false

    func handle(_ event: CommandDelivery.Event) {
      for action in line.take(event) {
        switch action {
        case .link(let action): link.carryOut(action)
        case .send, .close: #expect(link.isUsed, "seed \(seed)")
        case .report(let state): #expect(state != .connected || link.isUsed, "seed \(seed)")
        }
      }
      let counts = line.delivery.counts
      let gone = counts.sent + counts.replaced + counts.dropped
      #expect(counts.given == gone + line.delivery.waitingCount, "seed \(seed)")
      #expect(line.delivery.waitingCount <= 2, "seed \(seed)")
      if event == .stop { isStopped = true }
      // A stop has a time limit until it is carried out.
      let deadline = line.delivery.nextDeadline
      let isEnded = isStopped && deadline == nil
      link.check(isStarted: isStarted, isEnded: isEnded, nextDeadline: deadline)
    }

    for step in 0..<200 {
      line.hasRoom = Bool.random(using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0, 1:
        isStarted = true
        handle(.link(.start))
      case 2...7:
        let text = ["X1.", "X22.", "L", "T"].randomElement(using: &random)!
        handle(.give(LinkCommand(text: text), hasRoom: line.hasRoom))
      case 8 where step > 150: handle(.stop)
      case 9...15: if let event = link.event(using: &random) { handle(.link(event)) }
      default:
        line.now = LinkModel.later(
          line.now, line.delivery.nextDeadline, upTo: 500, using: &random)
        handle(.link(.passed))
      }
    }
    // Whatever happens, or does not happen, after the stop: it ends in time.
    handle(.stop)
    while let deadline = line.delivery.nextDeadline {
      line.now = max(line.now, deadline)
      handle(.link(.passed))
    }
    #expect(!link.isUsed, "seed \(seed)")
    while let event = link.event(using: &random) { handle(.link(event)) }
    #expect(link.isFinished && line.delivery.waitingCount == 0, "seed \(seed)")
  }
}
