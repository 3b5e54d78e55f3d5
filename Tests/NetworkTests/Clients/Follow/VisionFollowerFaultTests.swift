import Sketches
import Testing
import TurretLink

@testable import Network

/// What the follower does when the phone is absent or slow, or sends nonsense.
struct VisionFollowerFaultTests {
  private func angles(_ line: inout FollowerTimeLine) -> [String] {
    line.take().filter { !$0.contains("VISION") && !$0.contains("#") }
  }

  @Test func `An absent phone is tried at growing intervals, and the turret is left alone`() {
    var line = FollowerTimeLine()
    line.start()
    for time in [0, 250, 750, 1_750, 3_750, 7_750, 15_750, 23_750] as [Int64] {
      line.run(to: time)
      #expect(line.take() == ["\(time) connect"])
      line.connectFailed()
      let said = line.take()
      #expect(said.count == 1 && said[0].contains("cannot connect to the phone: refused"))
    }
    #expect(line.follower.counts.refusedConnections == 8)
  }

  @Test func `A good answer, not a connection, makes the wait short again`() {
    var line = FollowerTimeLine()
    line.start()
    line.connectFailed()
    line.run(to: 250)
    line.connected()
    line.closed()
    line.run(to: 749)
    line.drop()
    line.run(to: 750)
    #expect(line.take() == ["750 connect"])
    line.connected()
    line.answered("1")
    line.closed("reset")
    line.drop()
    line.run(to: 999)
    #expect(line.take() == [])
    line.run(to: 1_000)
    #expect(line.take() == ["1000 connect"])
  }

  @Test func `A broken connection is a loss at once, and the angle is sent again afterwards`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.run(to: 20)
    line.closed("Connection reset by peer")
    line.run(to: 300)
    line.connected()
    line.answered("1")
    #expect(
      line.take() == [
        "0 # target found", "0 X91.", "20 L", "20 # no target: no connection to the phone",
        "20 # the connection to the phone broke: Connection reset by peer; next attempt in 250 ms",
        "270 connect", "300 # connected to the phone", "300 VISION", "300 # target found",
        "300 X91.",
      ])
  }

  @Test func `A phone that is lost during a slow connect counts as a loss after a second`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.closed()
    line.run(to: 5_000)
    #expect(angles(&line) == ["0 X91.", "33 connect", "1000 L"])
  }

  @Test func `A question without an answer ends the connection`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.drop()
    line.run(to: 1_200)
    #expect(
      line.take() == [
        "33 VISION", "1000 L", "1000 # no target: the phone reports nothing new",
        "1033 cut", "1033 # the phone does not answer; next attempt in 250 ms",
      ])
    #expect(line.follower.counts.unanswered == 1)
    // Data that still arrives from the old connection is ignored.
    line.received("12:00:00|angle^9\n")
    line.run(to: 1_283)
    #expect(line.take() == [])
    line.run(to: 1_284)
    #expect(line.take() == ["1283 connect"])
  }

  @Test func `A phone that accepts connections and never answers is tried at growing intervals`() {
    var line = FollowerTimeLine()
    line.start()
    let waits: [(Int64, String)] = [
      (250, "250 ms"), (500, "500 ms"), (1_000, "1 s"), (2_000, "2 s"), (4_000, "4 s"),
      (8_000, "8 s"), (8_000, "8 s"),
    ]
    for (wait, text) in waits {
      line.connected()
      line.drop()
      line.run(to: line.now.nanoseconds / 1_000_000 + 1_000)
      let said = line.take().last ?? ""
      #expect(said.hasSuffix("the phone does not answer; next attempt in \(text)"))
      line.run(to: line.now.nanoseconds / 1_000_000 + wait)
    }
  }

  @Test func `Half an answer and silence are no answer in JSON and end the connection`() {
    var line = FollowerTimeLine.asked()
    line.received(#"{"timestamp": "12:00:00", "angle": 1"#)
    line.run(to: 1_100)
    #expect(
      line.take() == [
        "1000 cut", "1000 # the phone does not answer; next attempt in 250 ms",
      ])
  }

  @Test func `Half an answer and silence are no answer from a phone that ends its lines`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.run(to: 40)
    line.received("12:00:00|angle^4")
    line.run(to: 900)
    #expect(angles(&line) == ["0 X91."])
    line.received("5|distance^1\n")
    #expect(angles(&line) == ["900 X135."])
  }

  @Test func `Half an answer and a close count as a broken connection`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.run(to: 40)
    line.received("12:00:00|angle^4")
    line.closed()
    #expect(angles(&line) == ["0 X91.", "40 L"])
    #expect(line.follower.counts.answers == 1)
  }

  @Test func `One unreadable answer is reported and is not a loss`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.run(to: 40)
    line.answered("north")
    line.run(to: 80)
    line.answered("2")
    #expect(
      line.take().filter { !$0.contains("VISION") } == [
        "0 # target found", "0 X91.",
        "40 # the phone's answer cannot be read: a number in it is \"north\": "
          + "`12:00:00.40|angle^north|distance^4.3`",
        "80 X92.",
      ])
    #expect(line.follower.counts.malformedAnswers == 1)
  }

  @Test func `A second of unreadable answers is a loss, reported once and counted`() {
    var line = FollowerTimeLine.asked { $0.rate = 10 }
    line.answered("1")
    for time in stride(from: 100, to: 2_000, by: 100) as StrideTo<Int64> {
      line.run(to: time)
      line.received("\u{1B}[2J\n")
    }
    line.run(to: 2_000)
    line.answered("1")
    #expect(
      line.take().filter { !$0.contains("VISION") } == [
        "0 # target found", "0 X91.",
        "100 # the phone's answer cannot be read: it is neither fields with a time nor a JSON object: "
          + "`\\x1B[2J`",
        "1000 L", "1000 # no target: the phone reports nothing new",
        "2000 # the phone's 19 previous answers could not be read",
        "2000 # target found", "2000 X91.",
      ])
    #expect(line.follower.counts.malformedAnswers == 19)
  }

  @Test(arguments: ["x", "{\"a\": \"", "1:1|"])
  func `An answer without an end is given up at the limit`(piece: String) {
    var line = FollowerTimeLine.asked()
    for _ in 0..<10_000 { line.received(piece) }
    #expect(
      line.take() == [
        "0 cut", "0 # the phone's answer is too long; next attempt in 250 ms",
      ])
  }

  @Test func `Unrequested text is dropped, and too much of it ends the connection`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.received("12:00:00|angle^2\n")
    line.run(to: 40)
    line.answered("3")
    #expect(angles(&line) == ["0 X91.", "40 X93."])
    #expect(line.follower.counts.unaskedBytes == 16)
    line.received(String(repeating: "x", count: 4_096))
    #expect(angles(&line) == [])
    line.received("x")
    #expect(angles(&line) == ["40 cut", "40 L"])
  }

  @Test func `A phone that closes after each answer is connected to again for each question`() {
    var line = FollowerTimeLine()
    line.start()
    for time in [0, 40, 80] as [Int64] {
      line.run(to: time)
      line.connected()
      line.answered("\(time)")
      line.closed()
    }
    line.run(to: 120)
    #expect(
      line.take() == [
        "0 connect", "0 # connected to the phone", "0 VISION", "0 # target found", "0 X90.",
        "0 # the phone closes after each answer: reconnecting for each question",
        "33 connect", "40 VISION", "40 X130.", "73 connect", "80 VISION", "80 X170.", "113 connect",
      ])
    line.connectFailed()
    #expect(angles(&line) == ["120 L"])
  }

  @Test func `The close can end an answer, or arrive after the next question`() {
    var line = FollowerTimeLine.asked()
    line.received("12:00:00|angle^1")
    line.closed()
    line.run(to: 50)
    line.connected()
    line.received("12:00:01|angle^2")
    line.run(to: 155)
    #expect(
      line.take().filter { !$0.contains("#") } == [
        "0 X91.", "33 connect", "50 VISION", "150 X92.", "150 VISION",
      ])
    line.closed()
    #expect(angles(&line) == [])
    line.run(to: 200)
    #expect(angles(&line) == ["183 connect"])
  }

  @Test func `A phone that reads lines is sent a line end first, and whole lines after it`() {
    var line = FollowerTimeLine.asked()
    line.run(to: 310)
    line.answered("1")
    line.run(to: 2_000)
    #expect(
      line.take().filter { !$0.contains("#") } == [
        "300 \\n", "310 X91.", "310 VISION\\n", "1310 cut", "1310 L", "1560 connect",
      ])
    // Another phone may be there now.
    line.connected()
    #expect(line.take().filter { !$0.contains("#") } == ["2000 VISION"])
  }

  @Test func `A phone that answers a bare word is sent no newline, however slow it becomes`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.run(to: 900)
    line.answered("2")
    #expect(angles(&line) == ["0 X91.", "900 X92."])
  }
}
