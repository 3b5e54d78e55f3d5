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
      channels[index].finish(
        at: end.time, isKnown: end.isKnown, baud: options.senderBaud ?? options.baud)
    }
    let lines = channels.indices.filter { !channels[$0].isFlat && !channels[$0].isServo }
    var trials: [UARTTrial?] = channels.map { _ in nil }
    for index in lines {
      let channel = channels[index]
      // The lines have not been assigned yet, so an option for only one of them does not apply.
      let isInverted = options.inversion == .both || channel.isInverted
      trials[index] = UARTTrial(
        channel, baud: options.senderBaud ?? options.baud, isInverted: isInverted)
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
  func check(
    _ roles: LogicRoles, _ options: CaptureOptions
  ) throws(CaptureError) {
    guard !options.isListing else { return }
    for bit in [roles.rx, roles.tx] {
      guard let bit else { continue }
      let name = PlainText.quoted(channels[bit].channel.name)
      if let format = channels[bit].trial?.otherFormat {
        throw CaptureError(
          .malformed,
          "expected the line \(name) to be 8N1 like the board's, found \(format); set the sender "
            + "to eight data bits, no parity and one stop bit")
      }
      let needed = Self.samplesPerBitMin * Int64(options.senderBaud ?? options.baud)
      if let rate = statedRate, rate < needed, !channels[bit].isFlat {
        throw CaptureError(
          .malformed,
          "expected at least \(Self.samplesPerBitMin) samples a bit, which is \(needed) Hz, "
            + "found a recording at \(rate) Hz; record again at 1 MHz or more")
      }
    }
  }

  /// Whether a line has no whole bytes as it was read, but has them if it is read the other way
  /// round: an inverted line that was not, or one that is not inverted and was.
  func isOtherPolarity(
    _ line: LogicPlan.Line?, _ log: ChangeLog, _ found: LineEvents?
  ) -> Bool {
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
