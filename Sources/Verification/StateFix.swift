import Traces
import Turret

/// For a trace of a board that was already running: finds the first event that fixes its state, an
/// aim that trace and device agree on. Before it nothing can be compared; what follows it can.
struct StateFix {
  /// A scan that the trace knows nothing of ends up to one step late, and a computer's stamp may be
  /// off by as much as a clock fit allows.
  private let window: Interval
  private static let countMax = 256
  private var expected: [Expectation] = []
  private var found: [(event: Event, isAim: Bool)] = []
  /// The aim that both sides have: places in the two lists.
  private var match: (expected: Int, found: Int)?

  init(tolerance: Interval) {
    window = max(tolerance, .milliseconds(20)) + .milliseconds(50)
  }

  mutating func expect(_ event: Event, line: Int) {
    if expected.count == Self.countMax { expected.removeFirst(Self.countMax / 2) }
    expected.append(Expectation(event, line: line))
    guard case .output(.servo) = event.kind, match == nil else { return }
    if let partner = found.firstIndex(where: { $0.isAim && isSame($0.event, event) }) {
      match = (expected.count - 1, partner)
    }
  }

  mutating func find(_ event: Event, isAim: Bool) {
    if found.count == Self.countMax { found.removeFirst(Self.countMax / 2) }
    found.append((event, isAim))
    guard isAim, case .output(.servo) = event.kind, match == nil else { return }
    if let partner = expected.firstIndex(where: { isSame($0.event, event) }) {
      match = (partner, found.count - 1)
    }
  }

  /// Whether the state is now fixed; if so hands over what came after the event that fixed it.
  func hand(to judge: inout some Judge) -> Bool {
    guard let match else { return false }
    for later in expected[(match.expected + 1)...] where later.event.output?.kind != .tone {
      judge.expect(later.event, line: later.line)
    }
    for later in found[(match.found + 1)...] where later.event.output?.kind != .tone {
      judge.find(later.event)
    }
    return true
  }

  private func isSame(_ a: Event, _ b: Event) -> Bool {
    a.output == b.output && (a.time - b.time).magnitude <= window
  }
}
