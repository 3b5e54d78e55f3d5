import Testing
import Turret

@testable import Networking

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
    #expect(Self.run(&heartbeat, hearing: [], until: 20_000) == [])
    heartbeat.read(true, at: Self.at(20_000))
    #expect(Self.run(&heartbeat, hearing: [], until: 40_000).last == "22000 silent")
  }

  @Test func `While this end does not read, it wakes up once a period`() {
    var heartbeat = Self.pinging()
    heartbeat.read(false, at: Self.at(100))
    var dues: [Int64] = []
    while heartbeat.due <= Self.at(3_000) {
      dues.append(heartbeat.due.nanoseconds / 1_000_000)
      _ = heartbeat.tick(at: heartbeat.due)
    }
    #expect(dues == [500, 1_000, 1_500, 2_000, 2_500, 3_000])
  }

  @Test func `Time in which this end did not run does not count against the client`() {
    var heartbeat = Self.pinging()
    let action = heartbeat.tick(at: Self.at(9_000))
    #expect(action == .ping)
    #expect(Self.run(&heartbeat, hearing: [9_001], until: 11_000).last == "11000 ping")
  }
}
