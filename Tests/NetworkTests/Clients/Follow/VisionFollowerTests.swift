import Sketches
import Testing
import TurretLink

@testable import Network

/// What the follower does when all is well, and when a target comes and goes.
struct VisionFollowerTests {
  @Test func `The follower connects, asks, and aims where the phone sees the target`() {
    var line = FollowerTimeLine()
    line.start()
    line.run(to: 10)
    line.connected()
    line.run(to: 15)
    line.answered("15.2")
    line.run(to: 50)
    #expect(
      line.take() == [
        "0 connect", "10 # connected to the phone", "10 VISION", "15 # target found", "15 X105.",
        "43 VISION",
      ])
  }

  @Test func `Questions keep the rate and wait for the answer`() {
    var line = FollowerTimeLine.asked { $0.rate = 10 }
    for time in [5, 230, 290] as [Int64] {
      line.run(to: time)
      line.answered("0")
    }
    line.run(to: 350)
    // The second answer took longer than the period: the next question follows at once.
    #expect(
      line.take() == ["5 # target found", "5 X90.", "100 VISION", "230 VISION", "330 VISION"])
  }

  @Test func `A command equal to the last one is not sent again`() {
    var line = FollowerTimeLine.asked()
    for (time, angle) in [(5, "1"), (40, "1.2"), (75, "0.9"), (110, "2"), (145, "1")] {
      line.run(to: Int64(time))
      line.answered(angle)
    }
    #expect(line.take().filter { $0.contains("X") } == ["5 X91.", "110 X92.", "145 X91."])
    #expect(line.follower.counts.aims == 3)
  }

  @Test func `A loss is reported once, and the same angle is sent again after it`() {
    var line = FollowerTimeLine.asked()
    for (time, angle) in [(5, "1"), (40, ""), (75, "NaN"), (110, "1")] {
      line.run(to: Int64(time))
      line.answered(angle)
    }
    #expect(
      line.take().filter { !$0.contains("VISION") } == [
        "5 # target found", "5 X91.", "40 L", "40 # no target", "110 # target found", "110 X91.",
      ])
  }

  @Test func `A phone that sees no target from the start is believed`() {
    var line = FollowerTimeLine.asked()
    line.received("12:00:00\n")
    #expect(line.take() == ["0 L", "0 # no target"])
  }

  @Test func `Both forms can arrive in turn`() {
    var line = FollowerTimeLine.asked()
    line.received(#"{"timestamp": "12:00:00", "angle": -10, "distance": 1}"#)
    line.run(to: 40)
    line.answered("10")
    #expect(line.take().filter { $0.contains("X") } == ["0 X80.", "40 X100."])
  }

  @Test func `Without a newline a short silence ends an answer, a longer one after an angle`() {
    var line = FollowerTimeLine.asked()
    line.run(to: 5)
    line.received("12:00:00.1|angle^1|distance^4")
    line.run(to: 15)
    line.received(".3")
    line.run(to: 40)
    line.received("12:00:00.2|angle^1")
    line.run(to: 120)
    line.received("5.2")
    line.run(to: 230)
    #expect(
      line.take() == [
        "35 # target found", "35 X91.", "35 VISION", "220 X105.", "220 VISION",
      ])
  }

  @Test func `An answer that arrives byte by byte is one answer`() {
    var line = FollowerTimeLine.asked()
    for (index, character) in "12:00:00|angle^-45|distance^4.3\n".enumerated() {
      line.run(to: Int64(index * 19))
      line.received(String(character))
    }
    #expect(line.take() == ["589 # target found", "589 X45.", "589 VISION"])
  }

  @Test func `A frozen camera has lost its target until something changes`() {
    var line = FollowerTimeLine.asked { $0.rate = 10 }
    for time in stride(from: 0, to: 2_600, by: 100) as StrideTo<Int64> {
      line.run(to: time)
      line.received("12:00:00|angle^1|distance^2\n")
    }
    line.run(to: 2_600)
    line.received("12:00:01|angle^1|distance^2\n")
    #expect(
      line.take().filter { !$0.contains("VISION") } == [
        "0 # target found", "0 X91.",
        "2100 L", "2100 # no target: the phone's reading has stopped changing",
        "2600 # target found", "2600 X91.",
      ])
  }

  @Test(arguments: [
    #"{"angle": 1}"#, #"{"timestamp": "", "angle": 1}"#,
  ])
  func `Without a timestamp a still target is not taken for a frozen camera`(answer: String) {
    var line = FollowerTimeLine.asked()
    for time in stride(from: 0, to: 10_000, by: 100) as StrideTo<Int64> {
      line.run(to: time)
      line.received(answer)
    }
    #expect(line.follower.counts.losses == 0)
  }

  @Test func `A frozen camera can be tolerated`() {
    var line = FollowerTimeLine.asked { $0.staleTime = nil }
    for time in stride(from: 0, to: 10_000, by: 100) as StrideTo<Int64> {
      line.run(to: time)
      line.received("12:00:00|angle^1|distance^2\n")
    }
    #expect(line.follower.counts.losses == 0)
  }

  @Test func `A stopped follower disconnects at once and sends nothing to the turret`() {
    var line = FollowerTimeLine.asked()
    line.answered("1")
    line.drop()
    line.stop()
    line.stop()
    line.received("12:00:00|angle^5\n")
    line.closed()
    line.run(to: 60_000)
    #expect(line.take() == ["0 cut"])
    #expect(line.follower.nextDeadline == nil)
  }
}
