import TestSupport
import Testing
import Turret
import TurretProtocol

@testable import Clients

/// What happens to commands while a target connects and disconnects, tested without a socket.
struct CommandDeliveryTests {
  /// Takes events and returns the resulting actions as words: `connect`, `X90.`, `+step 3000` for
  /// an alarm in 3 s.
  private struct Line {
    var delivery: CommandDelivery<SeededGenerator>
    var now = Instant.zero
    /// Whether the socket accepts data.
    var hasRoom = true

    init(_ change: (inout SenderSettings) -> Void = { _ in }) {
      var settings = SenderSettings()
      change(&settings)
      delivery = CommandDelivery(settings, random: SeededGenerator(seed: 1))
    }

    mutating func take(_ events: CommandDelivery<SeededGenerator>.Event...) -> [String] {
      var words: [String] = []
      for event in events {
        for action in delivery.handle(event, at: now) { words.append(Self.word(action)) }
        while let action = delivery.next(hasRoom: hasRoom) { words.append(Self.word(action)) }
      }
      return words
    }

    mutating func give(_ commands: String...) -> [String] {
      commands.flatMap { take(.give(Command(text: $0), hasRoom: hasRoom)) }
    }

    /// Connects until the server has accepted the connection.
    mutating func open() -> [String] { take(.start, .connected, .opened) }

    private static func word(_ action: CommandDelivery<SeededGenerator>.Action) -> String {
      switch action {
      case .send(let command): String(decoding: command.bytes, as: UTF8.self)
      case .set(.step, let time): "+step \(time.nanoseconds / 1_000_000)"
      case .set(.stop, let time): "+stop \(time.nanoseconds / 1_000_000)"
      case .cancel(.step): "-step"
      case .cancel(.stop): "-stop"
      case .report(let state): "(\(state))"
      default: "\(action)"
      }
    }
  }

  private static let end = ["-step", "cut"]

  @Test func `The sender connects, is accepted, and sends`() {
    var line = Line()
    #expect(line.take(.start) == ["(connecting)", "connect"])
    #expect(line.take(.connected) == ["+step 3000", "greet"])
    #expect(line.give("X1.").isEmpty)
    #expect(line.take(.opened) == ["-step", "(connected)", "X1."])
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
    #expect(line.take(.opened) == ["-step", "(connected)"] + sent)
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
      #expect(line.take(.closed, .due(.step)) == ["(connecting)", "connect"])
      #expect(line.take(.connected, .opened).suffix(1) == [expected])
      #expect(line.delivery.counts.repeated == (expected == "X1." ? 1 : 0))
    }
  }

  @Test func `Waits between attempts grow until a connection has lasted for a while`() {
    var line = Line {
      $0.backOffFirst = .milliseconds(100)
      $0.backOffMost = .milliseconds(400)
    }
    func wait(_ words: [String]) -> Int {
      words.first.flatMap { Int($0.dropFirst("+step ".count)) } ?? -1
    }
    _ = line.take(.start)
    for most in [100, 200, 400, 400] {
      #expect((most / 2...most).contains(wait(line.take(.refused("no")))))
      _ = line.take(.due(.step))
    }
    _ = line.take(.connected, .opened)
    line.now += .milliseconds(999)
    #expect((200...400).contains(wait(line.take(.lost("it closed")))))
    _ = line.take(.closed, .due(.step), .connected, .opened)
    line.now += .seconds(1)
    #expect((50...100).contains(wait(line.take(.lost("it closed")))))
  }

  @Test func `A server that does not answer is cut off, and the later close changes nothing`() {
    var line = Line()
    _ = line.take(.start, .connected)
    let words = line.take(.due(.step))
    #expect(words.first == "cut" && words.last == "(disconnected: it did not answer in 3 s)")
    #expect(line.take(.closed).isEmpty)
    #expect(line.take(.due(.step)) == ["(connecting)", "connect"])
  }

  @Test func `Stopping closes the connection in good order after the pending commands`() {
    var line = Line()
    _ = line.open()
    line.hasRoom = false
    _ = line.give("X1.")
    #expect(line.take(.stop) == ["+stop 1000"])
    line.hasRoom = true
    #expect(line.delivery.next(hasRoom: true) == .send(.aim(1)))
    #expect(line.delivery.next(hasRoom: true) == .close)
    #expect(line.delivery.next(hasRoom: true) == nil)
    #expect(line.take(.lost("it closed"), .closed) == Self.end + ["-stop", "finish"])
    #expect(line.delivery.unsent == nil)
  }

  @Test func `Stopping waits for a connection only if a command is pending`() {
    var idle = Line()
    #expect(idle.take(.stop) == ["+stop 5000"] + Self.end + ["-stop", "finish"])
    #expect(idle.take(.start).isEmpty)

    var empty = Line()
    _ = empty.take(.start)
    #expect(empty.take(.stop) == ["+stop 5000"] + Self.end)
    // The attempt is still in progress, and results in a channel.
    #expect(empty.take(.connected) == ["discard"])
    #expect(empty.take(.closed) == ["-stop", "finish"])

    var loaded = Line()
    _ = loaded.take(.start)
    _ = loaded.give("X7.")
    #expect(loaded.take(.stop) == ["+stop 5000"])
    #expect(
      loaded.take(.connected, .opened) == [
        "+step 3000", "greet", "-step", "(connected)", "X7.", "close",
      ])
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
    #expect(waiting.take(.due(.stop)) == Self.end)
    #expect(waiting.delivery.unsent == .aim(2))
    #expect(waiting.take(.refused("no")) == ["-stop", "finish"])

    var doubtful = Line()
    _ = doubtful.open()
    _ = doubtful.give("X3.")
    _ = doubtful.take(.lost("it closed"))
    _ = doubtful.take(.stop)
    #expect(doubtful.delivery.unsent == .aim(3))
  }

  @Test func `The time limit for stopping ends an unanswered closing handshake, once`() {
    var line = Line()
    _ = line.open()
    _ = line.give("X1.")
    #expect(line.take(.stop) == ["+stop 1000", "close"])
    #expect(line.take(.due(.stop)) == Self.end)
    // The channel closes late, but the command still counts as sent.
    #expect(line.take(.due(.stop)).isEmpty)
    #expect(line.delivery.unsent == nil)
    #expect(line.take(.closed) == ["-stop", "finish"])
  }

  @Test func `Every command is accounted for in any order of events`() {
    var random = SeededGenerator(seed: 7)
    for round in 0..<2_000 {
      var line = Line()
      var (attempts, finishes) = (0, 0)
      for _ in 0..<40 {
        line.hasRoom = Bool.random(using: &random)
        let words =
          switch Int.random(in: 0..<20, using: &random) {
          case 0, 1: line.take(.start)
          case 2...7: line.give(["X1.", "X22.", "L", "T"].randomElement(using: &random)!)
          case 8: line.take(.stop)
          case 9...11: line.take(.connected)
          case 12...14: line.take(.opened)
          case 15, 16: line.take(.lost("it closed"))
          case 17: line.take(.due(.stop))
          case 18 where attempts > 0:
            {
              attempts -= 1
              return line.take(.closed)
            }()
          default: line.take(.due(.step))
          }
        attempts += words.count { $0 == "connect" }
        finishes += words.count { $0 == "finish" }
        let counts = line.delivery.counts
        let gone = counts.sent + counts.replaced + counts.dropped
        #expect(counts.given == gone + line.delivery.waitingCount, "round \(round)")
        #expect(line.delivery.waitingCount <= 2, "round \(round)")
      }
      #expect(finishes <= 1, "round \(round)")
    }
  }
}
