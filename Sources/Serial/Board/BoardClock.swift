package import Turret

/// Maps a board's `micros()`, as telemetry lines carry it, onto the session's time, which a
/// computer keeps.
///
/// A line can come late but never early, so each gives a bound: what was written at board time b
/// and whose last byte came at t happened at most at t less the time the line takes on the wire.
/// The mapping is the highest straight line below these bounds over a window, whose slope is the
/// drift of the board's resonator. No event is mapped behind the arrival of its own line, or before
/// the one mapped last. The board's 32 bits wrap every 71.6 minutes.
package struct BoardClock: Hashable, Sendable {
  /// How many lines the window holds: 4 s of a sweep, much longer where little is written.
  private static let sampleCountMax = 256
  /// A ceramic resonator is within 0.5 %.
  private static let driftMax = 0.01
  /// A shorter window says nothing of the drift.
  private static let driftSpanMin = 2.0

  private struct Sample: Hashable {
    /// Seconds of the board's clock.
    var board: Double
    /// Seconds by which the session's clock was ahead of the board's, at most.
    var ahead: Double
  }

  private let lineTime: Interval
  private var samples: [Sample] = []
  /// Microseconds of the board's clock at the last line, wraps included, and when that came.
  private var board: Int64 = 0
  private var arrival: Instant?
  private var mapped: Instant?

  /// `lineTime`: how long a line takes on the wire.
  package init(lineTime: Interval) { self.lineTime = lineTime }

  /// The instant of a line's event; its last byte came at `arrival`. Lines come in order.
  package mutating func map(_ microseconds: UInt32, arrival: Instant) -> Instant {
    unwrap(microseconds, at: arrival)
    let latest = arrival - lineTime
    // Relative to whole microseconds that a Double holds exactly, for years.
    let ahead = latest - (Instant.zero + .microseconds(board))
    let sample = Sample(board: Double(board) / 1e6, ahead: ahead.seconds)
    if samples.count == Self.sampleCountMax { samples.removeFirst() }
    samples.append(sample)
    let slope = drift()
    let best = samples.reduce(Double.infinity) { least, sample in
      min(least, sample.ahead - slope * sample.board)
    }
    let offset = best + slope * sample.board
    let instant =
      Instant.zero + .microseconds(board) + .nanoseconds(Int64((offset * 1e9).rounded()))
    let ordered = max(min(instant, latest), mapped ?? instant)
    mapped = ordered
    return ordered
  }

  private mutating func unwrap(_ microseconds: UInt32, at arrival: Instant) {
    defer { self.arrival = arrival }
    guard let last = self.arrival else {
      board = Int64(microseconds)
      return
    }
    let elapsed = (arrival - last).nanoseconds / 1_000
    let step = Int64(microseconds &- UInt32(truncatingIfNeeded: board))
    // Whole turns that nobody saw, where nothing was written for long.
    let turn = Int64(1) << 32
    let turns = max(0, (elapsed - step + turn / 2) / turn)
    let passed = step + turns * turn
    if passed > elapsed + elapsed / 50 + 500_000 {
      // More time than there was: the board began anew.
      samples = []
      board = Int64(microseconds)
    } else {
      board += passed
    }
  }

  /// Seconds that the session's clock gains in a second of the board's: the slope of the lower
  /// convex hull of the samples in the middle of the window.
  private func drift() -> Double {
    guard let first = samples.first, let last = samples.last,
      last.board - first.board >= Self.driftSpanMin
    else { return 0 }
    var hull: [Sample] = []
    for sample in samples {
      while hull.count >= 2, !Self.turnsUp(hull[hull.count - 2], hull[hull.count - 1], sample) {
        hull.removeLast()
      }
      hull.append(sample)
    }
    let middle = samples.reduce(0) { $0 + $1.board } / Double(samples.count)
    guard let right = hull.firstIndex(where: { $0.board >= middle }), right > 0 else { return 0 }
    let (a, b) = (hull[right - 1], hull[right])
    let slope = (b.ahead - a.ahead) / (b.board - a.board)
    return slope.isFinite ? min(max(slope, -Self.driftMax), Self.driftMax) : 0
  }

  private static func turnsUp(_ a: Sample, _ b: Sample, _ c: Sample) -> Bool {
    (b.board - a.board) * (c.ahead - a.ahead) > (c.board - a.board) * (b.ahead - a.ahead)
  }
}
