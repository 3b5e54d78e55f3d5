package import Sketches

/// Searches for times near the recorded ones with which the session agrees.
package struct NearestWorld {
  /// The maximum number of replays of the session.
  package static let trialCountMax = 240
  private static let halvings = 10

  private let session: UncertainSession
  private var trials = 0
  /// The nearest times found with which the session agrees.
  package private(set) var times: [Instant]

  /// Begins with the times of a world that agrees.
  package init(_ session: UncertainSession, from times: [Instant]) {
    self.session = session
    self.times = times
  }

  /// Moves the times towards the recorded ones while `agrees` holds: all together, then in parts.
  package mutating func search(_ agrees: ([Instant]) -> Bool) {
    let recorded = session.recordedTimes
    if attempt(recorded, agrees) { return }
    approach(agrees)
    var size = (times.count + 1) / 2
    while size >= 1, trials < Self.trialCountMax {
      for start in stride(from: 0, to: times.count, by: size) {
        let part = start..<min(start + size, times.count)
        guard times[part] != recorded[part] else { continue }
        var moved = times
        moved.replaceSubrange(part, with: recorded[part])
        _ = attempt(moved, agrees)
      }
      if size == 1 { break }
      size = (size + 1) / 2
    }
    approach(agrees)
  }

  /// Finds how far towards the recorded times all bytes can move together.
  private mutating func approach(_ agrees: ([Instant]) -> Bool) {
    let far = times
    let recorded = session.recordedTimes
    // In units of 1/2^halvings of the distance from the recorded times.
    var (low, high) = (Int64(0), Int64(1) << Self.halvings)
    while high - low > 1, trials < Self.trialCountMax {
      let middle = (low + high) / 2
      let between = zip(recorded, far).map { recorded, far in
        let way = (far - recorded).nanoseconds.multipliedFullWidth(by: middle)
        let part = (Int64(1) << Self.halvings).dividingFullWidth(way).quotient
        return recorded + .nanoseconds(part)
      }
      if attempt(between, agrees) { high = middle } else { low = middle }
    }
  }

  private mutating func attempt(_ candidate: [Instant], _ agrees: ([Instant]) -> Bool) -> Bool {
    guard trials < Self.trialCountMax, session.allows(candidate) else { return false }
    trials += 1
    guard agrees(candidate) else { return false }
    times = candidate
    return true
  }
}
