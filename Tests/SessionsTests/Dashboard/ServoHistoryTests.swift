import Sketches
import Testing
import Traces

@testable import Sessions

struct ServoHistoryTests {
  private static func event(_ milliseconds: Int64, _ degrees: UInt8, _ pin: BoardPin? = nil)
    -> Event
  {
    Event(
      .zero + .milliseconds(milliseconds),
      .output(.servo(degrees: degrees, microseconds: 1_500, on: pin)))
  }

  @Test func `It has the angles of the last minute, and the one before them`() {
    var history = ServoHistory()
    for second in 1...3 { history.take(Self.event(Int64(second) * 1_000, UInt8(second * 10))) }
    let first = history.json(at: .zero + .seconds(4), ownPin: nil).text
    #expect(first == "[[1, 10, null], [2, 20, null], [3, 30, null]]")
    history.take(Self.event(70_000, 40))
    let later = history.json(at: .zero + .seconds(80), ownPin: nil).text
    #expect(later == "[[3, 30, null], [70, 40, null]]")
  }

  @Test func `Angles that follow one another quickly are one, for each servo`() {
    var history = ServoHistory()
    history.take(Self.event(1_000, 1))
    history.take(Self.event(1_050, 2))
    history.take(Self.event(1_060, 90, BoardPin(name: "D10")))
    history.take(Self.event(1_099, 3))
    history.take(Self.event(1_100, 4))
    #expect(
      history.json(at: .zero + .seconds(2), ownPin: nil).text
        == #"[[1, 3, null], [1.06, 90, "D10"], [1.1, 4, null]]"#)
  }

  @Test func `The session's own servo has the name of its pin, as in the state`() {
    var history = ServoHistory()
    history.take(Self.event(1_000, 1))
    history.take(Self.event(1_001, 2, BoardPin(name: "D10")))
    let text = history.json(at: .zero + .seconds(2), ownPin: BoardPin(name: "D9")).text
    #expect(text == #"[[1, 1, "D9"], [1.001, 2, "D10"]]"#)
  }

  @Test func `What came after the moment to which a session is rewound is forgotten`() {
    var history = ServoHistory()
    history.take(Self.event(1_000, 1))
    history.take(Self.event(2_000, 2))
    history.goBack(to: .zero + .milliseconds(1_500))
    #expect(history.json(at: .zero + .seconds(2), ownPin: nil).text == "[[1, 1, null]]")
  }

  @Test func `A day of sweeping takes no more than its limit`() {
    var history = ServoHistory()
    for step in 0..<200_000 { history.take(Self.event(Int64(step) * 150, UInt8(step % 180))) }
    let text = history.json(at: .zero + .milliseconds(30_000_000), ownPin: nil).text
    #expect(text.utf8.count < 20_000)
  }
}
