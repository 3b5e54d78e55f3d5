import Engine
import Testing

/// Nothing that a client sends disappears unreported while the bench stops.
struct ArbiterLeavingTests {
  @Test func `Input after the stop has begun is refused to its sender and counted`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X10.", from: client)
    stand.beginLeaving()
    stand.send("X20.LZ", from: client)
    stand.send("T", from: client)
    #expect(client.codes == ["not-a-command", "leaving", "leaving"])
    #expect(client.messages[1].contains(#""count": 2"#))
    #expect(client.messages[1].contains("2 commands not sent"))
    #expect(client.messages[2].contains("1 command not sent"))
    #expect(stand.counts.refused == [.leaving: 3, .notACommand: 1])
    // Commands that had been accepted are still sent.
    #expect(stand.drain() == ["X10."])
  }

  @Test func `In raw mode late input is refused and counted in bytes`() {
    let stand = ArbiterStand(raw: true)
    let client = stand.join(1)
    stand.send("X10.", from: client)
    stand.beginLeaving()
    stand.send("X20.", from: client)
    #expect(client.codes == ["leaving"])
    #expect(client.messages[0].contains("4 bytes not sent"))
    #expect(stand.counts.refused == [.leaving: 4])
    #expect(stand.drain() == ["X10."])
  }

  @Test(arguments: [false, true])
  func `Commands that the board has not accepted by the end are reported and counted`(isRaw: Bool) {
    let stand = ArbiterStand(raw: isRaw)
    let client = stand.join(1)
    stand.send("TTX10.", from: client)
    stand.beginLeaving()
    stand.giveUp()
    #expect(client.codes == [isRaw ? "bytes-dropped" : "commands-dropped"])
    #expect(stand.counts.dropped == [.leaving: isRaw ? 6 : 3])
    #expect(stand.drain() == [])
    stand.send("T", from: client)
    #expect(stand.counts.refused == [.leaving: 1])
  }

  @Test func `A log line reports what the board never received, and why`() {
    let stand = ArbiterStand()
    let first = stand.join(1)
    let second = stand.join(2)
    #expect(stand.counts.unsentSummary(isRaw: false) == nil)
    stand.send("helloX999.", from: first)
    stand.send("X1.X2.X3.", from: first)
    stand.send("L", from: second)
    stand.giveUp()
    #expect(
      stand.counts.unsentSummary(isRaw: false)
        == "commands not sent to the board: 2 not a command, 1 from a client not in control, "
        + "2 replaced by a newer aim, 1 dropped at the end")
  }
}
