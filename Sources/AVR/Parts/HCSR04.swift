/// An HC-SR04, which measures a distance by ultrasound (ElecFreaks' data sheet). A pulse of at
/// least 10 us on its trigger sends a burst of eight periods at 40 kHz. Then its echo is high for
/// 58 us a centimetre, there and back.
///
/// Real ones take longer before the echo rises: from 0.4 ms to over 2 ms has been measured. Two of
/// them do not hear each other here.
struct HCSR04: WiredPart {
  private enum Phase: UInt8, Hashable, Sendable, Codable {
    case idle, burst, echo
  }

  static let kind = PartKind(
    name: "hc-sr04", noun: "an ultrasonic sensor with the pins of its trigger and its echo",
    example: "hc-sr04@D7:D8",
    input: PartKind.Input(noun: "a distance from 0.02 to 10 m", range: distances))

  /// Up to 10 m, in micrometres. The sensor is made for 2 cm to 4 m.
  private static let distances: ClosedRange<Int64> = 20_000...10_000_000
  private static let rangeMax: UInt32 = 4_000_000
  // In microseconds.
  private static let triggerMin: UInt64 = 10
  private static let burst: UInt64 = 200
  /// Without an echo.
  private static let silence: UInt64 = 38_000

  private let trigger: Pin
  private let echo: Pin
  private let rate: ClockRate
  private var phase = Phase.idle
  /// When the trigger rose; nil while it is low.
  private var rise: UInt64?
  private(set) var deadline: UInt64 = .max
  /// How far away the next thing is, in micrometres; nil if nothing is there.
  private var distance: UInt32?

  init?(at place: PartPlace, _ rate: ClockRate) {
    guard case .pins(let pins) = place, pins.count == 2 else { return nil }
    (trigger, echo) = (pins[0], pins[1])
    self.rate = rate
  }

  var watched: [Pin] { [trigger] }

  mutating func take(_ event: PartEvent, at cycle: UInt64, _ effects: inout PartEffects) {
    switch event {
    case .powerOn: effects.drive(echo, false)
    case .input(let value): distance = UInt32(clamping: value)
    case .level(_, isHigh: true): rise = cycle
    case .level(_, isHigh: false):
      defer { rise = nil }
      // While it measures, it takes no other trigger.
      guard let rise, phase == .idle,
        cycle &- rise >= rate.cycles(inMicroseconds: Self.triggerMin)
      else { return }
      phase = .burst
      deadline = cycle + rate.cycles(inMicroseconds: Self.burst)
    case .time:
      effects.drive(echo, phase == .burst)
      if phase == .burst {
        phase = .echo
        deadline = cycle + echoCycles
      } else {
        phase = .idle
        deadline = .max
      }
    default: break
    }
  }

  private var echoCycles: UInt64 {
    guard let distance, distance <= Self.rangeMax else {
      return rate.cycles(inMicroseconds: Self.silence)
    }
    // 58 us in 10 000 micrometres.
    return UInt64(distance) * 58 * UInt64(rate.hertz) / 10_000_000_000
  }
}
