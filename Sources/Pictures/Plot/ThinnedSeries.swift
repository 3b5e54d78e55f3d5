import Turret

/// Samples in order of time, reduced to what a picture can show.
///
/// In a column of pixels a line is visible where it enters, at its highest and lowest point, and
/// where it leaves. So above a certain number of samples only the first, least, greatest and last
/// of each column are kept. The picture looks the same, and a session of any length needs bounded
/// memory and a bounded file.
struct ThinnedSeries {
  /// The usual number of columns, more than a picture has pixels across.
  static let usualColumns: Int64 = 1_000

  /// The part of the session that the picture shows. Of the samples before and after it, only the
  /// closest one is kept.
  private let window: ClosedRange<Instant>
  private let columns: Int64
  private(set) var samples: [PlottedSession.Sample] = []
  private(set) var isThinned = false

  init(
    _ window: ClosedRange<Instant> = .zero ... .distantFuture,
    columns: Int64 = ThinnedSeries.usualColumns
  ) {
    self.window = window
    self.columns = columns
  }

  /// The maximum number of samples that are kept: 4 000 for the usual number of columns.
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
