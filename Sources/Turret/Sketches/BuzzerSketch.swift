/// The earlier prototype.
package typealias BuzzerSketch = BlockingSketch<Buzzer>

/// `buzzer`: skips unknown bytes one at a time, sounds tones, checks no range.
package enum Buzzer: Dialect {
  package static let timing = Timing(
    firstWrite: .microseconds(206),
    startUp: .microseconds(1_000_209),
    byteRead: .nanoseconds(3_200),
    angleWrite: .microseconds(54),
    pulseWrite: .microseconds(10),
    angleRead: .microseconds(49),
    bottomTurn: .microseconds(48),
    purgeRead: .nanoseconds(2_300),
    step: .nanoseconds(15_060_330),
    stepWrite: .microseconds(54),
    scanExit: .nanoseconds(5_400),
    toneSetUp: .microseconds(197),
    aimToneSetUp: .microseconds(233),
    toneLength: .milliseconds(160),
    firstPulse: .microseconds(20_150),
    pulsePeriod: .nanoseconds(20_003_200))

  package static let purgesAtUnknown = false
  package static let announcesAim = true

  package static func tone(of letter: UInt8) -> UInt16? {
    switch letter {
    case UInt8(ascii: "T"): 800
    case UInt8(ascii: "O"): 750
    case UInt8(ascii: "C"): 700
    default: nil
    }
  }

  /// The 16-bit value goes to the servo library as a signed int, unchecked.
  package static func servoValue(of number: UInt16) -> Int16? { Int16(bitPattern: number) }
}
