package import Sketches

/// The range of the commanded angle across worlds, in equal parts of a period.
package struct AngleBand: Hashable, Sendable {
  package let start: Instant
  package let end: Instant
  /// The range of angles commanded in each part, in degrees; nil before the first command.
  package private(set) var ranges: [ClosedRange<UInt8>?]

  package init(from start: Instant, to end: Instant, count: Int) {
    self.start = start
    self.end = max(start, end)
    ranges = Array(repeating: nil, count: max(1, count))
  }

  /// Adds the servo events of one world, in order of time.
  package mutating func add(_ angles: [(time: Instant, degrees: UInt8)]) {
    var held: UInt8?
    var index = 0
    for part in ranges.indices {
      let limit = instant(part + 1)
      if let held { widen(part, held) }
      while index < angles.count, angles[index].time < limit {
        held = angles[index].degrees
        // A part shows what was commanded in it, however briefly.
        if angles[index].time >= instant(part) { widen(part, angles[index].degrees) }
        index += 1
      }
      if let held { widen(part, held) }
    }
  }

  /// Adds the band of other worlds, of the same period.
  package mutating func add(_ other: AngleBand) {
    for (part, range) in zip(ranges.indices, other.ranges) {
      guard let range else { continue }
      widen(part, range.lowerBound)
      widen(part, range.upperBound)
    }
  }

  /// Returns when a part begins.
  package func instant(_ part: Int) -> Instant {
    let width = (end - start).nanoseconds.multipliedFullWidth(by: Int64(part))
    return start + .nanoseconds(Int64(ranges.count).dividingFullWidth(width).quotient)
  }

  private mutating func widen(_ part: Int, _ degrees: UInt8) {
    guard let range = ranges[part] else {
      ranges[part] = degrees...degrees
      return
    }
    ranges[part] = min(range.lowerBound, degrees)...max(range.upperBound, degrees)
  }
}
