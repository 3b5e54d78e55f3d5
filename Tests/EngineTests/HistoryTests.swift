import Devices
import Engine
import Sketches
import Testing
import Traces

@Suite struct HistoryTests {
  private static func history(seconds: Int64) -> History<Int64> {
    var history = History<Int64>()
    for tenth in 0...seconds * 10 { history.keep(tenth, at: .zero + .milliseconds(tenth * 100)) }
    return history
  }

  @Test(
    arguments: [
      // Seconds kept, requested time, tenths of a second that are found.
      (20, 15_000, 150), (20, 15_999, 150), (20, 14_999, 140), (20, 99_000, 200), (20, -5_000, 0),
      (0, -5_000, 0), (500, 381_000, 3_810), (500, 380_000, 3_810), (500, 0, 3_810),
    ] as [(Int64, Int64, Int64)])
  func `Rewinding finds the last moment that is early enough, or the oldest`(
    _ seconds: Int64, _ milliseconds: Int64, _ tenths: Int64
  ) throws {
    var history = Self.history(seconds: seconds)
    let back = history.goBack(to: .zero + .milliseconds(milliseconds))
    let found = try #require(back)
    #expect(found.moment == tenths && found.time == .zero + .milliseconds(tenths * 100))
  }

  @Test func `Rewinding again goes further back, and later moments are discarded`() throws {
    var history = Self.history(seconds: 20)
    var now = Instant.zero + .seconds(20)
    for expected in [150, 100, 50, 0, 0] as [Int64] {
      let back = history.goBack(to: now - .seconds(5))
      let found = try #require(back)
      #expect(found.moment == expected)
      now = found.time
    }
    history.keep(7, at: .zero + .seconds(1))
    #expect(history.goBack(to: .zero + .seconds(30))?.moment == 7)
  }

  @Test func `Rewinding before any moment is kept finds nothing`() {
    var history = History<Int>()
    #expect(history.goBack(to: .zero)?.moment == nil)
  }

  @Test func `A rewound session repeats what it did`() {
    var header = Header(firmware: .guarded, duration: nil, title: nil)
    header.set(source: "test")
    var session = LiveBoard(
      Model(.guarded, for: header, showsPulses: false), baud: 9_600,
      kinds: Set(Output.Kind.allCases))
    var history = History<LiveBoard<Model>>()
    func play(_ session: inout LiveBoard<Model>, _ seconds: ClosedRange<Int64>) -> [Event] {
      var events: [Event] = []
      for second in seconds {
        session.take(
          .event(.receive(Array("X\(second * 10).LT?".utf8))), at: .zero + .seconds(second)
        ) {
          events.append($0)
        }
        // Some bytes are still on the line.
        session.pass(to: .zero + .milliseconds(second * 1_000 + 3)) { events.append($0) }
        history.keep(session, at: session.now)
      }
      session.pass(to: .zero + .seconds(10)) { events.append($0) }
      return events
    }
    let all = play(&session, 1...8)
    let found = history.goBack(to: .zero + .milliseconds(4_500))
    var earlier = found?.moment ?? session
    #expect(earlier.now == .zero + .milliseconds(4_003) && earlier.onTheWayCount == 5)
    let again = play(&earlier, 5...8)
    #expect(again.count > 100 && all.suffix(again.count) == again[...])
    #expect(earlier.ledger == session.ledger)
  }
}
