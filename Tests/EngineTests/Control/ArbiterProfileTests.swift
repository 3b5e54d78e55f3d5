import Engine
import Sketches
import Testing
import Traces

struct ArbiterProfileTests {
  private static func profile(boot: String = "") throws -> Profile {
    var profile = Profile(
      name: "mine",
      commands: try ["P{pan:0..180}\\n", "T{tilt:0..180}\\n", "F", "S\\n"].map {
        try CommandForm($0)
      })
    profile.commands[0].isReplaceable = true
    profile.commands[1].isReplaceable = true
    profile.scan = Array("S\n".utf8)
    profile.boot = Array(boot.utf8)
    return profile
  }

  @Test(
    arguments: [
      (["P90\n"], ["P90\n"], []), (["P9", "0\n", "F"], ["P90\n", "F"], []),
      (["P1\nT1\nP2\n"], ["T1\n", "P2\n"], []), (["FFF"], ["F", "F", "F"], []),
      (["X90."], [], ["not-a-command"]), (["P181\nF"], ["F"], ["not-a-command"]),
    ] as [([String], [String], [String])])
  func `Whole commands of the profile are sent, and the newest of a kind wins`(
    messages: [String], out: [String], codes: [String]
  ) throws {
    let stand = ArbiterStand(profile: try Self.profile())
    let client = stand.join(1)
    for message in messages { stand.send(message, from: client) }
    #expect(stand.drain() == out)
    #expect(client.codes == codes)
  }

  @Test func `Nothing follows a command that a pause ends until the pause is over`() throws {
    let profile = Profile(name: "mine", commands: [try CommandForm("P{pan:0..180}{pause 200ms}")])
    let stand = ArbiterStand(profile: profile)
    let client = stand.join(1)
    stand.send("P9", from: client)
    stand.send("P45", from: client)
    #expect(stand.drain() == ["P9"])
    stand.pass(.milliseconds(201))
    #expect(stand.drain() == [])
    // Two bytes at 9600 baud, and the pause.
    stand.pass(.milliseconds(2))
    #expect(stand.drain() == ["P45"])
  }

  @Test func `A notice about a profile is valid JSON`() throws {
    let stand = ArbiterStand(profile: try Self.profile())
    let client = stand.join(1)
    stand.send("P200\n", from: client)
    stand.send("zz", from: client)
    #expect(
      client.messages == [
        """
        {"error": "not-a-command", "reason": "out-of-range", "bytes": "P200\\n", "count": 5, \
        "message": "pan is 0 to 180"}
        """,
        """
        {"error": "not-a-command", "reason": "unknown", "bytes": "zz", "count": 2, "message": \
        "not a command; expected P{pan:0..180}\\\\n, T{tilt:0..180}\\\\n, F or S\\\\n"}
        """,
      ])
  }

  @Test func `A fire command that waits for more than a second is refused`() throws {
    let stand = ArbiterStand(profile: try Self.profile())
    let client = stand.join(1)
    stand.send("FP9\n", from: client)
    stand.pass(.seconds(1))
    #expect(client.codes == [])
    #expect(stand.nextDeadline == stand.now + .nanoseconds(1))
    stand.pass(.nanoseconds(1))
    #expect(client.codes == ["late"])
    #expect(stand.drain() == ["P9\n"])
    #expect(stand.counts.dropped == [.late: 1])
    #expect(stand.takeRefused().map(\.why) == [.late])
  }

  @Test func `A fire command is never sent late, even before its deadline is handled`() throws {
    let stand = ArbiterStand(profile: try Self.profile())
    let client = stand.join(1)
    stand.send("F", from: client)
    stand.wait(.milliseconds(1_001))
    #expect(stand.drain() == [])
    stand.pass(.zero)
    #expect(client.codes == ["late"])
  }

  @Test func `Nothing is sent until the sketch says that it listens, or for 10 s at most`() throws {
    let stand = ArbiterStand(profile: try Self.profile(boot: "ready"))
    let client = stand.join(1)
    stand.send("P1\n", from: client)
    #expect(stand.drain() == [])
    stand.boardSent(Array("rea".utf8))
    #expect(stand.drain() == [])
    stand.boardSent(Array("dy\r\n".utf8))
    #expect(stand.drain() == ["P1\n"])
    stand.boardIsGone()
    stand.boardIsBack(bootTime: .seconds(1))
    stand.pass(.milliseconds(9_999))
    #expect(stand.drain() == [])
    stand.pass(.milliseconds(1))
    #expect(stand.drain() == ["P1\n"])
  }

  @Test func `A reconnected board gets the newest of each kind, and never a fire command`() throws {
    let stand = ArbiterStand(profile: try Self.profile())
    let client = stand.join(1)
    stand.send("T1\nP1\nFT2\n", from: client)
    #expect(stand.drain() == ["P1\n", "F", "T2\n"])
    stand.boardIsGone()
    stand.boardIsBack(bootTime: .zero)
    stand.pass(.milliseconds(1))
    #expect(stand.drain() == ["P1\n", "T2\n"])
  }

  @Test func `The turret is left by the profile's command`() throws {
    let stand = ArbiterStand(profile: try Self.profile(), onDisconnect: .scan)
    let client = stand.join(1)
    stand.send("P1\n", from: client)
    stand.left(client)
    #expect(stand.drain() == ["P1\n", "S\n"])
  }

  @Test(arguments: [
    (DisconnectAction.hold, true), (.scan, true), (.centre, false),
  ])
  func `A profile declares how the turret can be left`(
    action: DisconnectAction, isDeclared: Bool
  ) throws {
    #expect(action.isDeclared(by: try Self.profile()) == isDeclared)
    for firmware in Firmware.allCases { #expect(action.isDeclared(by: Profile(firmware))) }
  }
}
