import Sketches
import Testing
import Traces

@testable import Judging
@testable import Pictures

struct RecentCommandTests {
  private static func rows(_ status: LiveStatus) -> [String] {
    RecentCommand.find(in: status).map { "\($0.text): \($0.outcome)" }
  }

  @Test(
    arguments: [
      (.guarded, "X45.L", ["X45.: aimed at 45", "L: sweeps"]),
      (.classic, "X007.\r\n", ["X007.\\r\\n: aimed at 7"]),
      (.classic, "X45\r\nL", ["X45\\r\\n: aimed at 45", "L: sweeps"]),
      (
        .buzzer, "TOC",
        [
          "T: sounds 800 Hz", "O: sounds 750 Hz, taken 159 ms late",
          "C: sounds 700 Hz, taken 318 ms late",
        ]
      ),
      (.guarded, "?V", ["?: answers with its state", "V: turns telemetry on or off"]),
      (.guarded, "X200.", ["X200.: is over 180 and was refused"]),
      (.classic, "X65546.", ["X65546.: wraps at 65 536 to 10"]),
      (.classic, "x9", ["x9: is not understood: commands are capital letters"]),
      (.guarded, "q", ["q: not a command, skipped"]),
      (.classic, "X1", ["X1: being read: not complete yet"]),
      (.guarded, "X1", ["X1: had no end"]),
      (
        .classic, "X9X45.",
        [
          "X9: had no end; the `X` of the next command ended it and was lost",
          "X45.: was not understood: its `X` ended the number before it and was lost",
        ]
      ),
      (.guarded, "X1.X2.X3.X4.L", ["X4.: aimed at 4, after 3 2 1", "L: sweeps"]),
      (.guarded, "X1.X2.L", ["X1.: aimed at 1", "X2.: aimed at 2", "L: sweeps"]),
    ] as [(Firmware, String, [String])])
  func `Each command is shown with its outcome`(
    _ firmware: Firmware, _ text: String, _ rows: [String]
  ) {
    #expect(Self.rows(.sample(firmware, text)) == rows)
  }

  @Test func `A command that waits for a tone to end is pending`() {
    let status = LiveStatus.sample(.buzzer, "TT", seconds: 1.6)
    let found = RecentCommand.find(in: status)
    #expect(found.map(\.standing) == [.obeyed, .pending])
    #expect(found.last?.outcome == "waits to be read")
  }

  @Test func `An unfinished number is shown only if it takes long`() {
    let early = LiveStatus.sample(.guarded, "X1", seconds: 1.52)
    #expect(RecentCommand.find(in: early).isEmpty)
    let late = LiveStatus.sample(.guarded, "X1", seconds: 1.58)
    #expect(Self.rows(late) == ["X1: being read: not complete yet"])
  }

  @Test func `A camera's aims are followed until they end`() {
    var status = LiveStatus.sample(.guarded, "X10.X12.X14.X1", seconds: 1.52)
    #expect(status.isFollowing)
    #expect(status.changesByItself)
    #expect(Self.rows(status) == ["X14.: aimed at 14, after 12 10"])
    status.time += .milliseconds(250)
    #expect(!status.isFollowing)
    #expect(!status.changesByItself)
  }

  @Test func `A lost byte is shown as a loss`() {
    var status = LiveStatus.sample(.classic, "L")
    status.recent[0].fate = .ringFull
    let found = RecentCommand.find(in: status)
    #expect(found.map(\.standing) == [.lost])
    #expect(found.map(\.outcome) == ["was lost: 63 bytes were waiting already"])
  }

  @Test(arguments: 0...5)
  func `A command whose beginning is gone is left out`(_ gone: Int) {
    var status = LiveStatus.sample(.guarded, "X123.L")
    status.recent.removeFirst(gone)
    #expect(Self.rows(status) == (gone == 0 ? ["X123.: aimed at 123"] : []) + ["L: sweeps"])
  }

  @Test func `Junk that arrives at another time is another line`() {
    var status = LiveStatus.sample(.guarded, "qq")
    #expect(Self.rows(status) == ["qq: not a command, skipped"])
    status.recent[1].arrived += .seconds(1)
    status.recent[1].taken = nil
    #expect(Self.rows(status) == ["q: not a command, skipped", "q: not a command, skipped"])
  }

  /// A session of a sketch that no model behaves as.
  private static func own(_ sent: [SentCommand], unfinished: SentCommand? = nil) -> LiveStatus {
    var status = LiveStatus(port: "", device: "avr", firmware: .guarded, baud: 115_200)
    status.profile = Profile(name: "pan-tilt", commands: [CommandForm([.byte(0x46)])])
    status.time = .zero + .seconds(3)
    status.sent = sent
    status.unfinished = unfinished
    return status
  }

  private static func sent(
    _ text: String, _ form: SentCommand.Form, at time: Instant = .zero + .seconds(1)
  ) -> SentCommand {
    SentCommand(text: Array(text.utf8), form: form, begin: time, last: time, event: 0)
  }

  @Test func `With a profile, commands are shown as they were sent`() {
    var refused = Self.sent("P999,0\n", .whole)
    refused.isRefused = true
    let status = Self.own([
      Self.sent("P10,20\n", .whole), refused, Self.sent("P10", .brokenOff),
      Self.sent("zz", .unknown),
    ])
    #expect(
      Self.rows(status) == [
        "P10,20\\n: sent", "P999,0\\n: has a number that the profile does not allow",
        "P10: was sent without its end", "zz: is not a command of the profile",
      ])
    let standings = RecentCommand.find(in: status).map(\.standing)
    #expect(standings == [.sent, .misunderstood, .misunderstood, .misunderstood])
    #expect(status.dashboardCommands.text.contains(#""outcome": "sent", "standing": "sent""#))
    #expect(JSONValue.object(status.dashboardMembers).text.contains(#""profile": "pan-tilt""#))
  }

  @Test func `A command of a profile that is not complete is shown only if it takes long`() {
    let late = Self.own([], unfinished: Self.sent("P1", .unknown))
    #expect(Self.rows(late) == ["P1: not complete yet"])
    let begun = Instant.zero + .milliseconds(2_960)
    let early = Self.own([], unfinished: Self.sent("P1", .unknown, at: begun))
    #expect(RecentCommand.find(in: early).isEmpty)
  }
}
