import Turret

/// Samples in order of time, of which only those are kept that a picture can show.
///
/// A column of pixels shows where a line enters it, how high and low it goes and where it leaves
/// it. So beyond some number of samples the first, least, greatest and last of every column are
/// kept: the picture looks the same, and a session of any length needs bounded memory and a bounded
/// file.
struct ThinnedSeries {
  /// Columns, more than a picture has pixels across; and so at most 4 000 samples are left.
  static let columns: Int64 = 1_000
  static let kept = Int(columns) * 4

  private(set) var samples: [PlottedSession.Sample] = []
  private(set) var isThinned = false

  mutating func append(_ sample: PlottedSession.Sample) {
    samples.append(sample)
    // Columns are never wider than those of the finished picture, as time only grows.
    if samples.count >= 2 * Self.kept { thin(to: sample.time) }
  }

  /// The samples for a picture that ends at `end`.
  func finished(at end: Instant) -> Self {
    var copy = self
    // All of it alike, the last part too.
    if isThinned || copy.samples.count > Self.kept { copy.thin(to: end) }
    return copy
  }

  private mutating func thin(to end: Instant) {
    let width = max(1, (end.nanoseconds + Self.columns - 1) / Self.columns)
    var thinned: [PlottedSession.Sample] = []
    thinned.reserveCapacity(Self.kept)
    var start = 0
    while start < samples.count {
      let column = samples[start].time.nanoseconds / width
      var next = start + 1
      var least = start
      var greatest = start
      while next < samples.count, samples[next].time.nanoseconds / width == column {
        if samples[next].value < samples[least].value { least = next }
        if samples[next].value > samples[greatest].value { greatest = next }
        next += 1
      }
      var last = -1
      let kept = [start, min(least, greatest), max(least, greatest), next - 1]
      for index in kept where index > last {
        thinned.append(samples[index])
        last = index
      }
      start = next
    }
    samples = thinned
    isThinned = true
  }
}
