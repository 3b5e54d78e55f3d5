import Sketches

/// Compares two sessions of a stream and records how far they were apart.
struct SessionComparison {
  /// The guarded binary looks for a byte once per round of its loop, and a round that sends a line
  /// takes up to 130 us. The handling of the byte is compared more strictly.
  private static let takenTolerance = Interval.microseconds(200)
  /// The longest time after a reset before the binary's `micros()` starts to count.
  private static let clockStartMax = Interval.microseconds(300)

  private(set) var differences: [SessionDifference] = []
  /// The largest lag of the binary behind the model in either direction, for each kind, in
  /// microseconds.
  private(set) var lags: [String: ClosedRange<Double>] = [:]
  /// The number of compared outputs of each kind, and of bytes with each fate.
  private(set) var counts: [String: Int] = [:]
  private(set) var fates: [String: Int] = [:]

  var first: SessionDifference? { differences.min { $0.time < $1.time } }

  /// The amount by which the tolerances are reduced.
  private let strictness: Interval

  init(
    model: Session, chip: Session, of stream: SentStream, stricterBy strictness: Interval = .zero
  ) {
    self.strictness = strictness
    for entry in chip.ledger { fates[entry.fate.rawValue, default: 0] += 1 }
    compare(model.ledger, chip.ledger)
    for kind in [Output.Kind.servo, .tone, .lost] {
      compare(kind, model.outputs(kind), chip.outputs(kind), stream.end)
    }
    let resets = stream.resets
    compare(
      SentLine.lines(in: model.outputs, resets: resets),
      SentLine.lines(in: chip.outputs, resets: resets), stream.end)
  }

  private mutating func differ(_ time: Instant, _ text: String) {
    differences.append(SessionDifference(time, text))
  }

  private mutating func note(_ kind: String, _ lag: Interval) {
    counts[kind, default: 0] += 1
    let lag = Double(lag.nanoseconds) / 1_000
    let known = lags[kind] ?? lag...lag
    lags[kind] = min(known.lowerBound, lag)...max(known.upperBound, lag)
  }

  /// Records a difference and returns false if the two instants are too far apart.
  private mutating func isNear(
    _ kind: String, _ what: @autoclosure () -> String, _ model: Instant, _ chip: Instant,
    within tolerance: Interval = SessionDifference.tolerance
  ) -> Bool {
    let lag = chip - model
    guard lag.magnitude <= Interval(nanoseconds: tolerance.nanoseconds - strictness.nanoseconds)
    else {
      differ(
        min(model, chip), "\(what()): the model at \(model.seconds), the binary at \(chip.seconds)")
      return false
    }
    note(kind, lag)
    return true
  }

  private mutating func compare(_ model: [Ledger.Entry], _ chip: [Ledger.Entry]) {
    for (index, (a, b)) in zip(model, chip).enumerated() {
      let byte = "byte \(index) (\(a.byte)), arrived \(b.arrived.seconds)"
      guard a.byte == b.byte, a.fate == b.fate, a.endedScan == b.endedScan, a.command == b.command
      else {
        return differ(
          b.arrived, "\(byte): the model's \(Self.words(a)), the binary's \(Self.words(b))")
      }
      if let a = a.taken, let b = b.taken,
        !isNear("taken", "\(byte), taken", a, b, within: Self.takenTolerance)
      {
        return
      }
    }
    if model.count != chip.count {
      differ(.zero, "bytes: the model's \(model.count), the binary's \(chip.count)")
    }
  }

  private static func words(_ entry: Ledger.Entry) -> String {
    let command = entry.command.map { " of command \($0)" } ?? ""
    return entry.fate.rawValue + command + (entry.endedScan ? ", ended a scan" : "")
  }

  private mutating func compare(
    _ kind: Output.Kind, _ model: [TimedOutput], _ chip: [TimedOutput], _ end: Instant
  ) {
    for (a, b) in zip(model, chip) {
      guard Self.isSame(a.output, b.output) else {
        return differ(
          min(a.time, b.time),
          "the model's \(a.output) at \(a.time.seconds), the binary's \(b.output) at \(b.time.seconds)"
        )
      }
      guard isNear(kind.name, "\(a.output)", a.time, b.time) else { return }
    }
    let shared = min(model.count, chip.count)
    // One side can do something just before the end that the other does just after it.
    for (who, rest) in [("model", model[shared...]), ("binary", chip[shared...])] {
      if let extra = rest.first, end - extra.time > SessionDifference.tolerance {
        differ(extra.time, "only the \(who) has \(extra.output) at \(extra.time.seconds)")
      }
    }
  }

  private static func isSame(_ a: Output, _ b: Output) -> Bool {
    if case .tone(let a) = a, case .tone(let b) = b { return abs(a - b) <= a / 100 }
    return a == b
  }

  private mutating func compare(_ model: [SentLine], _ chip: [SentLine], _ end: Instant) {
    var clockLags: [Interval] = []
    for (index, (a, b)) in zip(model, chip).enumerated() {
      // A reset or the session's end can cut off the two sides at different bytes.
      if !a.isWhole && !b.isWhole && abs(a.bytes.count - b.bytes.count) <= 1 { continue }
      guard a.text == b.text else {
        return differ(
          min(a.begin, b.begin),
          "the model's line \(a.string) at \(a.begin.seconds), "
            + "the binary's \(b.string) at \(b.begin.seconds)")
      }
      guard isNear("lines", "line \(a.string)", a.begin, b.begin) else { return }
      if let a = a.clock, let b = b.clock {
        let lag = Interval.microseconds(Int64(Int32(bitPattern: b &- a)))
        note("clock digits", lag)
        clockLags.append(lag)
        if !isOneClock(clockLags) {
          return differ(model[index].begin, "clock digits: the model's \(a), the binary's \(b)")
        }
      }
    }
    let shared = min(model.count, chip.count)
    for (who, rest) in [("model", model[shared...]), ("binary", chip[shared...])] {
      if let extra = rest.first, end - extra.begin > SessionDifference.tolerance {
        differ(
          extra.begin, "only the \(who) has the line \(extra.string) at \(extra.begin.seconds)")
      }
    }
  }

  /// Whether the clock digits are those of clocks that started at different instants and then
  /// agree: all lags are within one tolerance.
  private func isOneClock(_ lags: [Interval]) -> Bool {
    guard let least = lags.min(), let most = lags.max() else { return true }
    let tolerance = SessionDifference.tolerance
    return most - least <= .nanoseconds(2 * tolerance.nanoseconds)
      && least >= -Self.clockStartMax && most <= tolerance
  }
}
