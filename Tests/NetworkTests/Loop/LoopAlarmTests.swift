import NIOCore
import NIOEmbedded
import Network
import Sketches
import Testing

struct LoopAlarmTests {
  @Test func `The last alarm that was set rings once, at its time`() {
    let loop = EmbeddedEventLoop()
    let alarm = LoopAlarm(on: loop)
    var rung: [String] = []
    alarm.set(Instant(nanoseconds: 500)) { rung.append("early") }
    alarm.set(Instant(nanoseconds: 1_000)) { rung.append("first") }
    // The same instant: the alarm stays as it is.
    alarm.set(Instant(nanoseconds: 1_000)) { rung.append("again") }
    loop.advanceTime(by: .nanoseconds(999))
    #expect(rung == [])
    loop.advanceTime(by: .nanoseconds(1))
    #expect(rung == ["first"])
    loop.advanceTime(by: .seconds(1))
    #expect(rung == ["first"])
  }

  @Test func `An alarm can be cancelled, set while it rings, and be due already`() {
    let loop = EmbeddedEventLoop()
    let alarm = LoopAlarm(on: loop)
    var rung: [String] = []
    alarm.set(Instant(nanoseconds: 10)) { rung.append("never") }
    alarm.set(nil) {}
    loop.advanceTime(by: .nanoseconds(100))
    #expect(rung == [])
    alarm.set(Instant(nanoseconds: 20)) {
      rung.append("one")
      alarm.set(Instant(nanoseconds: 20)) { rung.append("two") }
    }
    loop.run()
    loop.advanceTime(by: .nanoseconds(1))
    #expect(rung == ["one", "two"])
  }
}
