import Turret

/// Collects the levels while a session runs.
struct PlottedLevels {
  /// The outputs that share a row.
  private struct Row: Hashable, Comparable {
    let kind: Output.Kind
    let pin: BoardPin?

    var name: String {
      guard let pin else { return kind.name }
      return kind == .pin ? pin.name : "\(kind.name) \(pin.name)"
    }

    static func < (left: Row, right: Row) -> Bool {
      guard left.kind == right.kind else { return left.kind.rawValue < right.kind.rawValue }
      guard let pin = right.pin else { return false }
      return left.pin.map { $0 < pin } ?? true
    }
  }

  private let blank: ThinnedSeries
  private var series: [Row: ThinnedSeries] = [:]
  /// The rows beyond the number that can be drawn.
  private var undrawn: Set<Row> = []

  /// `blank` must be empty.
  init(_ blank: ThinnedSeries) { self.blank = blank }

  /// Takes an output that switches something.
  mutating func take(_ output: Output, isOn: Bool, at time: Instant) {
    let row = Row(kind: output.kind, pin: output.pin)
    guard series[row] != nil || series.count < PlottedLevel.countMax else {
      undrawn.insert(row)
      return
    }
    series[row, default: blank].append(.init(time, isOn ? 1 : 0))
  }

  /// Adds to the session the levels that its picture shows. Returns whether samples were left out.
  func finish(_ session: inout PlottedSession) -> Bool {
    var isThinned = false
    for (row, samples) in series.sorted(by: { $0.key < $1.key }) {
      let shown = samples.finished(at: session.end)
      isThinned = isThinned || shown.isThinned
      session.levels.append(
        PlottedLevel(row.name, shown.samples.held(from: session.start, to: session.end)))
    }
    session.undrawnLevelCount = undrawn.count
    return isThinned
  }
}
