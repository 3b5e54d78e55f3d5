import Sketches

/// The positions in a picture, in pixels.
struct Layout {
  static let width = 1_000.0
  static let left = 62.0
  static let right = 932.0
  /// The room for a line of the title. There is little to the right of it.
  static let titleWidth = right - left + 30
  static let titleLinesMax = 3
  static let titleLineHeight = 24.0

  let height: Double
  let left = Self.left
  let right = Self.right
  let titleLine = 36.0
  let subtitleLine: Double
  /// The baselines of the legend of the other servos; none if it is next to the subtitle.
  let servoLines: [Double]
  let strip: (top: Double, bottom: Double)
  let panel: (top: Double, bottom: Double)
  /// The rows of levels, between the panel and the lane.
  let rows: [(top: Double, bottom: Double)]
  let lane: (top: Double, bottom: Double)
  /// The baselines of the callouts, above the bytes' ticks.
  let calloutLine: Double
  let tick: (top: Double, bottom: Double)
  /// The baselines of the bytes' words.
  let wordLines: [Double]
  let axisLine: Double
  let legendLine: Double

  /// Maps seconds to x.
  let time: Scale
  /// Maps degrees to y. The range is slightly extended, so that a line along its edge is visible.
  let angle: Scale

  private static let rowHeight = 18.0
  private static let servoRowHeight = 17.0

  /// A title of several lines and a long legend move everything else down, and levels move what is
  /// below them.
  init(from start: Instant, to end: Instant, titleLines: Int, servoRows: Int = 0, levels: Int = 0) {
    var down = Double(max(0, titleLines - 1)) * Self.titleLineHeight
    let subtitleLine = 58 + down
    self.subtitleLine = subtitleLine
    servoLines = (0..<servoRows).map { subtitleLine + Double($0 + 1) * Self.servoRowHeight }
    down += Double(servoRows) * Self.servoRowHeight
    strip = (74 + down, 91 + down)
    panel = (91 + down, 348 + down)
    let rowsTop = 358 + down
    rows = (0..<levels).map {
      (rowsTop + Double($0) * Self.rowHeight, rowsTop + Double($0 + 1) * Self.rowHeight - 4)
    }
    if levels > 0 { down += Double(levels) * Self.rowHeight + 6 }
    height = 520 + down
    lane = (358 + down, 447 + down)
    calloutLine = 370 + down
    tick = (380 + down, 397 + down)
    wordLines = [411 + down, 424.5 + down, 438 + down]
    axisLine = 464 + down
    legendLine = 499 + down
    // Even an empty session has an axis.
    let (first, last) = (start.seconds, max(end.seconds, start.seconds + 1e-9))
    time = Scale(first...max(last, end > start ? last : first + 1e-6), from: left, to: right)
    angle = Scale(-5...187, from: panel.bottom, to: panel.top)
  }

  func x(_ instant: Instant) -> Double { time(instant.seconds) }
}

/// Maps values to pixels linearly.
struct Scale: Hashable, Sendable {
  let domain: ClosedRange<Double>
  /// The positions of the domain's bounds. `end` can be less than `start`.
  let start: Double
  let end: Double

  init(_ domain: ClosedRange<Double>, from start: Double, to end: Double) {
    self.domain = domain
    self.start = start
    self.end = end
  }

  /// Returns the position of a value. Values outside the domain are drawn at its edge.
  func callAsFunction(_ value: Double) -> Double {
    let length = domain.upperBound - domain.lowerBound
    guard length > 0 else { return start }
    let part = (min(max(value, domain.lowerBound), domain.upperBound) - domain.lowerBound) / length
    return start + part * (end - start)
  }
}

/// Arranges texts in rows so that they do not overlap.
struct Rows {
  private var taken: [[ClosedRange<Double>]]

  init(count: Int) { taken = Array(repeating: [], count: count) }

  /// Returns the first row in which `range` is free, and occupies it; nil if there is none.
  mutating func place(_ range: ClosedRange<Double>) -> Int? {
    guard let row = taken.firstIndex(where: { !$0.contains { $0.overlaps(range) } }) else {
      return nil
    }
    taken[row].append(range)
    return row
  }
}
