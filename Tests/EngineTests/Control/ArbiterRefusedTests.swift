import Engine
import Sketches
import Testing
import Traces

/// The parts of the clients' messages that become `x-refused` events of the session.
struct ArbiterRefusedTests {
  private static func refused(_ stand: ArbiterStand) -> [String] {
    stand.takeRefused().map {
      "\(String(decoding: $0.bytes, as: UTF8.self)) \($0.why.rawValue)"
    }
  }

  @Test(
    arguments: [
      (["X90.", "L"], []), (["hello"], ["hello not-a-command"]),
      (["X999."], ["X999. out-of-range"]), (["X1000."], ["X1000. not-a-command"]),
      (["hello", "X90.", "X999."], ["hello not-a-command", "X999. out-of-range"]),
      (["X10.X20.X30."], ["X10. replaced", "X20. replaced"]),
      (["X10.", "L", "X20."], ["X10. replaced"]), (["LLL"], ["L merged", "L merged"]),
      (["LX5.L", "X6."], ["X5. replaced", "L merged"]),
    ] as [([String], [String])])
  func `What does not reach the board is recorded with its bytes and its reason`(
    messages: [String], refused: [String]
  ) {
    let stand = ArbiterStand()
    let client = stand.join(1)
    for message in messages { stand.send(message, from: client) }
    #expect(Self.refused(stand) == refused)
    #expect(Self.refused(stand) == [])
  }

  @Test func `The commands of a client that is not in control are recorded`() {
    let stand = ArbiterStand()
    _ = stand.join(1)
    stand.send("X90.L", from: stand.join(2))
    #expect(Self.refused(stand) == ["X90. not-in-control", "L not-in-control"])
  }

  @Test func `The commands of a client that loses control are recorded`() {
    let stand = ArbiterStand(control: .latest)
    stand.send("X90.T", from: stand.join(1))
    _ = stand.join(2)
    #expect(Self.refused(stand) == ["X90. not-in-control", "T not-in-control"])
  }

  @Test func `A command that finds the queue full is recorded`() {
    let stand = ArbiterStand()
    stand.send(String(repeating: "T", count: 17), from: stand.join(1))
    #expect(Self.refused(stand) == ["T queue-full"])
  }

  @Test func `Commands are recorded that no board can take`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X1.", from: client)
    stand.boardIsGone()
    stand.send("X2.", from: client)
    #expect(Self.refused(stand) == ["X1. no-board", "X2. no-board"])
  }

  @Test func `Commands that arrive while the session ends are recorded`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.beginLeaving()
    stand.send("X1.LX2.", from: client)
    #expect(Self.refused(stand) == ["X1. leaving", "L leaving", "X2. leaving"])
  }

  @Test func `A number that its sender abandons is recorded`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X100", from: client)
    #expect(Self.refused(stand) == [])
    stand.left(client)
    #expect(Self.refused(stand) == ["X100 not-a-command"])
  }

  @Test func `Of a long message 256 bytes are kept, and all are counted`() {
    let stand = ArbiterStand()
    stand.send(String(repeating: "z", count: 70_000), from: stand.join(1))
    let refused = stand.takeRefused()
    #expect(refused.map(\.bytes) == [Array(repeating: UInt8(ascii: "z"), count: 256)])
    #expect(refused.map(\.count) == [70_000])
  }

  @Test func `Raw bytes of a client that is not in control are recorded`() {
    let stand = ArbiterStand(raw: true)
    _ = stand.join(1)
    stand.send("hello", from: stand.join(2))
    #expect(Self.refused(stand) == ["hello not-in-control"])
  }

  @Test func `Above 100 refusals a second, the rest is joined and follows in the next second`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    for _ in 0..<600 { stand.send("z", from: client) }
    #expect(stand.takeRefused().count == 100)
    stand.pass(.milliseconds(999))
    stand.send("X200.", from: client)
    #expect(stand.takeRefused() == [])
    stand.pass(.milliseconds(1))
    stand.send("y", from: client)
    let late = stand.takeRefused()
    #expect(late.map(\.count) == [500, 5, 1])
    #expect(late.map(\.why) == [.notACommand, .outOfRange, .notACommand])
    #expect(late.first?.bytes.count == 256)
  }

  @Test func `At the end nothing is held back`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    for _ in 0..<300 { stand.send("z", from: client) }
    let all = stand.takeRefused(isLast: true)
    #expect(all.map(\.count).reduce(0, +) == 300)
    #expect(all.count == 101)
  }
}
