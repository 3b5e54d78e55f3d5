import Engine
import Sketches
import Testing

struct ArbiterCommandTests {
  @Test(
    arguments: [
      (["X90."], ["X90."], []), (["X090."], ["X90."], []), (["X90.LC"], ["X90.", "L", "C"], []),
      (["X", "9", "0", "."], ["X90."], []), (["X9", "0.L"], ["X90.", "L"], []),
      (["X90.\r\n L\t"], ["X90.", "L"], []), ([""], [], []),
      (["X10.X20.X30."], ["X30."], []), (["X10.LX20."], ["L", "X20."], []),
      (["X10.", "T", "X20.", "O"], ["T", "X20.", "O"], []),
      (["LLL", "L"], ["L"], []), (["LTL"], ["L", "T", "L"], []),
      (["LX5.L"], ["L", "X5.", "L"], []),
      (["LX5.LX6."], ["L", "X6."], []),
      (["Z"], [], ["not-a-command"]), (["ZX90.Z"], ["X90."], ["not-a-command", "not-a-command"]),
      (["X181."], [], ["not-a-command"]), (["X100"], [], []),
      (["X100", "X90."], ["X90."], ["not-a-command"]), (["X1L"], ["L"], ["not-a-command"]),
      (["X-5."], [], ["not-a-command", "not-a-command"]), (["?V"], ["?", "V"], []),
    ] as [([String], [String], [String])])
  func `Commands are sent, and anything else is reported to its sender`(
    messages: [String], out: [String], codes: [String]
  ) {
    let stand = ArbiterStand()
    let client = stand.join(1)
    for message in messages { stand.send(message, from: client) }
    #expect(stand.drain() == out)
    #expect(client.codes == codes)
  }

  @Test(arguments: [
    (Firmware.classic, "LT?", ["L"]), (.buzzer, "LT?", ["L", "T"]),
    (.guarded, "LT?", ["L", "T", "?"]),
  ])
  func `Only letters of the firmware are sent`(
    firmware: Firmware, message: String, out: [String]
  ) {
    let stand = ArbiterStand(firmware)
    stand.send(message, from: stand.join(1))
    #expect(stand.drain() == out)
  }

  @Test func `The newest command is sent next, and waits for one at most at any input rate`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    var sent = 0
    // 5 000 commands a second for a second.
    for number in 0..<5_000 {
      stand.pass(.microseconds(200))
      let newest = "X\(number % 181)."
      stand.send(newest, from: client)
      if let out = stand.step() {
        #expect(out == newest)
        sent += 1
      }
    }
    // A command is 3 to 5 bytes of 1.04 ms.
    #expect((200...320).contains(sent))
    #expect(stand.counts.sent == sent)
    #expect(stand.counts.accepted == [.aim: 5_000])
    #expect(stand.counts.queue.replaced == 5_000 - sent - stand.drain().count)
    #expect(stand.counts.delay.cumulative.first?.count == stand.counts.delay.count)
    #expect(client.messages == [])
  }

  @Test func `The last command of a burst waits no longer than the command before it takes`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X100.", from: client)
    #expect(stand.step() == "X100.")
    stand.send("X101.X102.X103.", from: client)
    var passed = 0
    while stand.step() == nil {
      stand.pass(.microseconds(100))
      passed += 1
      guard passed < 1_000 else { break }
    }
    // 5 bytes at 9 600 baud are 5.2 ms.
    #expect((52...54).contains(passed))
    #expect(stand.drain() == [])
  }

  @Test func `Sixteen commands can wait next to an aim, and each one dropped is reported`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send(String(repeating: "T", count: 18) + "X7." + "LO", from: client)
    #expect(client.codes == ["queue-full", "queue-full", "queue-full", "queue-full"])
    #expect(client.messages[0].contains(#""bytes": "T""#))
    #expect(client.messages[3].contains(#""bytes": "O""#))
    #expect(stand.counts.queue.overflowed == 4)
    #expect(stand.counts.refused == [.queueFull: 4])
    #expect(stand.counts.queueLength == 17)
    #expect(stand.drain() == Array(repeating: "T", count: 16) + ["X7."])
  }

  @Test(arguments: [("X90", 250, 249), ("X", 250, 249)])
  func `A number that is not complete in time is refused`(
    begun: String, due: Int64, early: Int64
  ) {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send(begun, from: client)
    #expect(stand.nextDeadline == stand.now + .milliseconds(due))
    stand.pass(.milliseconds(early))
    #expect(client.codes == [])
    stand.pass(.milliseconds(due - early))
    #expect(client.codes == ["not-a-command"])
    #expect(client.messages[0].contains(#""reason": "unfinished""#))
    #expect(stand.nextDeadline == nil)
    // A number that arrives too late is no longer part of a command.
    stand.send("0.", from: client)
    #expect(stand.drain() == [])
  }

  @Test func `More digits do not extend the time for a number`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    stand.send("X", from: client)
    for digit in ["1", "2", "0"] {
      stand.pass(.milliseconds(80))
      stand.send(digit, from: client)
    }
    stand.pass(.milliseconds(10))
    #expect(client.codes == ["not-a-command"])
  }
}
