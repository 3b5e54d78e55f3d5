import Traces
import Turret

/// For a trace of a board that was already running: finds the first event that fixes its state, an
/// aim that trace and device agree on. Before it nothing can be compared; what follows it can.
struct StateFix {
  /// A scan that the trace knows nothing of ends up to one step late, and a computer's stamp may be
  /// off by as much as a clock fit allows.
  private let window: Interval
  private var expected: [Expectation] = []
  private var found: [(event: Event, isAim: Bool)] = []

  init(tolerance: Interval) {
    window = max(tolerance, .milliseconds(20)) + .milliseconds(50)
  }

  mutating func expect(_ event: Event, line: Int) {
    expected.append(Expectation(event, line: line))
    expected.removeAll { $0.event.time + window < event.time }
  }

  mutating func find(_ event: Event, isAim: Bool) {
    found.append((event, isAim))
    found.removeAll { $0.event.time + window < event.time }
  }

  /// Whether the state is now fixed; if so hands over what came after the event that fixed it.
  mutating func hand(to judge: inout some Judge) -> Bool {
    for (index, expectation) in expected.enumerated() {
      guard case .output(.servo) = expectation.event.kind,
        let partner = found.firstIndex(where: {
          $0.isAim && $0.event.output == expectation.event.output
            && ($0.event.time - expectation.event.time).magnitude <= window
        })
      else { continue }
      for later in expected[(index + 1)...] { judge.expect(later.event, line: later.line) }
      for later in found[(partner + 1)...] { judge.find(later.event) }
      return true
    }
    return false
  }
}
