import Sketches
import Testing
import Traces

@testable import Judging

struct DivergenceTableTests {
  private static func at(_ microseconds: Int64) -> Instant { .zero + .microseconds(microseconds) }

  private static func servo(_ microseconds: Int64, _ degrees: UInt8) -> Event {
    Event(at(microseconds), .output(.servo(degrees: degrees, microseconds: 1_000)))
  }

  /// A table of a divergence between servo events: time in microseconds and degrees. `expected` and
  /// `found` are the differing events, as positions.
  private static func table(
    _ difference: Divergence.Difference, traced: [Event], done: [Event], expected: Int?,
    found: Int?
  ) -> String {
    var divergence = Divergence(
      difference, expected: expected.map { Expectation(traced[$0], line: $0 + 2) },
      found: found.map { done[$0] }, line: 2, tolerance: .microseconds(200))
    divergence.traced = traced.enumerated().map { .init($1, line: $0 + 2) }
    divergence.done = done.map { .init($0, line: nil) }
    return DivergenceTable(divergence).text
  }

  @Test func `An event of both sides is in one row, however late the device is`() {
    let text = Self.table(
      .time, traced: [Self.servo(1_000, 10), Self.servo(100_000, 20), Self.servo(200_000, 30)],
      done: [Self.servo(1_100, 10), Self.servo(130_000, 20), Self.servo(230_000, 30)],
      expected: 1, found: 1)
    #expect(
      text == """
                 expected                        found
              2  [0.001000, "servo", 10, 1000]   [0.001100, "servo", 10, 1000]
            > 3  [0.100000, "servo", 20, 1000]   [0.130000, "servo", 20, 1000]
              4  [0.200000, "servo", 30, 1000]   [0.230000, "servo", 30, 1000]

        """)
  }

  @Test func `Two different values at the divergence share its row`() {
    let text = Self.table(
      .value, traced: [Self.servo(1_000, 10), Self.servo(100_000, 20)],
      done: [Self.servo(1_000, 10), Self.servo(100_000, 21)], expected: 1, found: 1)
    #expect(
      text.contains("> 3  [0.100000, \"servo\", 20, 1000]   [0.100000, \"servo\", 21, 1000]\n"))
  }

  @Test func `An additional event has a row of its own, and the others keep their partners`() {
    let text = Self.table(
      .extra, traced: [Self.servo(1_000, 10), Self.servo(100_000, 20)],
      done: [Self.servo(1_000, 10), Self.servo(50_000, 99), Self.servo(100_400, 20)],
      expected: nil, found: 1)
    let rows = text.split(separator: "\n").dropFirst()
    #expect(rows.count == 3)
    #expect(rows.dropFirst().first?.hasPrefix("    >   ") == true)
    #expect(rows.last?.hasSuffix("20, 1000]   [0.100400, \"servo\", 20, 1000]") == true)
  }

  @Test func `A missing event has an empty right side`() {
    let text = Self.table(
      .missing, traced: [Self.servo(1_000, 10), Self.servo(100_000, 20)],
      done: [Self.servo(1_000, 10)], expected: 1, found: nil)
    #expect(text.hasSuffix("> 3  [0.100000, \"servo\", 20, 1000]\n"))
  }

  @Test func `Repeated values are paired with the closest in time`() {
    let traced = (1...6).map { Self.servo(Int64($0) * 20_000, 90) } + [Self.servo(130_000, 1)]
    let done = (0...6).map { Self.servo(Int64($0) * 20_000 + 3_000, 90) }
    let text = Self.table(.missing, traced: traced, done: done, expected: 6, found: nil)
    for time in ["04", "06", "08", "10", "12"] {
      #expect(
        text.contains(
          "[0.\(time)0000, \"servo\", 90, 1000]   [0.\(time)3000, \"servo\", 90, 1000]"))
    }
  }

  @Test func `The same value much later is not the same event`() {
    let text = Self.table(
      .missing, traced: [Self.servo(1_000, 10)], done: [Self.servo(900_000, 10)], expected: 0,
      found: nil)
    #expect(text.split(separator: "\n").count == 3)
  }

  @Test func `A long neighbourhood is cut to the rows around the divergence`() {
    let events = (0..<30).map { Self.servo(Int64($0) * 1_000, UInt8($0)) }
    let text = Self.table(.value, traced: events, done: events, expected: 15, found: 15)
    let rows = text.split(separator: "\n").dropFirst()
    #expect(rows.count == 11)
    #expect(rows.dropFirst(5).first?.hasPrefix("    > 17") == true)
  }
}
