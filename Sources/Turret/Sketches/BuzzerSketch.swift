/// The earlier prototype.
package typealias BuzzerSketch = BlockingSketch<Buzzer>

/// `buzzer`: skips unknown bytes one at a time, sounds tones, checks no range.
package enum Buzzer: Dialect {
  /// From recordings of the original sketch on an emulated chip; the comments say which part of them.
  package static let timing = Timing(
    // Power-on without input.
    firstWrite: .microseconds(206),
    // The first waiting command's effect less its reads, write and tone.
    startUp: .microseconds(1_000_209),
    // A sequential model of all recordings.
    byteRead: .nanoseconds(3_200),
    // A purge on the emulated chip: 2.2 to 2.4 us.
    purgeRead: .nanoseconds(2_300),
    // A fresh aim is stored 57 us after its last byte arrives.
    angleWrite: .microseconds(54),
    // The same for a value of 544 and more: 13 us.
    pulseWrite: .microseconds(10),
    // A fresh L writes 107 us after it arrives.
    angleRead: .microseconds(49),
    // The turn at 20 degrees takes 30 168 us, at 160 degrees 30 120 us.
    bottomTurn: .microseconds(48),
    // 282 steps and one bottom turn take 4.247 06 s.
    step: .nanoseconds(15_060_330),
    // On the emulated chip the peek comes 50 us before the store, and a byte is in the ring 4 us
    // after its stop bit.
    stepWrite: .microseconds(54),
    // Aims that ended a scan.
    scanExit: .nanoseconds(5_400),
    // Arrival to the aim behind a tone in the recordings: 160 197 us, of which 160 000 are the sound.
    toneSetUp: .microseconds(197),
    // How much later the first waiting command takes effect than in classic.
    aimToneSetUp: .microseconds(233),
    // The sketch's argument to tone(). Timer 2 rounds: on a chip 900 Hz lasts 158.98 ms.
    toneLength: .milliseconds(160),
    // The pin.
    firstPulse: .microseconds(20_150),
    // 20 003 us in the recordings, 20 003.3 us on the emulated chip.
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
