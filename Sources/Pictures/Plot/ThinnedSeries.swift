import Sketches

/// Samples in order of time, reduced to what a picture can show.
///
/// In a column of pixels a line is visible where it enters, at its highest and lowest point, and
/// where it leaves. So above a certain number of samples only the first, least, greatest and last
/// of each column are kept. The picture looks the same, and a session of any length needs bounded
/// memory and a bounded file.
struct ThinnedSeries {
  /// The part of the session that the picture shows. Of the samples before and after it, only the
  /// closest one is kept.
  private let window: ClosedRange<Instant>
  private let columns: Int64
  private(set) var samples: [PlottedSession.Sample] = []
  private(set) var isThinned = false

  init(_ window: ClosedRange<Instant>, columns: Int64) {
    self.window = window
    self.columns = columns
  }

  /// The maximum number of samples that are kept.
  private var kept: Int { Int(columns) * 4 }

  mutating func append(_ sample: PlottedSession.Sample) {
    if sample.time < window.lowerBound {
      samples = [sample]
      return
    }
    if let last = samples.last, last.time > window.upperBound { return }
    samples.append(sample)
    // Columns are never wider than those of the finished picture, since time only increases.
    if samples.count >= 2 * kept { thin(to: sample.time) }
  }

  /// Removes the sample before the window.
  mutating func dropBefore() { samples.removeAll { $0.time < window.lowerBound } }

  /// Returns the samples for a picture that ends at `end`.
  func finished(at end: Instant) -> Self {
    var copy = self
    // If anything was thinned, thin the last part in the same way.
    if isThinned || copy.samples.count > kept { copy.thin(to: end) }
    return copy
  }

  private mutating func thin(to end: Instant) {
    let start = window.lowerBound
    let width = max(1, ((end - start).nanoseconds + columns - 1) / columns)
    func column(_ index: Int) -> Int64 { (samples[index].time - start).nanoseconds / width }
    var thinned: [PlottedSession.Sample] = []
    thinned.reserveCapacity(kept)
    var first = 0
    while first < samples.count {
      let here = column(first)
      var next = first + 1
      var least = first
      var greatest = first
      while next < samples.count, column(next) == here {
        if samples[next].value < samples[least].value { least = next }
        if samples[next].value > samples[greatest].value { greatest = next }
        next += 1
      }
      var last = -1
      let kept = [first, min(least, greatest), max(least, greatest), next - 1]
      for index in kept where index > last {
        thinned.append(samples[index])
        last = index
      }
      first = next
    }
    samples = thinned
    isThinned = true
  }
}

/// The samples of a series that a picture shows, from its first to its last instant.
extension [PlottedSession.Sample] {
  /// Returns the samples of a value that holds until the next one.
  func held(from start: Instant, to end: Instant) -> Self {
    var cut = filter { $0.time <= end }
    if let first = cut.first, first.time < start { cut[0].time = start }
    return cut
  }

  /// Returns the samples of a value that changes in straight lines.
  func joined(from start: Instant, to end: Instant) -> Self {
    var cut = self
    if cut.count > 1, cut[0].time < start { cut[0] = cut[0].at(start, towards: cut[1]) }
    if let last = cut.last, last.time > end, cut.count > 1 {
      cut[cut.count - 1] = cut[cut.count - 2].at(end, towards: last)
    }
    return cut
  }
}

extension PlottedSession.Sample {
  /// Returns the value at `time` on the straight line to another sample.
  fileprivate func at(_ time: Instant, towards other: Self) -> Self {
    let length = (other.time - self.time).seconds
    let part = length > 0 ? (time - self.time).seconds / length : 1
    return Self(time, value + (other.value - value) * part)
  }
}

/// The mode bands in order of time. Adjacent bands with the same mode are merged, and bands too
/// narrow to be distinguished in a picture are merged into the one that lasts longest.
struct ThinnedBands {
  /// The part of the session that the picture shows.
  private let window: ClosedRange<Instant>
  private let columns: Int64
  private var bands: [PlottedSession.Band] = []
  private(set) var isThinned = false

  /// A band has half as many columns as the lines above it, so that its colour can be seen.
  init(_ window: ClosedRange<Instant>, columns: Int64) {
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

extension PlottedSession {
  /// Returns the session reduced to what a picture of `columns` columns can show.
  func thinned(to columns: Int64) -> PlottedSession {
    func thinned(_ samples: [Sample]) -> [Sample] { self.thinned(samples, to: columns) }
    var bands = ThinnedBands(start...max(start, end), columns: columns / 2)
    for band in modes { bands.append(band.mode, from: band.start, to: band.end) }
    let shown = bands.finished(at: end)
    var copy = self
    (copy.commanded, copy.pulses) = (thinned(commanded), thinned(pulses))
    (copy.shaft, copy.expected) = (thinned(shaft), thinned(expected))
    for index in others.indices {
      copy.others[index].commanded = thinned(others[index].commanded)
      copy.others[index].shaft = thinned(others[index].shaft)
    }
    for index in levels.indices { copy.levels[index].samples = thinned(levels[index].samples) }
    copy.modes = shown.bands
    copy.isThinned =
      isThinned || shown.isThinned || copy.commanded.count < commanded.count
      || copy.pulses.count < pulses.count || copy.shaft.count < shaft.count
      || copy.others != others || copy.levels != levels
    return copy
  }

  /// Returns the levels reduced to what `columns` columns can show, shared equally among them.
  func levels(thinnedTo columns: Int64) -> [PlottedLevel] {
    levels.map { level in
      PlottedLevel(level.name, thinned(level.samples, to: columns / Int64(levels.count)))
    }
  }

  private func thinned(_ samples: [Sample], to columns: Int64) -> [Sample] {
    var series = ThinnedSeries(start...max(start, end), columns: columns)
    for sample in samples { series.append(sample) }
    return series.finished(at: end).samples
  }
}
