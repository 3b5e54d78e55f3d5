import Sketches
import Testing

@testable import Network

struct HeartbeatTests {
  private static func at(_ milliseconds: Int64) -> Instant {
    Instant.zero + .milliseconds(milliseconds)
  }

  /// Ticks whenever that is due, until `end`; data arrives at the given times.
  private static func run(
    _ heartbeat: inout Heartbeat, hearing: [Int64], until end: Int64
  ) -> [String] {
    var told: [String] = []
    var heard = hearing[...]
    while heartbeat.due <= at(end) {
      while let next = heard.first, at(next) <= heartbeat.due {
        heartbeat.hear(at: at(next))
        heard.removeFirst()
      }
      let due = heartbeat.due
      let action = heartbeat.tick(at: due)
      if action != .wait { told.append("\(due.nanoseconds / 1_000_000) \(action)") }
      if action == .silent || action == .idle { break }
    }
    return told
  }

  private static func pinging(idle: Interval? = nil) -> Heartbeat {
    Heartbeat(
      pingPeriod: .milliseconds(500), answerTime: .seconds(2), idleTime: idle, at: .zero)
  }

  @Test func `A client is pinged each period, and is gone without input in the answer time`() {
    var heartbeat = Self.pinging()
    #expect(
      Self.run(&heartbeat, hearing: [], until: 5_000) == [
        "500 ping", "1000 ping", "1500 ping", "2000 silent",
      ])
  }

  @Test func `Anything that arrives is a sign of life`() {
    var heartbeat = Self.pinging()
    let told = Self.run(&heartbeat, hearing: [700, 1_900, 3_000], until: 10_000)
    #expect(told.last == "5000 silent")
  }

  @Test func `A client that cannot be pinged can be silent up to the idle time`() {
    var heartbeat = Heartbeat(
      pingPeriod: nil, answerTime: .seconds(2), idleTime: .seconds(10), at: .zero)
    #expect(Self.run(&heartbeat, hearing: [3_000], until: 60_000) == ["13000 idle"])
  }

  @Test func `Without limits nothing is ever due`() {
    let heartbeat = Heartbeat(
      pingPeriod: nil, answerTime: .seconds(2), idleTime: nil, at: .zero)
    #expect(heartbeat.due == .distantFuture)
  }

  @Test func `Time in which this end does not read does not count against the client`() {
    var heartbeat = Self.pinging(idle: .seconds(3))
    heartbeat.read(false, at: Self.at(100))
    let told = Self.run(&heartbeat, hearing: [], until: 20_000)
    #expect(told == (1...40).map { "\($0 * 500) ping" })
    heartbeat.read(true, at: Self.at(20_000))
    #expect(Self.run(&heartbeat, hearing: [], until: 40_000).last == "22000 silent")
  }

  @Test(arguments: [nil, Interval.seconds(10)])
  func `A client that cannot be pinged is probed while this end does not read`(idle: Interval?) {
    var heartbeat = Heartbeat(
      pingPeriod: nil, heldPingPeriod: .milliseconds(500), answerTime: .seconds(2), idleTime: idle,
      at: .zero)
    heartbeat.read(false, at: Self.at(700))
    #expect(
      Self.run(&heartbeat, hearing: [], until: 2_000) == ["701 ping", "1201 ping", "1701 ping"])
    heartbeat.read(true, at: Self.at(2_000))
    #expect(
      Self.run(&heartbeat, hearing: [], until: 60_000) == (idle == nil ? [] : ["12000 idle"]))
  }

  @Test func `Time in which this end did not run does not count against the client`() {
    var heartbeat = Self.pinging()
    let action = heartbeat.tick(at: Self.at(9_000))
    #expect(action == .ping)
    #expect(Self.run(&heartbeat, hearing: [9_001], until: 11_000).last == "11000 ping")
  }
}
