import Turret

/// The mode bands in order of time. Adjacent bands with the same mode are merged, and bands too
/// narrow to be distinguished in a picture are merged into the one that lasts longest.
struct ThinnedBands {
  /// The part of the session that the picture shows.
  private let window: ClosedRange<Instant>
  private let columns: Int64
  private var bands: [PlottedSession.Band] = []
  private(set) var isThinned = false

  /// A band has half as many columns as the lines above it, so that its colour can be seen.
  init(
    _ window: ClosedRange<Instant> = .zero ... .distantFuture,
    columns: Int64 = ThinnedSeries.usualColumns / 2
  ) {
    self.window = window
    self.columns = columns
  }

  private var kept: Int { Int(columns) * 4 }

  /// Records that the sketch has been in this mode since the last call, until `end`.
  mutating func append(_ mode: ModeBand, from start: Instant, to end: Instant) {
    let (start, end) = (max(start, window.lowerBound), min(end, window.upperBound))
    guard start < end else { return }
    if let last = bands.last, last.mode == mode, last.end == start {
      bands[bands.count - 1].end = end
      return
    }
    bands.append(.init(start, end, mode))
    if bands.count >= 2 * kept { thin(to: end) }
  }

  func finished(at end: Instant) -> (bands: [PlottedSession.Band], isThinned: Bool) {
    var copy = self
    // If anything was thinned, thin the last part in the same way.
    if isThinned || copy.bands.count > kept { copy.thin(to: end) }
    return (copy.bands, copy.isThinned)
  }

  private mutating func thin(to end: Instant) {
    let column = Interval(nanoseconds: max(1, (end - window.lowerBound).nanoseconds / columns))
    let all = bands
    bands = []
    isThinned = true
    var short: [PlottedSession.Band] = []
    for band in all {
      if band.end - band.start >= column {
        merge(&short)
        append(band.mode, from: band.start, to: band.end)
      } else {
        short.append(band)
        if band.end - short[0].start >= column { merge(&short) }
      }
    }
    merge(&short)
  }

  private mutating func merge(_ short: inout [PlottedSession.Band]) {
    guard let first = short.first, let last = short.last else { return }
    var lengths: [ModeBand: Int64] = [:]
    for band in short { lengths[band.mode, default: 0] += (band.end - band.start).nanoseconds }
    let longest = ModeBand.allCases.max { lengths[$0, default: 0] < lengths[$1, default: 0] }
    append(longest ?? first.mode, from: first.start, to: last.end)
    short.removeAll(keepingCapacity: true)
  }
}
