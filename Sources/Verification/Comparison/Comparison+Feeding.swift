import Traces
import Turret

extension Comparison {
  /// A smaller deviation is reported as late or early, not as missing or extra.
  private static let patience = Interval.milliseconds(250)

  /// Feeds both sides of a session that is over, in order of time. Each kind keeps its order.
  mutating func feed(_ expected: [Expectation], _ found: [Event]) {
    var latest = Array(repeating: Instant.zero, count: Output.Kind.allCases.count)
    let keys = expected.map { expectation in
      guard let kind = expectation.event.output?.kind else { return expectation.event.time }
      latest[kind.rawValue] = max(latest[kind.rawValue], expectation.event.time)
      return latest[kind.rawValue]
    }
    var next = 0
    for index in expected.indices.sorted(by: { (keys[$0], $0) < (keys[$1], $1) }) {
      while next < found.count, found[next].time <= keys[index] {
        find(found[next])
        next += 1
      }
      let line = expected[index].line
      expect(expected[index].event, line: line)
      settle(before: keys[index] - Self.patience, line: line)
    }
    for event in found[next...] { find(event) }
  }
}
