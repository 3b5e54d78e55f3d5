import Aim
import Sketches
import Testing

/// How many commands a second are sent, without a clock.
struct CommandPaceTests {
  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private static func word(_ sent: CommandPace<TurretCommand>.Sent?) -> String? {
    sent.map { "\($0.time.nanoseconds / 1_000_000) \($0.command)" }
  }

  @Test func `Without a rate every change is sent at once, and none twice`() {
    var pace = CommandPace<TurretCommand>(rate: nil)
    let taken = [(0, .lost), (0, .lost), (1, .aim(90)), (2, .aim(90)), (3, .lost)].map {
      (time: Int64, command: TurretCommand) in Self.word(pace.take(command, at: Self.at(time)))
    }
    #expect(taken == ["0 L", nil, "1 X90.", nil, "3 L"])
    #expect(pace.due == nil && pace.finish() == nil)
  }

  @Test func `At a rate the newest command waits until it is due`() {
    var pace = CommandPace<TurretCommand>(rate: 10)
    #expect(Self.word(pace.take(.aim(1), at: Self.at(0))) == "0 X1.")
    #expect(pace.take(.aim(2), at: Self.at(30)) == nil)
    #expect(pace.take(.aim(3), at: Self.at(60)) == nil)
    #expect(pace.due == Self.at(100))
    #expect(pace.advance(to: Self.at(100)) == nil)
    #expect(Self.word(pace.advance(to: Self.at(101))) == "100 X3.")
    #expect(Self.word(pace.take(.aim(4), at: Self.at(200))) == "200 X4.")
  }

  @Test func `A change that is reversed while it waits is not sent`() {
    var pace = CommandPace<TurretCommand>(rate: 10)
    _ = pace.take(.aim(1), at: Self.at(0))
    #expect(pace.take(.aim(2), at: Self.at(30)) == nil)
    #expect(pace.take(.aim(1), at: Self.at(60)) == nil)
    #expect(pace.due == nil && pace.finish() == nil)
  }

  @Test func `A command that still waits at the end is sent at the time it was due`() {
    var pace = CommandPace<TurretCommand>(rate: 10)
    _ = pace.take(.aim(1), at: Self.at(0))
    _ = pace.take(.lost, at: Self.at(30))
    #expect(Self.word(pace.finish()) == "100 L")
    #expect(pace.finish() == nil)
  }
}
