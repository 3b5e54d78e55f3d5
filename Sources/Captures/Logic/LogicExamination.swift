import Traces

/// What the beginning of a recording shows about each channel.
struct LogicExamination {
  /// With fewer samples per bit, no receiver can tell a bit from its neighbours.
  private static let samplesPerBitMin: Int64 = 2

  private(set) var channels: [ChannelExamination]
  /// Samples a second, as the recording states or, failing that, as its edges show; nil if neither
  /// does.
  let sampleRate: Int64?
  /// Samples a second, as the recording states. Only that is a reason to refuse a recording.
  private let statedRate: Int64?

  init(
    _ recording: LogicRecording, _ log: ChangeLog, end: LogicRecording.End,
    _ options: CaptureOptions
  ) {
    var channels = recording.channels.map { ChannelExamination($0) }
    var step = SampleStep()
    Self.forEachEdge(log, channels.count) {
      channels[$0].take($1, at: $2)
      step.take($2)
    }
    for index in channels.indices {
      channels[index].finish(at: end.time, isKnown: end.isKnown, baud: options.rxBaud)
    }
    let lines = channels.indices.filter { !channels[$0].isFlat && !channels[$0].isServo }
    var trials: [UARTTrial?] = channels.map { _ in nil }
    for index in lines {
      let channel = channels[index]
      // The lines have not been assigned yet, so an option for only one of them does not apply.
      let isInverted = options.inversion == .both || channel.isInverted
      trials[index] = UARTTrial(channel, baud: options.rxBaud, isInverted: isInverted)
    }
    Self.forEachEdge(log, channels.count) { trials[$0]?.take($1, at: $2) }
    for index in lines {
      trials[index]?.finish(at: end.time, isKnown: end.isKnown)
      if let trial = trials[index] { channels[index].set(trial: trial) }
    }
    self.channels = channels
    statedRate = recording.sampleRate
    sampleRate = recording.sampleRate ?? step.nanoseconds.map { 1_000_000_000 / $0 }
  }

  /// Fails if a line's format is not 8N1, or it was sampled too coarsely.
  func check(_ roles: LogicRoles, _ options: CaptureOptions) throws(CaptureError) {
    guard !options.isListing else { return }
    for bit in [roles.rx, roles.tx] {
      guard let bit else { continue }
      let name = PlainText.quoted(channels[bit].channel.name)
      if let format = channels[bit].trial?.otherFormat {
        throw CaptureError(
          "expected the line \(name) to be 8N1 like the board's, found \(format); set the sender "
            + "to eight data bits, no parity and one stop bit")
      }
      let needed = Self.samplesPerBitMin * Int64(options.rxBaud)
      if let rate = statedRate, rate < needed, !channels[bit].isFlat {
        throw CaptureError(
          "expected at least \(Self.samplesPerBitMin) samples a bit, which is \(needed) Hz, "
            + "found a recording at \(rate) Hz; record again at 1 MHz or more")
      }
    }
  }

  /// Whether a line has no whole bytes as it was read, but has them if it is read the other way
  /// round: an inverted line that was not, or one that is not inverted and was.
  func isOtherPolarity(_ line: LogicPlan.Line?, _ log: ChangeLog, _ found: LineEvents?) -> Bool {
    guard let line, let found, found.framingErrors * 8 > found.byteCount || found.byteCount == 0,
      !channels[line.bit].isFlat
    else { return false }
    var trial = UARTTrial(channels[line.bit], baud: line.baud, isInverted: !line.isInverted)
    Self.forEachEdge(log, channels.count) { (bit, level, time) in
      if bit == line.bit { trial.take(level, at: time) }
    }
    trial.finish(at: log.end, isKnown: true)
    return trial.decodes
  }

  /// Whether a speed is sampled so coarsely that some bytes can be wrong.
  func isCoarse(for baud: Int) -> Bool {
    let baud = Int64(baud)
    guard let sampleRate, sampleRate < 2 * Self.samplesPerBitMin * baud else { return false }
    // Edges that are whole bits apart, as a simulator's, look like one sample a bit.
    return statedRate != nil || sampleRate > baud + baud / 10
  }

  /// Calls `take` for each change, with the channel, its level and the instant.
  private static func forEachEdge(
    _ log: ChangeLog, _ count: Int, _ take: (Int, Bool?, Int64) -> Void
  ) {
    let all = count >= 64 ? UInt64.max : (1 << UInt64(count)) - 1
    var last: LogicLevels?
    // Nothing here throws.
    try? log.read { (change) throws(CaptureError) in
      var changed = all
      if let last { changed = change.differences(from: last) & all }
      while changed != 0 {
        let bit = changed.trailingZeroBitCount
        changed &= changed - 1
        take(bit, change.level(bit), change.time)
      }
      last = change
      return true
    }
  }
}

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

/// Finds the time between two samples from the instants of edges, for formats that have only those.
struct SampleStep: Hashable, Sendable {
  /// Fewer different times between edges can have a common divisor by chance: a servo at rest has
  /// only two.
  private static let differentMin = 8

  private var divisor: Int64 = 0
  private var last: Int64?
  private var runs: Set<Int64> = []

  /// Takes the instant of an edge, in nanoseconds since the recording's beginning.
  mutating func take(_ time: Int64) {
    defer { last = time }
    if divisor == 0 || time % divisor != 0 {
      var (a, b) = (time, divisor)
      while b != 0 { (a, b) = (b, a % b) }
      divisor = a
    }
    if let last, runs.count < Self.differentMin { runs.insert(time - last) }
  }

  /// In nanoseconds, at most a second; nil if the edges do not show it. A step of a microsecond or
  /// less may only be the resolution of the file's times.
  var nanoseconds: Int64? {
    (1_001...1_000_000_000).contains(divisor) && runs.count >= Self.differentMin ? divisor : nil
  }
}

/// The changes at the beginning of a recording, kept in memory in a few bytes each, so that a
/// second pass need not inflate or parse the file again.
struct ChangeLog {
  /// Its largest size in bytes. An array can take twice that while it grows.
  static let sizeMax = 16 << 20

  private var bytes: [UInt8] = []
  private var last = LogicLevels(time: 0, high: 0)
  private(set) var count = 0

  /// Keeps a change. Returns whether there is room for another.
  mutating func append(_ change: LogicLevels) -> Bool {
    let hasUnknown = change.unknown != last.unknown
    // Every time is below 2^60, so a bit is left for this.
    let step = UInt64(truncatingIfNeeded: change.time &- last.time)
    append(number: step &<< 1 | (hasUnknown ? 1 : 0))
    append(number: change.high ^ last.high)
    if hasUnknown { append(number: change.unknown) }
    last = change
    count += 1
    return bytes.count < Self.sizeMax
  }

  var end: Int64 { last.time }

  /// Passes the changes to `take` until it returns false.
  func read(_ take: LogicRecording.Take) throws(CaptureError) {
    var change = LogicLevels(time: 0, high: 0)
    var offset = 0
    while offset < bytes.count {
      let step = number(at: &offset)
      change.time &+= Int64(truncatingIfNeeded: step &>> 1)
      change.high ^= number(at: &offset)
      if step & 1 == 1 { change.unknown = number(at: &offset) }
      guard try take(change) else { return }
    }
  }

  /// Appends seven bits per byte, the lowest first; the highest bit means that more follow.
  private mutating func append(number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private func number(at offset: inout Int) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) &<< shift
      guard byte > 0x7F else { return value }
      shift += 7
    }
  }
}
