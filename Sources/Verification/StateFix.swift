import Traces
import Turret

/// Finds the first event that fixes the state of a board that was already running: an aim on which
/// trace and device agree. Only the events after it can be compared.
struct StateFix {
  /// A scan unknown to the trace ends up to one step late, and a computer's stamp can be off by as
  /// much as a clock fit allows.
  private let window: Interval
  private static let countMax = 256
  private var expected: [Expectation] = []
  private var found: [(event: Event, isAim: Bool)] = []
  /// The aim that both sides have, as positions in the two lists.
  private var match: (expected: Int, found: Int)?

  init(tolerance: Interval) {
    window = max(tolerance, .milliseconds(20)) + .milliseconds(50)
  }

  mutating func expect(_ event: Event, line: Int) {
    if expected.count == Self.countMax { expected.removeFirst(Self.countMax / 2) }
    expected.append(Expectation(event, line: line))
    guard case .output(.servo(_, _, nil)) = event.kind, match == nil else { return }
    if let partner = found.firstIndex(where: { $0.isAim && isSame($0.event, event) }) {
      match = (expected.count - 1, partner)
    }
  }

  mutating func find(_ event: Event, isAim: Bool) {
    if found.count == Self.countMax { found.removeFirst(Self.countMax / 2) }
    found.append((event, isAim))
    guard isAim, case .output(.servo(_, _, nil)) = event.kind, match == nil else { return }
    if let partner = expected.firstIndex(where: { isSame($0.event, event) }) {
      match = (partner, found.count - 1)
    }
  }

  /// Whether the state is now fixed. If so, passes the events after the fixing one to `judge`.
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
