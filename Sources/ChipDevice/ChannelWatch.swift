import AVR
import Sketches

/// What is known of the channels of servo drivers: which have a servo's pulses, and which pulses
/// have begun.
struct ChannelWatch: Hashable, Sendable {
  /// The channels that have a servo's pulses.
  private(set) var servos: Set<BoardPin> = []
  /// The rising edges of the pulses that have not ended.
  private var rises: [BoardPin: UInt64] = [:]

  init(servos: [BoardPin] = []) { self.servos = Set(servos) }

  /// The first rising edge whose pulse has not ended; nil if there is none.
  var undecided: UInt64? { rises.values.min() }

  /// Takes the pulses that a channel has now. Returns what that says about its servo; nil if it has
  /// none.
  mutating func pulses(
    on pin: BoardPin, microseconds: UInt16, period: UInt32, _ range: ServoRange
  ) -> Output? {
    guard PulseLimits.periods.contains(UInt64(period)),
      PulseLimits.widths.contains(UInt64(microseconds))
    else { return servos.remove(pin).map { .detached($0, isHigh: false) } }
    servos.insert(pin)
    return .servo(
      degrees: range.degrees(reading: microseconds), microseconds: microseconds, on: pin)
  }

  /// Takes a channel's level. Returns its servo's pulse if one has ended.
  mutating func level(of pin: BoardPin, isHigh: Bool, at cycle: UInt64) -> PulseWatch.Pulse? {
    if isHigh {
      if servos.contains(pin) { rises[pin] = cycle }
      return nil
    }
    return rises.removeValue(forKey: pin).map { PulseWatch.Pulse(rise: $0, width: cycle - $0) }
  }

  /// Gives up pulses that are longer than a servo's.
  mutating func settle(at cycle: UInt64, _ limits: PulseLimits) {
    guard !rises.isEmpty else { return }
    rises = rises.filter { cycle - $0.value <= limits.longest }
  }
}
