import Engine
import Sketches
import Testing

struct ArbiterControlTests {
  @Test func `The second client is told once that it is not in control, and when it is`() {
    let stand = ArbiterStand()
    let first = stand.join(1)
    let second = stand.join(2)
    stand.send("X10.", from: second)
    stand.send("X20.", from: second)
    #expect(second.codes == ["not-in-control"])
    #expect(stand.drain() == [])
    stand.left(first)
    #expect(second.codes == ["not-in-control", "control-gained"])
    stand.send("X30.", from: second)
    #expect(stand.drain() == ["X30."])
    #expect(stand.counts.refused == [.notInControl: 2])
  }

  @Test(arguments: [(DisconnectAction.hold), .scan, .centre])
  func `The latest client takes over, which does not cause the disconnect action`(
    action: DisconnectAction
  ) {
    let stand = ArbiterStand(control: .latest, onDisconnect: action)
    let first = stand.join(1)
    let second = stand.join(2)
    stand.send("X10.", from: first)
    stand.send("X20.", from: second)
    #expect(first.codes == ["control-lost"])
    #expect(second.codes == [])
    #expect(stand.drain() == ["X20."])
    stand.left(second)
    #expect(first.codes == ["control-lost", "control-gained"])
  }

  @Test func `Losing control drops a client's pending commands and notifies it`() {
    let stand = ArbiterStand(control: .latest)
    let first = stand.join(1)
    stand.send("X5.", from: first)
    #expect(stand.drain() == ["X5."])
    stand.send("TLX10.O", from: first)
    let second = stand.join(2)
    #expect(first.codes == ["control-lost", "commands-dropped"])
    #expect(first.messages[1].contains(#""count": 4"#))
    #expect(stand.counts.dropped == [.controlLost: 4])
    stand.send("L", from: second)
    #expect(stand.drain() == ["L"])
    #expect(second.codes == [])
  }

  @Test(arguments: [("X5.", ["X5."]), ("", [])] as [(String, [String])])
  func `A reconnected board gets only what a client that lost control had already sent`(
    done: String, out: [String]
  ) {
    let stand = ArbiterStand(control: .latest)
    let first = stand.join(1)
    stand.send(done, from: first)
    #expect(stand.drain() == out)
    stand.send("X10.", from: first)
    stand.boardIsGone()
    stand.send("X20.", from: first)
    #expect(first.codes == ["no-board"])
    #expect(stand.counts.dropped == [.noBoard: 1])
    _ = stand.join(2)
    stand.boardIsBack(bootTime: .zero)
    stand.pass(.milliseconds(1))
    #expect(stand.drain() == out)
  }

  @Test(
    arguments: [(DisconnectAction.hold, []), (.scan, ["L"]), (.centre, ["X90."])]
      as [(DisconnectAction, [String])])
  func `The disconnect action is sent when the client in control leaves`(
    action: DisconnectAction, out: [String]
  ) {
    let stand = ArbiterStand(onDisconnect: action)
    let client = stand.join(1)
    let other = stand.join(2)
    stand.left(other)
    #expect(stand.drain() == [])
    // A full queue does not prevent the action.
    stand.send(String(repeating: "T", count: 16), from: client)
    stand.left(client)
    #expect(stand.drain().filter { $0 != "T" } == out)
    #expect(stand.counts.disconnectActions == out.count)
  }

  @Test(arguments: [ControlPolicy.first, .latest])
  func `A TCP connection that sends nothing does not move the turret when it leaves`(
    policy: ControlPolicy
  ) {
    let stand = ArbiterStand(control: policy, onDisconnect: .scan)
    stand.left(stand.join(1, .tcp))
    #expect(stand.drain() == [])
    #expect(stand.counts.disconnectActions == 0)
    let client = stand.join(2, .tcp)
    stand.send("X5.", from: client)
    stand.left(client)
    #expect(stand.drain() == ["X5.", "L"])
  }

  @Test func `A TCP connection that sends nothing takes control from no other client`() {
    let stand = ArbiterStand(control: .latest)
    let first = stand.join(1)
    stand.send("TX10.", from: first)
    let silent = stand.join(2, .tcp)
    #expect(first.codes == [])
    #expect(stand.drain() == ["T", "X10."])
    stand.send("X20.", from: silent)
    #expect(first.codes == ["control-lost"])
    #expect(stand.drain() == ["X20."])
    // If no client is in control, silent connections receive the board's bytes from the start.
    stand.left(first)
    stand.left(silent)
    let listeners = [stand.join(3, .tcp), stand.join(4, .tcp)]
    stand.boardSent(Array("a\n".utf8))
    for listener in listeners { #expect(listener.messages == ["a\n"]) }
  }

  @Test(arguments: [ControlPolicy.first, .latest], [Transport.webSocket, .tcp])
  func `A TCP connection takes control with its first command, and not before`(
    policy: ControlPolicy, transport: Transport
  ) {
    let stand = ArbiterStand(control: policy)
    let silent = stand.join(1, .tcp)
    #expect(!stand.counts.hasController)
    stand.send("hello\n", from: silent)
    #expect(silent.codes == ["not-a-command"])
    #expect(!stand.counts.hasController)
    let client = stand.join(2, transport)
    stand.send("X10.", from: client)
    #expect(client.codes == [])
    #expect(stand.drain() == ["X10."])
    silent.forget()
    stand.send("X20.", from: silent)
    #expect(silent.codes == (policy == .first ? ["not-in-control"] : []))
    #expect(stand.drain() == (policy == .first ? [] : ["X20."]))
  }

  @Test func `With raw bytes a TCP connection takes control with its first byte`() {
    let stand = ArbiterStand(raw: true)
    let silent = stand.join(1, .tcp)
    let client = stand.join(2, .tcp)
    stand.send("z", from: client)
    stand.send("a", from: silent)
    #expect(silent.codes == ["not-in-control"])
    #expect(stand.drain() == ["z"])
  }

  @Test func `Raw bytes of a client that has left are sent for a limited time, and counted`() {
    let stand = ArbiterStand(raw: true)
    let first = stand.join(1)
    stand.send(String(repeating: "a", count: 65_536), from: first)
    stand.left(first)
    let second = stand.join(2)
    stand.send("bb", from: second)
    #expect(stand.next(waitingCount: 0, room: 4_096)?.count == 4_096)
    stand.pass(.milliseconds(29_999))
    #expect(stand.counts.dropped == [:])
    #expect(stand.waitingCount == 61_442)
    stand.pass(.milliseconds(1))
    #expect(stand.counts.dropped == [.late: 61_440])
    #expect(stand.drain() == ["bb"])
    // Nothing is dropped if it was sent in time.
    stand.send("c", from: second)
    stand.left(second)
    #expect(stand.drain() == ["c"])
    let third = stand.join(3)
    stand.send("d", from: third)
    stand.pass(.seconds(60))
    #expect(stand.drain() == ["d"])
    #expect(stand.counts.dropped == [.late: 61_440])
  }

  @Test func `An absent board is reported once, and gets the last lasting command later`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X10.", from: client)
    stand.boardIsGone()
    #expect(stand.drain() == [])
    stand.send("X20.", from: client)
    stand.send("LX30.T", from: client)
    #expect(client.codes == ["no-board"])
    #expect(stand.counts.refused == [.noBoard: 4])
    #expect(stand.counts.dropped == [.noBoard: 1])
    stand.boardIsBack(bootTime: .milliseconds(500))
    stand.pass(.milliseconds(499))
    #expect(stand.drain() == [])
    stand.pass(.milliseconds(1))
    #expect(stand.drain() == ["X30."])
  }

  @Test func `Clients with pending commands or bytes are told that the board is gone`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    let other = stand.join(2)
    stand.send("TX10.L", from: client)
    stand.boardIsGone()
    #expect(client.codes == ["no-board"])
    #expect(client.messages.last?.contains("the last aim or L is sent when it is back") == true)
    #expect(other.codes == [])
    #expect(stand.counts.dropped == [.noBoard: 3])

    let raw = ArbiterStand(raw: true)
    let sender = raw.join(1)
    raw.send("Z X9", from: sender)
    raw.boardIsGone()
    raw.send("9.", from: sender)
    #expect(sender.codes == ["no-board"])
    #expect(sender.messages.last?.contains("anything sent to it now is lost") == true)
    #expect(raw.counts.refused == [.noBoard: 6])
  }

  @Test func `A full queue is sent at the end, followed by the action`() {
    let stand = ArbiterStand(onDisconnect: .scan)
    let client = stand.join(1)
    stand.send(String(repeating: "T", count: 16), from: client)
    stand.beginLeaving()
    #expect(stand.drain() == Array(repeating: "T", count: 16) + ["L"])
    #expect(stand.counts.queue.overflowed == 0)
  }

  @Test func `Commands that the disconnect action displaces are counted`() {
    let stand = ArbiterStand(onDisconnect: .scan)
    let client = stand.join(1)
    stand.send(String(repeating: "T", count: 16), from: client)
    stand.left(client)
    #expect(stand.drain() == ["L"])
    #expect(stand.counts.dropped == [.leaving: 16])
  }

  @Test func `A board that accepts nothing is checked less and less often`() throws {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X10.", from: client)
    #expect(stand.step() == "X10.")
    stand.send("X20.", from: client)
    var looks = 0
    let end = stand.now + .seconds(1)
    while stand.now < end {
      let next = try #require(stand.nextDeadline)
      stand.pass(max(next - stand.now, .microseconds(1)))
      // The line is still busy.
      #expect(stand.next(waitingCount: 1, room: 0) == nil)
      looks += 1
    }
    #expect((100..<200).contains(looks))
  }

  @Test func `A board that returns when no client is in control is sent nothing`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X10.", from: client)
    stand.boardIsGone()
    stand.left(client)
    stand.boardIsBack(bootTime: .zero)
    stand.pass(.milliseconds(1))
    #expect(stand.drain() == [])
  }

  @Test func `At the end pending commands are sent, then the action, and clients are ignored`() {
    let stand = ArbiterStand(onDisconnect: .centre)
    let client = stand.join(1)
    stand.send("TX10.L", from: client)
    stand.beginLeaving()
    stand.send("X20.", from: client)
    #expect(!stand.isDrained)
    #expect(stand.drain() == ["T", "L", "X90."])
    #expect(stand.isDrained)
  }

  @Test func `Raw bytes are unchanged, and a sender that is ahead of the line is held`() {
    let stand = ArbiterStand(raw: true)
    let client = stand.join(1)
    stand.send("Z X999\n", from: client)
    #expect(stand.drain() == ["Z X999\n"])
    stand.send(String(repeating: "a", count: 65_536), from: client)
    #expect(!client.isReading)
    #expect(stand.drain().joined().count == 65_536)
    #expect(client.isReading)
  }

  @Test func `A takeover drops pending raw bytes and notifies their sender`() {
    let stand = ArbiterStand(raw: true, control: .latest)
    let first = stand.join(1)
    stand.send(String(repeating: "a", count: 65_536), from: first)
    let second = stand.join(2)
    #expect(first.codes == ["control-lost", "bytes-dropped"])
    #expect(first.isReading)
    stand.send("X90.", from: second)
    #expect(stand.drain() == ["X90."])
    #expect(stand.counts.dropped == [.controlLost: 65_536])
  }

  @Test(arguments: [("X9", ["X9", "XX90."]), ("X9.", ["X9.", "X90."])])
  func `An unfinished number in raw bytes does not damage the last command`(
    raw: String, out: [String]
  ) {
    let stand = ArbiterStand(raw: true, onDisconnect: .centre)
    let client = stand.join(1)
    stand.send(raw, from: client)
    stand.left(client)
    #expect(stand.drain() == out)
  }

  @Test func `The client in control gets answers in whole lines`() {
    let stand = ArbiterStand()
    let first = stand.join(1)
    let second = stand.join(2)
    stand.boardSent(Array("a".utf8))
    stand.boardSent(Array("b\nc".utf8) + [0xFF, 10])
    #expect(first.messages == ["ab\n", "c\u{FF}\n"])
    #expect(first.areText == [true, false])
    #expect(second.messages == [])
  }

  @Test func `What clients have done is kept when the session is rewound, and so are deadlines`()
    throws
  {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("Z", from: client)
    stand.pass(.seconds(8))
    stand.send("X9", from: client)
    let deadline = try #require(stand.nextDeadline) - stand.now
    stand.goBack(by: .seconds(5))
    #expect(stand.nextDeadline == stand.now + deadline)
    #expect(stand.counts.refused == [.notACommand: 1])
    // The message arrived 8 s before what is 3 s now.
    #expect(stand.refusals.last.map(\.at) == [.zero - .seconds(5)])
    stand.pass(deadline)
    #expect(client.codes == ["not-a-command", "not-a-command"])
  }
}
