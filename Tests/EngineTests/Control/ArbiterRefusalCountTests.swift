import Engine
import Sketches
import Testing

/// How many commands count as refused.
struct ArbiterRefusalCountTests {
  private static func refused(_ stand: ArbiterStand) -> Int {
    stand.counts.refused[.notACommand, default: 0]
  }

  @Test(
    arguments: [
      (["hello"], 1), (["hello", "X999.", "garbage"], 3), (["hello world"], 1), (["a\nb"], 1),
      (["X-5."], 1), (["X4,5."], 1), (["X100X90."], 1), (["X999.X998."], 2), (["X999.zz"], 2),
      (["zLz"], 2), (["TZT\u{80}"], 1), ([String(repeating: "X999.", count: 40)], 40),
      (["X90.", "L", " \r\n"], 0),
    ] as [([String], Int)])
  func `A run of refused bytes within one message is one command refused`(
    messages: [String], count: Int
  ) {
    let stand = ArbiterStand(.classic)
    let client = stand.join(1)
    for message in messages { stand.send(message, from: client) }
    #expect(Self.refused(stand) == count)
  }

  @Test(
    arguments: [
      // Over TCP, the bytes can be split anywhere.
      (["he", "l", "lo"], 1), (["he", "llo\nwor", "ld\n"], 2), (["he", "X90.", "llo"], 2),
      (["he\r", "\nllo"], 2), (["X-", "5", "."], 1), (["X-5.", "\n", "X-5."], 2),
      (["a", " ", "b"], 1),
    ] as [([String], Int)])
  func `On TCP a run of refused bytes continues to a line end or a command`(
    reads: [String], count: Int
  ) {
    let stand = ArbiterStand()
    let client = stand.join(1, .tcp)
    for read in reads { stand.send(read, from: client) }
    stand.pass(.milliseconds(100))
    #expect(Self.refused(stand) == count)
  }

  @Test func `On TCP a silence of 100 ms ends the run and notifies its sender`() {
    let stand = ArbiterStand()
    let client = stand.join(1, .tcp)
    stand.send("he", from: client)
    stand.pass(.milliseconds(99))
    stand.send("llo", from: client)
    stand.pass(.milliseconds(99))
    #expect(client.codes == [])
    #expect(stand.nextDeadline == stand.now + .milliseconds(1))
    stand.pass(.milliseconds(1))
    #expect(client.codes == ["not-a-command"])
    #expect(client.messages[0].contains(#""bytes": "hello", "count": 5"#))
    #expect(Self.refused(stand) == 1)
    #expect(stand.nextDeadline == nil)
    stand.send("z", from: client)
    stand.left(client)
    #expect(Self.refused(stand) == 2)
  }

  @Test func `A message over WebSocket gets its notice at once`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("hel", from: client)
    stand.send("lo", from: client)
    #expect(client.codes == ["not-a-command", "not-a-command"])
    #expect(Self.refused(stand) == 2)
  }
}
