import AVR
import Sketches

/// What all observers of a chip use: what the session asked for, and what they have found.
struct Findings: Hashable, Sendable {
  static let pinCount = 20
  /// How many addresses without a device are named.
  private static let silentMax = 4

  let clock: ChipClock
  let rate: ClockRate
  let limits: PulseLimits
  /// The range of servos whose own range is not known, and whether it is that of all servos.
  let range: ServoRange
  let isRangeStated: Bool
  let showsPulses: Bool
  var watched = PinSet()

  /// Outputs before this cycle belong to another session.
  var begin: UInt64 = 0
  var servos: ServoPins
  var highPins = PinSet()
  /// The pin whose levels are read as bytes; nil if there is none.
  var transmitPin: Pin?
  var remarks: [ChipRemark] = []
  /// What the processor did; nil unless the run is recorded.
  var causes = Uncompared<Causes?>(nil)
  /// Outputs that wait until it is known what happened before them, in order of time.
  private var held: [TimedOutput] = []

  init(
    pin: Int, clock: ChipClock, rate: ClockRate, range: ServoRange?, showsPulses: Bool,
    transmitPin: Pin?
  ) {
    servos = ServoPins(own: pin)
    self.clock = clock
    self.rate = rate
    limits = PulseLimits(rate)
    self.range = range ?? .standard
    isRangeStated = range != nil
    self.showsPulses = showsPulses
    self.transmitPin = transmitPin
  }

  // MARK: Outputs

  mutating func put(_ output: Output, at cycle: UInt64) {
    held.append(TimedOutput(time: clock.instant(of: cycle), output: output))
  }

  /// Adds an output that happened at an earlier cycle, in front of those of the same instant.
  mutating func insert(_ output: Output, at cycle: UInt64) {
    guard cycle >= begin else { return }
    let instant = clock.instant(of: cycle)
    let index = held.firstIndex { $0.time >= instant } ?? held.endIndex
    held.insert(TimedOutput(time: instant, output: output), at: index)
  }

  var isEmpty: Bool { held.isEmpty }

  /// Moves the outputs before a cycle to the recorder; all of them if it is nil.
  mutating func release(before cycle: UInt64?, into recorder: inout Recorder) {
    let instant = cycle.map { clock.instant(of: $0) } ?? .distantFuture
    let count = held.firstIndex { $0.time >= instant } ?? held.endIndex
    for output in held[..<count] { recorder.put(output.output, at: output.time) }
    if count > 0 { held.removeFirst(count) }
  }

  // MARK: Servos

  /// Reports a stored width. Only a change is an event. Returns whether it is one.
  @discardableResult
  mutating func store(
    _ pulse: UInt16, _ range: ServoRange, on pin: Int, at cycle: UInt64
  ) -> Bool {
    guard pulse != servos[pin].reported else { return false }
    servos[pin].reported = pulse
    if pin != servos.own, servos.firstOther == nil { servos.firstOther = cycle }
    put(servo(pulse, range, on: pin), at: cycle)
    return true
  }

  /// The event of a servo that is told a width.
  func servo(_ pulse: UInt16, _ range: ServoRange, on pin: Int) -> Output {
    .servo(
      degrees: range.degrees(reading: pulse), microseconds: pulse, on: servos.name(of: pin))
  }

  /// The event that the pulses on a pin stop, or would have continued, at a cycle.
  mutating func detach(_ pin: Int, isHigh: Bool, at cycle: UInt64) -> Output? {
    guard let name = BoardPin(arduino: pin) else { return nil }
    if isHigh {
      servos.leftHigh.insert(pin)
      remark(.leftHigh(name.name), at: cycle)
    }
    return .detached(name, isHigh: isHigh)
  }

  /// Notes that the pulses on a pin since a cycle are a servo's: the levels held so far were these.
  mutating func findServo(on pin: Int, since cycle: UInt64) {
    guard !watched.contains(pin), let name = BoardPin(arduino: pin) else { return }
    let instant = clock.instant(of: cycle)
    held.removeAll { held in
      guard case .pin(name, _) = held.output else { return false }
      return held.time >= instant
    }
  }

  /// Ends all pulses that were reported: a restart makes all pins inputs.
  mutating func restart(at cycle: UInt64) {
    for pin in servos.pulsing {
      if let name = BoardPin(arduino: pin) { put(.detached(name, isHigh: false), at: cycle) }
    }
    servos = ServoPins(own: servos.own, firstOther: servos.firstOther)
  }

  // MARK: Remarks

  mutating func remark(_ kind: ChipRemark.Kind, at cycle: UInt64) {
    guard !remarks.contains(where: { $0.kind == kind }) else { return }
    remarks.append(ChipRemark(kind: kind, instant: clock.instant(of: cycle)))
  }

  /// Remarks that no device has an address. A program that scans the bus tries all of them, so only
  /// the first few are named.
  mutating func remark(silent address: UInt8, at cycle: UInt64) {
    let count = remarks.count {
      if case .silentDevice = $0.kind { true } else { false }
    }
    guard count <= Self.silentMax else { return }
    remark(.silentDevice(count < Self.silentMax ? address : nil), at: cycle)
  }
}

/// A set of Arduino pins.
struct PinSet: Hashable, Sendable, Codable, Sequence, IteratorProtocol {
  private var bits: UInt32 = 0

  static let all = {
    var all = PinSet()
    for pin in 0..<Findings.pinCount { all.insert(pin) }
    return all
  }()

  var isEmpty: Bool { bits == 0 }
  func contains(_ pin: Int) -> Bool { bits >> UInt32(pin) & 1 != 0 }
  mutating func insert(_ pin: Int) { bits |= 1 << UInt32(pin) }
  mutating func remove(_ pin: Int) { bits &= ~(1 << UInt32(pin)) }
  mutating func set(_ pin: Int, _ isIn: Bool) { if isIn { insert(pin) } else { remove(pin) } }

  func union(_ other: PinSet) -> PinSet {
    var union = self
    union.bits |= other.bits
    return union
  }

  /// Removes and returns the first pin.
  mutating func next() -> Int? {
    guard bits != 0 else { return nil }
    defer { bits &= bits - 1 }
    return bits.trailingZeroBitCount
  }
}
