import Sketches

/// What a session shows of one servo, in order of time.
struct ServoRecord: Sendable {
  var writes: ArraySlice<ServoWrite> = []
  /// The pulses on its pin: their rising edges, and their widths in microseconds.
  var pulses: ArraySlice<(time: Instant, width: Double)> = []
  var shaft: ShaftPath

  init(_ data: ServoData) { shaft = ShaftPath(data) }

  mutating func take(pulse width: Double, at instant: Instant) {
    pulses.append((instant, width))
    shaft.follow(pulse: width, at: instant)
  }

  /// Moves the shaft by the writes, for a session that shows no pulses.
  mutating func followWrites(to instant: Instant) { shaft.follow(writes, to: instant) }

  /// Returns the last write by an instant; nil if there is none.
  func commanded(at instant: Instant) -> ServoWrite? {
    let after = writes.partitioningIndex { $0.time > instant }
    return after > writes.startIndex ? writes[after - 1] : nil
  }

  /// Forgets what was shown before an instant, but for the last `tail` of each kind.
  mutating func drop(before instant: Instant, tail: Int) {
    shaft.drop(before: instant)
    pulses.drop(tail: tail) { $0.time < instant }
    // The shaft still follows this one.
    let last = shaft.write
    let first = writes.dropping(tail: tail) { $0.time < instant }
    writes = writes[(last.map { min($0, first) } ?? first)...]
  }
}

/// A commanded angle: a change, or an aim at the angle that is already commanded.
struct ServoWrite: Hashable, Sendable {
  var time: Instant
  var degrees: Int
  /// In microseconds.
  var pulse: Int
  /// Whether it is a step of a sweep.
  var isStep: Bool

  /// Whether it aims at an angle in the range.
  func isIn(_ range: ClosedRange<Int>) -> Bool { !isStep && range.contains(degrees) }
}

/// The movement of the modelled shaft during a session.
struct ShaftPath: Sendable {
  /// From `begin` until the next part, the shaft moves as `shaft` does.
  private struct Part {
    var begin: Instant
    var shaft: Shaft
  }

  /// The period of the Arduino servo library's pulses.
  private static let period = Interval.milliseconds(20)

  private var parts: ArraySlice<Part>
  /// The next pulse of a session that shows none; nil until the first servo event.
  private var nextPulse: Instant?
  /// The write that it follows if the session shows no pulses.
  private var index = 0

  init(_ data: ServoData) { parts = [Part(begin: .zero, shaft: Shaft(data))] }

  mutating func follow(pulse microseconds: Double, at edge: Instant) {
    let end = edge + Interval(nanoseconds: Int64((microseconds * 1_000).rounded()))
    var shaft = parts[parts.endIndex - 1].shaft
    let target = shaft.target
    shaft.follow(pulse: microseconds, endingAt: end)
    if shaft.target != target { parts.append(Part(begin: end, shaft: shaft)) }
  }

  /// Follows the pulses that result from the servo's writes, up to an instant: one every 20 ms from
  /// the first write on.
  mutating func follow(_ writes: ArraySlice<ServoWrite>, to instant: Instant) {
    guard let first = writes.first else { return }
    var edge = nextPulse ?? first.time
    while edge < instant {
      while index + 1 < writes.endIndex, writes[index + 1].time <= edge { index += 1 }
      follow(pulse: Double(writes[index].pulse), at: edge)
      edge += Self.period
    }
    nextPulse = edge
  }

  /// The index of the write that it still follows; nil if it follows pulses.
  var write: Int? { nextPulse == nil ? nil : index }

  mutating func drop(before instant: Instant) { parts = parts[part(at: instant)...] }

  func degrees(at instant: Instant) -> Double {
    parts[part(at: instant)].shaft.angle(at: instant)
  }

  /// Returns the first instant in a period at which the shaft is in a range; nil if it never is.
  func firstTime(
    in range: ClosedRange<Double>, from start: Instant, to end: Instant
  ) -> Instant? {
    for index in part(at: start)..<parts.endIndex {
      let part = parts[index]
      let begin = max(start, part.begin)
      let next = index + 1 < parts.endIndex ? parts[index + 1].begin : .distantFuture
      guard begin <= end else { return nil }
      if let time = firstTime(part.shaft, in: range, from: begin), time <= min(end, next) {
        return time
      }
    }
    return nil
  }

  private func firstTime(
    _ shaft: Shaft, in range: ClosedRange<Double>, from begin: Instant
  ) -> Instant? {
    let angle = shaft.angle(at: begin)
    if range.contains(angle) { return begin }
    // The nearer end of the range, if the shaft turns towards it.
    let edge = angle < range.lowerBound ? range.lowerBound : range.upperBound
    let part = (edge - angle) / (shaft.target - angle)
    guard let arrival = shaft.arrival, arrival > begin, (0...1).contains(part) else { return nil }
    let time = begin + Interval(nanoseconds: Int64((arrival - begin).seconds * part * 1e9))
    return time.roundedUpToMicrosecond
  }

  private func part(at instant: Instant) -> Int {
    max(parts.startIndex, parts.partitioningIndex { $0.begin > instant } - 1)
  }
}
