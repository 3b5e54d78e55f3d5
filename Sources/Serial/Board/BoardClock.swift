import Sketches

/// Maps a board's `micros()`, as reported in telemetry lines, to the session's time, which the
/// computer keeps.
///
/// A line can arrive late but never early, so each line gives an upper bound: an event at board
/// time b, the last byte of whose line arrived at t, happened no later than t minus the line's time
/// on the wire. The mapping is the highest straight line below these bounds within a window; its
/// slope is the drift of the board's resonator. No event is mapped to a time after the arrival of
/// its own line, or before the previous event. The board's 32-bit counter wraps every 71.6 minutes.
struct BoardClock: Hashable, Sendable {
  /// The number of lines in the window: 4 s of a sweep, much longer if there are few writes.
  private static let sampleCountMax = 256
  /// A ceramic resonator is within 0.5 %.
  private static let driftMax = 0.01
  /// A shorter window is not enough to measure the drift.
  private static let driftSpanMin = 2.0

  private struct Sample: Hashable {
    /// The board's clock, in seconds.
    var board: Double
    /// The most by which the session's clock can have been ahead of the board's, in seconds.
    var ahead: Double
  }

  private let lineTime: Interval
  private var samples: [Sample] = []
  /// The board's clock at the last line, in microseconds including wraps, and when that line
  /// arrived.
  private var board: Int64 = 0
  private var arrival: Instant?
  private var mapped: Instant?

  /// `lineTime` is the time that a line takes on the wire.
  init(lineTime: Interval) { self.lineTime = lineTime }

  /// Returns the instant of a line's event. The line's last byte arrived at `arrival`. Lines must
  /// be passed in order.
  mutating func map(_ microseconds: UInt32, arrival: Instant) -> Instant {
    unwrap(microseconds, at: arrival)
    let latest = arrival - lineTime
    // Relative to whole microseconds, which a `Double` represents exactly for years.
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
    // Whole wraps that went unnoticed because nothing was written for a long time.
    let turn = Int64(1) << 32
    let turns = max(0, (elapsed - step + turn / 2) / turn)
    let passed = step + turns * turn
    if passed > elapsed + elapsed / 50 + 500_000 {
      // More time than has passed: the board restarted.
      samples = []
      board = Int64(microseconds)
    } else {
      board += passed
    }
  }

  /// The seconds that the session's clock gains for each second of the board's: the slope, in the
  /// middle of the window, of the lower convex hull of the samples.
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
