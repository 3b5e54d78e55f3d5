import Turret

/// The pulses on one pin, and whether they drive a servo.
///
/// A servo's period is 3 to 25 ms, its pulse 400 to 2 600 us. PWM for a lamp or a motor has shorter
/// periods: Arduino's analogWrite has 2 040 us. Three pulses in a row within these limits are a
/// servo's.
struct PulseWatch: Hashable, Sendable, Savable {
  /// A finished pulse: its rising edge and its width, in clock cycles.
  struct Pulse: Hashable, Sendable, Savable {
    var rise: UInt64
    var width: UInt64
  }

  /// How many pulses show that there is a servo.
  private static let enough = 3

  /// The rising edge of the unfinished pulse.
  private(set) var rise: UInt64?
  /// The pulses so far that may be the first of a servo.
  private(set) var train: [Pulse] = []
  private(set) var isServo = false
  /// The last width that counted as new; 0 before the first.
  private var width: UInt64 = 0

  /// The first edge whose meaning is not known yet; nil if there is none.
  var undecided: UInt64? { train.first?.rise ?? rise }

  /// Whether this state is possible at a cycle. A state read from a file may be invalid.
  func isPossible(at cycle: UInt64) -> Bool {
    train.count < Self.enough && train.allSatisfy { $0.rise <= cycle } && rise ?? 0 <= cycle
  }

  mutating func begin(at cycle: UInt64) { rise = cycle }

  /// Ends the unfinished pulse, if there is one, and returns it.
  mutating func end(at cycle: UInt64) -> Pulse? {
    guard let rise else { return nil }
    self.rise = nil
    return Pulse(rise: rise, width: cycle &- rise)
  }

  /// Takes the pin's next pulse. Returns the pulses that have proved to be a servo's with a new
  /// width: several when the servo is found, afterwards at most one.
  mutating func follow(_ pulse: Pulse, _ limits: PulseLimits) -> [Pulse] {
    guard limits.widths.contains(pulse.width) else {
      train = []
      return []
    }
    if isServo { return take(pulse, limits) ? [pulse] : [] }
    if let last = train.last, !isNext(pulse.rise &- last.rise, after: last, limits) { train = [] }
    train.append(pulse)
    guard train.count == Self.enough else { return [] }
    isServo = true
    defer { train = [] }
    return train.filter { take($0, limits) }
  }

  /// Drops what, at this cycle, can no longer become a servo's pulse.
  mutating func giveUp(at cycle: UInt64, _ limits: PulseLimits) {
    if let rise {
      let length = cycle &- rise
      if length > limits.widths.upperBound { train = [] }
      if length >= limits.longest { self.rise = nil }
    } else if let last = train.last, cycle &- last.rise > limits.periods.upperBound {
      train = []
    }
  }

  private func isNext(
    _ period: UInt64, after pulse: Pulse, _ limits: PulseLimits
  ) -> Bool {
    // A tone of 200 to 333 Hz has such periods too, but it is low for as long as it is high.
    let isTone = period.distance(to: pulse.width * 2).magnitude <= UInt(limits.jitter)
    return limits.periods.contains(period) && !isTone
  }

  /// Returns whether the pulse has a new width, and stores that width.
  private mutating func take(_ pulse: Pulse, _ limits: PulseLimits) -> Bool {
    let change = pulse.width > width ? pulse.width - width : width - pulse.width
    guard width == 0 || change > limits.jitter else { return false }
    width = pulse.width
    return true
  }
}
