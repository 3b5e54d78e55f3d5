import Sketches
import Traces

/// A logic analyser's recording, whatever its format: named channels, and a stream of changes.
struct LogicRecording {
  struct Channel: Hashable, Sendable {
    var name: String
    /// The number by which the user can choose the channel, from 0.
    var index: Int
  }

  struct End: Hashable, Sendable {
    /// In nanoseconds since the recording's beginning; the time of the last change if the format
    /// does not state the end.
    var time: Int64
    /// Whether the levels were recorded up to then.
    var isKnown: Bool
    /// Sentences about what was cut or left out.
    var notes: [String] = []
  }

  /// Takes the levels at each change, and returns whether to continue.
  typealias Take = (LogicLevels) throws(CaptureError) -> Bool

  /// Every time is below this, so that a trace can hold it.
  static let timeMax: Int64 = 1_000_000_000 * 1_000_000_000

  var kind: CaptureKind
  /// At most `LogicLevels.channelsMax`; channel n is bit n.
  var channels: [Channel]
  /// Samples a second; nil if the format has only the instants of changes.
  var sampleRate: Int64?
  /// The program that recorded it.
  var source: String
  /// When it was recorded, as in RFC 3339; nil if the recording does not state it.
  var recorded: String?
  var notes: [String] = []
  /// Whether `sampleRate` is the one that the user gave.
  var usesGivenRate = false
  /// Passes on the levels at time 0, and then at each change, in order. Can be called repeatedly.
  let scan: (Take) throws(CaptureError) -> End
}

extension LogicRecording {
  /// Returns the time of the sample at `index`, from 0, in rounded nanoseconds; nil if a trace
  /// cannot hold it. `rate` is at most `sampleRateMax`.
  static func time(ofSample index: UInt64, rate: UInt64) -> Int64? {
    let (seconds, rest) = index.quotientAndRemainder(dividingBy: rate)
    guard seconds < 1_000_000_000 else { return nil }
    return Int64(seconds * 1_000_000_000 + (rest * 1_000_000_000 + rate / 2) / rate)
  }

  /// The highest sample rate, in hertz. A remainder below it times 10^9 fits into 64 bits.
  static let sampleRateMax: Int64 = 10_000_000_000

  /// Parses a rate such as `24 MHz`, `100kHz`, `1M` or `1000000`. Nil for anything else.
  static func rate(_ text: String) -> Int64? {
    let units: [(String, Int)] = [
      ("GHz", 9), ("MHz", 6), ("kHz", 3), ("KHz", 3), ("Hz", 0), ("G", 9), ("M", 6), ("k", 3),
    ]
    var number = Array(text.utf8)
    var exponent = 0
    if let unit = units.first(where: { text.hasSuffix($0.0) }) {
      number.removeLast(unit.0.utf8.count)
      exponent = unit.1
    }
    while number.last == 0x20 { number.removeLast() }
    var value: Int64 = 0
    var seenPoint = false
    var places = 0
    guard !number.isEmpty, number.count <= 15 else { return nil }
    for byte in number {
      if byte == UInt8(ascii: "."), !seenPoint {
        seenPoint = true
        continue
      }
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
      if seenPoint { places += 1 }
    }
    while places > exponent {
      value /= 10
      places -= 1
    }
    for _ in places..<exponent {
      guard value <= sampleRateMax else { return nil }
      value *= 10
    }
    return (1...sampleRateMax).contains(value) ? value : nil
  }
}

/// The levels of a recording's channels from an instant on.
struct LogicLevels: Hashable, Sendable {
  /// The most channels that a recording can have here: one bit each.
  static let channelsMax = 64

  /// In nanoseconds since the recording's beginning.
  var time: Int64
  /// Bit n is channel n: 1 is high.
  var high: UInt64
  /// The channels whose level is not known: not recorded, undriven or contradictory. `high` is set
  /// for those that are undriven, which a serial line is at rest.
  var unknown: UInt64 = 0
}

extension Capture {
  /// Examines a logic analyser's recording: finds the channels' roles from its beginning, and
  /// counts what they carry.
  init(_ recording: LogicRecording, _ options: CaptureOptions) throws(CaptureError) {
    for baud in [options.baud, options.rxBaud] {
      guard SerialLine.bauds.contains(baud) else {
        throw CaptureError(
          .usage,
          "expected a speed from \(SerialLine.bauds.lowerBound) to "
            + "\(SerialLine.bauds.upperBound) baud, found \(baud)")
      }
    }
    var log = ChangeLog()
    var isWhole = true
    var end = try recording.scan { (change) throws(CaptureError) in
      isWhole = log.append(change)
      return isWhole
    }
    let examined = LogicExamination(
      recording, log, end: isWhole ? end : .init(time: log.end, isKnown: true), options)
    let roles = try LogicRoles(examined.channels, options)
    try examined.check(roles, options)
    let plan = LogicPlan(roles, examined, options)

    // The closure keeps the log only if it contains the whole recording.
    let kept = isWhole ? log : nil
    var counter = LogicSession(plan)
    if let kept {
      try kept.read { (change) throws(CaptureError) in
        try counter.take(change) { _ in }
        return true
      }
    } else {
      end = try recording.scan { (change) throws(CaptureError) in
        try counter.take(change) { _ in }
        return true
      }
    }
    try counter.finish(end) { _ in }

    let report = LogicReport(
      recording: recording, examined: examined, roles: roles, plan: plan, session: counter,
      end: end, isOtherPolarity: examined.isOtherPolarity(plan.rx, log, counter.rx))
    try report.check(options)
    let found = (rx: counter.rx?.holes ?? [], tx: counter.tx?.holes ?? [])
    self.init(header: report.header, summary: report.summary(options)) {
      (take) throws(CaptureError) in
      var session = LogicSession(plan, found: found)
      let each: LogicRecording.Take = { (change) throws(CaptureError) in
        try session.take(change, take)
        return true
      }
      if let kept { try kept.read(each) } else { _ = try recording.scan(each) }
      try session.finish(end, take)
    }
  }
}
