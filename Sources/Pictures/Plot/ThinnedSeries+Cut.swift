import Turret

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
