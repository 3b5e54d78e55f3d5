import Turret

/// Collects the levels of pins while a session runs.
struct PlottedLevels {
  private let blank: ThinnedSeries
  private var series: [BoardPin: ThinnedSeries] = [:]
  /// The pins beyond the number that can be drawn.
  private var undrawn: Set<BoardPin> = []

  /// `blank` must be empty.
  init(_ blank: ThinnedSeries) { self.blank = blank }

  mutating func take(_ pin: BoardPin, isHigh: Bool, at time: Instant) {
    guard series[pin] != nil || series.count < PlottedLevel.countMax else {
      undrawn.insert(pin)
      return
    }
    series[pin, default: blank].append(.init(time, isHigh ? 1 : 0))
  }

  /// Adds to the session the levels that its picture shows. Returns whether samples were left out.
  func finish(_ session: inout PlottedSession) -> Bool {
    var isThinned = false
    for (pin, samples) in series {
      let shown = samples.finished(at: session.end)
      isThinned = isThinned || shown.isThinned
      session.levels.append(
        PlottedLevel(pin, shown.samples.held(from: session.start, to: session.end)))
    }
    session.levels.sort { $0.pin < $1.pin }
    session.undrawnPinCount = undrawn.count
    return isThinned
  }
}
