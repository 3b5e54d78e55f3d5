import Traces
import Turret

/// Finds the first event that fixes the state of a board that was already running: an aim on which
/// trace and device agree. Only the events after it can be compared.
///
/// A board that receives two aims does both, whatever its state was, except that the first can end
/// an unfinished number. So if the trace shows neither where the device has them, the second is
/// compared, and differs.
struct StateFix {
  /// A scan unknown to the trace ends up to one step late, and a computer's stamp can be off by as
  /// much as a clock fit allows.
  private let window: Interval
  private static let countMax = 256
  private var expected: [Expectation] = []
  private var found: [(event: Event, isAim: Bool)] = []
  /// The aim that both sides have, as positions in the two lists.
  private var match: (expected: Int, found: Int)?
  /// Two aims closer than this can be affected by the same unfinished number.
  private static let apart = Interval.milliseconds(100)
  /// How early an output of the trace can be; nil if its clock has not been fitted yet, so that
  /// only an aim on which both sides agree can fix the state.
  private let early: Interval?
  /// The device's first aim, and the first one that is far enough from it.
  private var firstAim: Instant?
  private var laterAim: Instant?

  /// `isExact`: whether the trace's times are the board's own.
  init(tolerance: Interval, isExact: Bool) {
    window = max(tolerance, .milliseconds(20)) + .milliseconds(50)
    early = isExact ? tolerance : nil
  }

  mutating func expect(_ event: Event, line: Int) {
    if expected.count == Self.countMax { expected.removeFirst(Self.countMax / 2) }
    expected.append(Expectation(event, line: line))
    guard case .output(.servo(_, _, nil)) = event.kind, match == nil else { return }
    if let partner = found.firstIndex(where: { $0.isAim && isSame($0.event, event) }) {
      match = (expected.count - 1, partner)
    }
  }

  /// Takes the device's next output. `isAim`: whether it is not a step of a sweep; nil if the
  /// device does not show that, so that it can be either.
  mutating func find(_ event: Event, isAim known: Bool?) {
    let isAim = known ?? true
    if found.count == Self.countMax { found.removeFirst(Self.countMax / 2) }
    found.append((event, isAim))
    guard isAim, case .output(.servo(_, _, nil)) = event.kind, match == nil else { return }
    if known == true {
      if let firstAim, laterAim == nil, event.time - firstAim >= Self.apart {
        laterAim = event.time
      }
      firstAim = firstAim ?? event.time
    }
    if let partner = expected.firstIndex(where: { isSame($0.event, event) }) {
      match = (partner, found.count - 1)
    }
  }

  /// Whether the state is fixed at `now`. If so, passes the events after the fixing one to `judge`.
  func hand(to judge: inout some Judge, at now: Instant) -> Bool {
    guard let match = match ?? contradiction(at: now) else { return false }
    for later in expected[(match.expected + 1)...] where later.event.output?.kind != .tone {
      judge.expect(later.event, line: later.line)
    }
    for later in found[(match.found + 1)...] where later.event.output?.kind != .tone {
      judge.find(later.event)
    }
    return true
  }

  /// Returns the positions before the device's second aim, once it is certain that the trace has
  /// neither of the two; nil otherwise, or if the trace has no servo events.
  private func contradiction(at now: Instant) -> (expected: Int, found: Int)? {
    guard let early, let aim = laterAim, now - aim > window,
      let index = found.firstIndex(where: { $0.event.time == aim }),
      expected.contains(where: { $0.event.output?.kind == .servo })
    else { return nil }
    let start = aim.nanoseconds - early.nanoseconds
    let later = expected.firstIndex { $0.event.time.nanoseconds >= start }
    return ((later ?? expected.endIndex) - 1, index - 1)
  }

  private func isSame(_ a: Event, _ b: Event) -> Bool {
    a.output == b.output && (a.time - b.time).magnitude <= window
  }
}
