import Sketches
import Traces

// Pulses that were not as the sketch had stored. A pulse belongs to the store before its beginning.
extension SessionRecord {
  /// How long a rule about a servo waits for the first whole pulse after a store.
  private static let pulseMax = Interval.milliseconds(25)
  /// How long before the end of a session its last pulses begin.
  private static let lastPulses = Interval.seconds(1)
  /// By how much a width must be outside of a servo's range to be another angle, in microseconds:
  /// a degree of the standard range.
  private static let degree = 10

  /// Returns the twitches of a servo in pulses that began in a period. `pin` is the servo's.
  private func twitches(
    on pin: BoardPin?, from begin: Instant, to end: Instant
  ) -> [(time: Instant, twitch: Twitch)] {
    guard !twitches.isEmpty else { return [] }
    let first = twitches.partitioningIndex { $0.time >= begin }
    // Those behind it began later.
    let last = twitches.partitioningIndex { $0.time - longestTwitch >= end }
    return twitches[first..<max(first, last)].filter {
      let rise = $0.time - .microseconds(Int64($0.twitch.measured))
      return $0.twitch.pin == pin && rise >= begin && rise < end
    }
  }

  /// Returns the twitches after a write of a servo and before the next one.
  func twitches(of name: String?, after index: Int) -> [(time: Instant, twitch: Twitch)] {
    guard !twitches.isEmpty else { return [] }
    let writes = servo(named: name).writes
    let next = index + 1 < writes.endIndex ? writes[index + 1].time : .distantFuture
    return twitches(on: setup.pin(ofServo: name), from: writes[index].time, to: next)
  }

  /// Returns until when a rule about the last write of a servo waits for the pulse after it; nil if
  /// it need not.
  func pulseDeadline(of name: String?, at instant: Instant) -> Instant? {
    let pin = setup.pin(ofServo: name)
    func last(_ kind: Output.Kind) -> Instant? {
      pulseChanges[OutputSequence(kind: kind, pin: pin)]?.last
    }
    let due = instant + Self.pulseMax
    guard setup.showsTwitches, end == nil, complete < due,
      servo(named: name).writes.last?.time == instant, let start = last(.attached),
      last(.detached).map({ $0 < start }) ?? true
    else { return nil }
    return due
  }

  /// Returns a sentence about the pulses after the first write in a period that meets a rule and
  /// whose pulses were not as stored; at most one.
  func twitched(
    _ target: Target, from begin: Instant, to end: Instant
  ) -> [String] {
    guard case .servo(let range, let name) = target, !twitches.isEmpty else { return [] }
    let servo = servo(named: name)
    let index = servo.writes.indices.first {
      let write = servo.writes[$0]
      return write.time >= begin && write.time <= end && write.isIn(range)
        && !twitches(of: name, after: $0).isEmpty
    }
    guard let index else { return [] }
    return [sentence(twitches(of: name, after: index), servo)]
  }

  /// Returns a sentence about twitches of a servo, of which there is at least one.
  private func sentence(
    _ found: [(time: Instant, twitch: Twitch)], _ servo: ServoRecord
  ) -> String {
    var tally = TwitchTally()
    for twitch in found { tally.add(twitch.twitch) }
    let stored = Set(found.map { $0.twitch.stored })
    let write = servo.writes.last { Int($0.pulse) == Int(found[0].twitch.stored) }
    let state =
      stored.count > 1
      ? "set to several angles"
      : write.map { "set to \(String(counting: $0.degrees, "degree"))" }
        ?? "attached at \(found[0].twitch.stored) us"
    // The pulses with this width, if the session shows them.
    let begin = stored.count > 1 ? .zero : write?.time ?? .zero
    let pulses = servo.pulses.count { $0.time >= begin }
    return tally.sentence(
      on: found[0].twitch.pin.name, state, among: pulses >= tally.count ? pulses : nil)
  }

  /// Returns a sentence about all twitches on a pin, of which there is at least one.
  func sentence(on pin: BoardPin) -> String {
    sentence(
      twitches.filter { $0.twitch.pin == pin }, servo(on: pin == setup.ownServo ? nil : pin))
  }

  /// Returns a sentence about a servo whose last pulses were not as stored; nil if they were.
  func endsTwitching(_ name: String?, at end: Instant) -> String? {
    let servo = servo(named: name)
    let begin = max(servo.writes.last?.time ?? .zero, max(.zero, end - Self.lastPulses))
    let found = twitches(on: setup.pin(ofServo: name), from: begin, to: .distantFuture)
    return found.isEmpty ? nil : sentence(found, servo)
  }

  /// Returns a sentence if a servo is on a driver's channel that is off by now. What is stored for
  /// a servo of the chip itself remains its angle when it is detached; a channel that is off has
  /// none.
  func endsOff(_ name: String?) -> String? {
    guard let pin = setup.pin(ofServo: name), pin.driver != nil,
      let off = pulseChanges[OutputSequence(kind: .detached, pin: pin)]?.last,
      let last = servo(named: name).writes.last, last.time <= off
    else { return nil }
    return "\(pin.name) was at \(last.degrees), but has had no pulses since \(off.text)"
  }

  /// Returns when a servo's pulses first left a range of angles, in notes: stored widths beyond the
  /// servo's range, pulses beyond the angles, and those that were not as stored. Nil if none did.
  func leaves(_ range: ClosedRange<Int>, _ name: String?) -> (notes: [String], time: Instant)? {
    let servo = servo(named: name)
    let scale = scale(of: servo)
    if scale.isKnown {
      let margin = Double(Self.degree)
      let beyond = servo.writes.first {
        !(scale.minimum - margin...scale.maximum + margin).contains(Double($0.pulse))
      }
      // As long as they are within the range, a stored width can be almost a degree more than its
      // whole degrees, and a pulse can differ by less than a twitch.
      let reach = Double(Twitch.bound) + scale.perDegree
      let widths =
        scale.width(of: range.lowerBound) - reach...scale.width(of: range.upperBound) + reach
      let pulse = servo.pulses.first { !widths.contains($0.width) }
      if let beyond, beyond.time <= pulse?.time ?? beyond.time {
        return ([scale.words(beyond.pulse, beyond.time)], beyond.time)
      }
      if let pulse {
        return ([scale.words(Int(pulse.width.rounded()), pulse.time)], pulse.time)
      }
    }
    let all = twitches(on: setup.pin(ofServo: name), from: .zero, to: .distantFuture)
    for (time, twitch) in all {
      let earlier = servo.writes[..<servo.writes.partitioningIndex { $0.time > time }]
      let write = earlier.last { $0.pulse == Int(twitch.stored) }
      let stored = write.map { Double($0.degrees) } ?? scale.angle(of: Double(twitch.stored))
      let angle = stored + Double(twitch.difference) / scale.perDegree
      guard angle < Double(range.lowerBound) || angle > Double(range.upperBound) else { continue }
      let width = Int(clamping: twitch.measured)
      return ([sentence(all, servo), PulseScale.words(width, angle, time)], time)
    }
    return nil
  }

  /// Returns what the pulses of a servo mean: the range that is stated, or the one that its angles
  /// show, or the standard one.
  func scale(of servo: ServoRecord) -> PulseScale {
    if let range = setup.servoRange { return PulseScale(range, isKnown: true) }
    let standard = PulseScale(.standard, isKnown: false)
    // Those at the ends of the range can be beyond it.
    let inner = servo.writes.filter { (1...179).contains($0.degrees) }
    guard let low = inner.min(by: { $0.degrees < $1.degrees }),
      let high = inner.max(by: { $0.degrees < $1.degrees })
    else { return standard }
    if inner.allSatisfy({ abs(Double($0.degrees) - standard.angle(of: Double($0.pulse))) <= 1.5 }) {
      return PulseScale(.standard, isKnown: true)
    }
    // Whole degrees do not show exactly where another scale ends.
    var scale = standard
    guard high.degrees - low.degrees >= Self.spanMin, high.pulse > low.pulse else { return scale }
    scale.perDegree = Double(high.pulse - low.pulse) / Double(high.degrees - low.degrees)
    scale.minimum = Double(low.pulse) - scale.perDegree * Double(low.degrees)
    return scale
  }

  /// How far two angles must be apart to show what a degree is.
  private static let spanMin = 20

  /// Returns notes on a twitch that a rule forbids.
  func notes(on found: (time: Instant, twitch: Twitch)) -> [String] {
    let (time, twitch) = found
    return [
      sentence(on: twitch.pin),
      "a pulse of \(twitch.measured) us ended at \(time.text), and \(twitch.stored) us were stored",
    ]
  }
}

/// What the widths of a servo's pulses mean, in microseconds.
struct PulseScale: Hashable, Sendable {
  /// The pulse of 0 degrees.
  var minimum: Double
  var perDegree: Double
  /// Whether it is certain where the servo's range ends.
  var isKnown: Bool

  init(_ range: ServoRange, isKnown: Bool) {
    minimum = Double(range.minimum)
    perDegree = Double(range.maximum - range.minimum) / 180
    self.isKnown = isKnown
  }

  /// The pulse of 180 degrees.
  var maximum: Double { width(of: 180) }

  func width(of degrees: Int) -> Double { minimum + Double(degrees) * perDegree }

  func angle(of width: Double) -> Double { (width - minimum) / perDegree }

  func words(_ width: Int, _ time: Instant) -> String {
    Self.words(width, angle(of: Double(width)), time)
  }

  static func words(_ width: Int, _ angle: Double, _ time: Instant) -> String {
    let text =
      angle > 180
      ? "more than 180" : angle < 0 ? "less than 0" : "\(Int(angle.rounded()))"
    return "a pulse of \(width) us at \(time.text) is \(text) degrees"
  }
}

extension RuleJudge {
  /// Decides whether every pulse differed from what was stored by less than a width.
  func decide(twitchBelow limit: Double, _ record: SessionRecord) -> Decision {
    let found = record.twitches.first { Double(abs($0.twitch.difference)) >= limit }
    guard let found else { return record.end == nil ? .open(until: nil) : .holds(after: place) }
    return fails(record.notes(on: found), at: found.time, record)
  }
}
