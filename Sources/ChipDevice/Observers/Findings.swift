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
  /// The pins whose levels are always reported, a bit for each.
  var watched: UInt32 = 0

  /// Outputs before this cycle belong to another session.
  var begin: UInt64 = 0
  var servos: ServoPins
  /// The pins that are high, a bit for each.
  var highPins: UInt32 = 0
  /// The pin whose levels are read as bytes; nil if there is none.
  var transmitPin: Pin?
  /// Remarks about the program for the user, once each.
  var remarks: [ChipRemark] = []
  /// Outputs that wait until it is known what happened before them.
  private var held = HeldOutputs()

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

  func isHigh(_ pin: Int) -> Bool { highPins >> UInt32(pin) & 1 != 0 }

  // MARK: Outputs

  /// Adds an output that happens now.
  mutating func put(_ output: Output, at cycle: UInt64) {
    held.append(output, at: clock.instant(of: cycle))
  }

  /// Adds an output that happened at an earlier cycle.
  mutating func insert(_ output: Output, at cycle: UInt64) {
    if cycle >= begin { held.insert(output, at: clock.instant(of: cycle)) }
  }

  var isEmpty: Bool { held.isEmpty }

  /// Moves the outputs before a cycle to the recorder; all of them if it is nil.
  mutating func release(before cycle: UInt64?, into recorder: inout Recorder) {
    held.release(before: cycle.map { clock.instant(of: $0) }, into: &recorder)
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
      servos.leftHigh |= 1 << UInt32(pin)
      remark(.leftHigh(name.name), at: cycle)
    }
    return .detached(name, isHigh: isHigh)
  }

  /// Notes that the pulses on a pin since a cycle are a servo's: the levels held so far were these.
  mutating func findServo(on pin: Int, since cycle: UInt64) {
    guard watched >> UInt32(pin) & 1 == 0, let name = BoardPin(arduino: pin) else { return }
    held.removeLevels(of: name, from: clock.instant(of: cycle))
  }

  /// Ends all pulses that were reported: a restart makes all pins inputs.
  mutating func restart(at cycle: UInt64) {
    for pin in 0..<Self.pinCount where servos.pulsingPins >> UInt32(pin) & 1 != 0 {
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
