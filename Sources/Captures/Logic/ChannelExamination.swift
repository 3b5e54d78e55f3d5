/// What the edges at the beginning of a recording show about one of its channels.
struct ChannelExamination: Hashable, Sendable {
  /// This many times at each level are enough to measure the speed; further edges are only counted.
  private static let runsMax = 512

  let channel: LogicRecording.Channel
  private(set) var edges = 0
  private var level: Bool?
  private var changed: Int64 = 0
  /// The times between edges while the line was high, and while it was low, in nanoseconds.
  private(set) var highs: [Int64] = []
  private(set) var lows: [Int64] = []
  /// The same times in order; 0 where they are interrupted.
  private var runs: [Int64] = []
  /// The longest time at each level, including those before the first edge and after the last one.
  private var longestHigh: Int64 = 0
  private var longestLow: Int64 = 0

  private(set) var speed: SpeedMeasurement?
  /// The line idles low.
  private(set) var isInverted = false
  /// The result of receiving the channel as a serial line; nil if it is not one.
  private(set) var trial: UARTTrial?

  init(_ channel: LogicRecording.Channel) { self.channel = channel }

  /// Takes the level from an instant on; nil if it is not known.
  mutating func take(_ next: Bool?, at time: Int64) {
    guard next != level else { return }
    if let level {
      end(level, at: time, isComplete: edges > 0 && next != nil)
      if next != nil { edges += 1 }
    }
    level = next
    changed = time
  }

  private mutating func end(_ level: Bool, at time: Int64, isComplete: Bool) {
    let run = time - changed
    if runs.count < 2 * Self.runsMax { runs.append(isComplete ? run : 0) }
    if level {
      longestHigh = max(longestHigh, run)
      if isComplete, highs.count < Self.runsMax { highs.append(run) }
    } else {
      longestLow = max(longestLow, run)
      if isComplete, lows.count < Self.runsMax { lows.append(run) }
    }
  }

  /// Ends the examination. If the recording's end is not known, the last level is assumed to last
  /// for another second.
  mutating func finish(at time: Int64, isKnown: Bool, baud: Int) {
    if let level { end(level, at: isKnown ? time : time + 1_000_000_000, isComplete: false) }
    guard !isServo else { return }
    speed = SpeedMeasurement(withGlitches: runs, expected: baud)
    // Glitches make a line look faster than it is.
    var bits = Double(baud)
    if let speed { bits = speed.isSure ? speed.baud : min(speed.baud, bits) }
    let frame = Int64(10e9 / max(1, bits))
    isInverted = edges > 0 && longestLow >= frame && longestHigh < frame
  }

  mutating func set(trial: UARTTrial) { self.trial = trial }

  /// Whether its pulses are those of a servo: 400 to 2 600 us, with at least a millisecond between
  /// them. A serial line at a usual speed has shorter times between its edges.
  var isServo: Bool {
    let pulses = highs.count { (400_000...2_600_000).contains($0) }
    return pulses > 0 && pulses * 10 >= highs.count * 8
      && lows.count { $0 >= 1_000_000 } * 10 >= lows.count * 8
  }

  /// Whether it carries bytes: at the board's speed, or at the one that was measured.
  var decodes: Bool { trial?.decodes ?? false }

  /// Whether the level never changes.
  var isFlat: Bool { edges == 0 }
}
