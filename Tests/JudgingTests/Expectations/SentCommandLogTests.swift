import Judging
import Sketches
import Testing
import Traces

struct SentCommandLogTests {
  private static func log() throws -> SentCommandLog {
    let forms = try ["P{pan:0..180},{tilt:0..180}\\n", "F"].map { try CommandForm($0) }
    return SentCommandLog(.guarded, Profile(name: "mine", commands: forms), baud: 9_600)
  }

  private static func sent(_ text: String, at milliseconds: Int64) -> Event {
    Event(.zero + .milliseconds(milliseconds), .receive(Array(text.utf8)))
  }

  @Test func `Commands are found however their bytes were split`() throws {
    var log = try Self.log()
    for (text, time) in [("P1", 1_000), ("0,20\nF", 1_100), ("P999,0\n", 1_200), ("zz", 1_300)]
      as [(String, Int64)]
    {
      log.take(Self.sent(text, at: time))
    }
    #expect(log.commands.map(\.quoted) == [#""P10,20\n""#, #""F""#, #""P999,0\n""#])
    #expect(log.commands.map(\.isRefused) == [false, false, true])
    #expect(log.open?.quoted == #""zz""#)
    #expect(log.commands.first?.begin == .zero + .seconds(1))
  }

  @Test func `Silence breaks a command off`() throws {
    var log = try Self.log()
    log.take(Self.sent("P10,", at: 1_000))
    log.pass(to: .zero + .milliseconds(1_200))
    #expect(log.open?.form == .unknown)
    log.pass(to: .zero + .milliseconds(1_600))
    #expect(log.open == nil)
    #expect(log.commands.map(\.form) == [.brokenOff])
  }

  @Test func `A second command is as much later as the line takes, at the sender's speed`() throws {
    var log = try Self.log()
    log.take(Event(.zero, .baud(1_200)))
    log.take(Self.sent("FF", at: 1_000))
    let times = log.commands.map(\.begin)
    #expect(times[1] - times[0] == ByteClock.byteTime(baud: 1_200))
  }

  @Test func `A session of any length keeps its last commands only`() throws {
    var log = try Self.log()
    for second in 1...100 { log.take(Self.sent("F", at: Int64(second) * 1_000)) }
    #expect(log.commands.count == 64)
    #expect(log.commands.last?.begin == .zero + .seconds(100))
  }
}
