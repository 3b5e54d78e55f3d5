import AVR
import Sketches

/// The pulses on one pin, and whether they drive a servo.
///
/// A servo's period is 3 to 25 ms, its pulse 400 to 2 600 us. PWM for a lamp or a motor has shorter
/// periods: Arduino's analogWrite has 2 040 us. Three pulses in a row within these limits are a
/// servo's, if their period is constant: the steps of a motor that speeds up or slows down are not.
struct PulseWatch: Hashable, Sendable, Codable {
  /// A finished pulse: its rising edge and its width, in clock cycles.
  struct Pulse: Hashable, Sendable, Codable {
    var rise: UInt64
    var width: UInt64
  }

  /// The pulses of a servo as long as they come.
  struct Running: Hashable, Sendable, Codable {
    /// The rising edge of the last one.
    var rise: UInt64
    /// The time since the one before it, in clock cycles.
    var period: UInt64

    /// When the next one is due.
    var next: UInt64 { rise &+ period }
  }

  /// The end of a servo's pulses.
  struct End: Hashable, Sendable, Codable {
    /// When the next pulse would have begun; after a pulse without an end, a period after its
    /// beginning.
    var cycle: UInt64
    var isHigh: Bool
  }

  /// How many pulses show that there is a servo.
  private static let enough = 3
  /// By which part of it its period can differ from the one before: a program that times it by a
  /// pause between the pulses lengthens it by what a pulse grows.
  private static let periodParts: UInt64 = 50

  /// The rising edge of the unfinished pulse.
  private(set) var rise: UInt64?
  /// The pulses so far that may be the first of a servo.
  private(set) var train: [Pulse] = []
  private(set) var isServo = false
  /// When a pin that a servo's end left high became low; nil if no such thing happened, or if it
  /// has been reported.
  private(set) var fall: UInt64?
  /// The servo's pulses; nil before the first and after the last.
  private(set) var running: Running?
  /// The end of the servo's pulses that has not been taken.
  private var end: End?
  /// The last width that counted as new; 0 before the first.
  private var width: UInt64 = 0

  /// The first edge whose meaning is not known yet; nil if there is none.
  var undecided: UInt64? { train.first?.rise ?? rise }

  /// The first cycle at which something may prove to have happened; nil if there is none. It is in
  /// the future while the next pulse of a servo is due.
  var open: UInt64? {
    guard let next = fall ?? running?.next else { return undecided }
    return min(undecided ?? next, next)
  }

  mutating func begin(at cycle: UInt64) {
    rise = cycle
    // The servo's pulses go on.
    fall = nil
  }

  /// Forgets the servo that the pulses so far have shown, and what they may be the first of.
  mutating func forget() {
    let rise = rise
    self = PulseWatch()
    self.rise = rise
  }

  /// Notes that the pin becomes low that a servo's end left high.
  mutating func endLevel(at cycle: UInt64) { fall = cycle }

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
      if let running, pulse.width >= running.period { stop(in: pulse, running) }
      return []
    }
    if isServo {
      run(pulse, limits)
      return take(pulse, limits) ? [pulse] : []
    }
    if let last = train.last {
      let period = pulse.rise &- last.rise
      if !isNext(period, after: last, limits) {
        train = []
      } else if train.count > 1 {
        let before = last.rise &- train[train.count - 2].rise
        let change = period > before ? period - before : before - period
        if change > before / Self.periodParts { train = [last] }
      }
    }
    train.append(pulse)
    guard train.count >= Self.enough else { return [] }
    isServo = true
    defer { train = [] }
    for pulse in train { run(pulse, limits) }
    return train.filter { take($0, limits) }
  }

  /// Ends the servo's pulses within one that is longer than its period: they were stopped in the
  /// middle of it.
  private mutating func stop(in pulse: Pulse, _ running: Running) {
    self.running = nil
    fall = pulse.rise &+ pulse.width
    end = End(cycle: pulse.rise &+ running.period, isHigh: true)
  }

  /// Returns the end of the servo's pulses that `follow` has found, once.
  mutating func takeEnd() -> End? {
    defer { end = nil }
    return end
  }

  private mutating func run(_ pulse: Pulse, _ limits: PulseLimits) {
    var period = limits.usualPeriod
    if let running, limits.periods.contains(pulse.rise &- running.rise) {
      period = pulse.rise &- running.rise
    }
    running = Running(rise: pulse.rise, period: period)
  }

  /// Drops what, at this cycle, can no longer become a servo's pulse. Returns the end of the
  /// servo's pulses if that shows it.
  @discardableResult
  mutating func giveUp(at cycle: UInt64, _ limits: PulseLimits) -> End? {
    if let rise {
      let length = cycle &- rise
      if length > limits.widths.upperBound { train = [] }
      if length >= limits.longest {
        self.rise = nil
        guard let running else { return nil }
        self.running = nil
        return End(cycle: rise &+ running.period, isHigh: true)
      }
      return nil
    }
    if let fall, cycle &- fall > limits.periods.upperBound {
      self.fall = nil
      return End(cycle: fall, isHigh: false)
    }
    if let running, cycle &- running.rise > limits.periods.upperBound {
      self.running = nil
      return End(cycle: running.next, isHigh: false)
    }
    if let last = train.last, cycle &- last.rise > limits.periods.upperBound {
      train = []
    }
    return nil
  }

  private func isNext(
    _ period: UInt64, after pulse: Pulse, _ limits: PulseLimits
  ) -> Bool {
    // A tone of 200 to 333 Hz has such periods too, but it is low for as long as it is high.
    let twice = pulse.width &* 2
    let isTone = max(period, twice) - min(period, twice) <= limits.jitter
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

/// The limits of a servo's pulses, in cycles of a chip's clock.
struct PulseLimits: Hashable, Sendable {
  /// In microseconds.
  static let periods: ClosedRange<UInt64> = 3_000...25_000
  /// In microseconds.
  static let widths: ClosedRange<UInt64> = 400...2_600

  let periods: ClosedRange<UInt64>
  let widths: ClosedRange<UInt64>
  /// The period of a servo's pulses until it is measured: 20 ms.
  let usualPeriod: UInt64
  /// A level that lasts this long is not a pulse.
  let longest: UInt64
  /// Interrupts can move an edge by up to this much, so a smaller difference is not a new width.
  let jitter: UInt64
  /// By how much a pulse must differ from what is stored to be a twitch, in microseconds. At a slow
  /// clock the servo library's interrupt alone moves edges by more than `Twitch.bound`.
  let twitch: Double
  private let cyclesPerMicrosecond: Double

  init(_ rate: ClockRate) {
    func cycles(_ range: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
      rate.cycles(inMicroseconds: range.lowerBound)...rate.cycles(inMicroseconds: range.upperBound)
    }
    periods = cycles(Self.periods)
    widths = cycles(Self.widths)
    usualPeriod = rate.cycles(inMicroseconds: 20_000)
    longest = periods.upperBound
    jitter = rate.cycles(inMicroseconds: 8)
    cyclesPerMicrosecond = Double(rate.hertz) / 1_000_000
    twitch = max(Double(Twitch.bound), 160 / cyclesPerMicrosecond)
  }

  /// Whether a width is the one with which servo libraries begin: 1 500 us.
  func isInitial(_ cycles: UInt64) -> Bool { abs(microseconds(cycles) - 1_500) <= 8 }

  func microseconds(_ cycles: UInt64) -> Double { Double(cycles) / cyclesPerMicrosecond }
}
