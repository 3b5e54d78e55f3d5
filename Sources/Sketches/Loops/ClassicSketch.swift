/// The sketch published with the article.
package typealias ClassicSketch = BlockingSketch<Classic>

/// `classic`: purges at an unknown byte, ignores values over 180, makes no sound.
package enum Classic: Dialect {
  /// From recordings of the original sketch on an emulated chip. Each comment names the part used.
  package static let timing = {
    var timing = Timing()
    // Power-on without input.
    timing.firstWrite = .microseconds(197)
    // The first waiting command takes effect at 1.000 27 s.
    timing.startUp = .microseconds(1_000_205)
    // A sequential model of all recordings.
    timing.byteRead = .nanoseconds(3_200)
    // A purge on the emulated chip: 2.2 to 2.4 us.
    timing.purgeRead = .nanoseconds(2_300)
    // A fresh aim is stored 57 us after its last byte arrives.
    timing.angleWrite = .microseconds(54)
    // The same for a value of 544 and more: 13 us.
    timing.pulseWrite = .microseconds(10)
    // A fresh L writes 107 us after it arrives.
    timing.angleRead = .microseconds(49)
    // The turn at 20 degrees takes 30 168 us, at 160 degrees 30 120 us.
    timing.bottomTurn = .microseconds(48)
    // 282 steps and one bottom turn take 4.247 06 s.
    timing.step = .nanoseconds(15_060_330)
    // On the emulated chip the peek comes 50 us before the store, and a byte is in the ring 4 us
    // after its stop bit.
    timing.stepWrite = .microseconds(54)
    // Aims that ended a scan.
    timing.scanExit = .nanoseconds(5_400)
    // 20 150 us were recorded where a write to TCNT1 blocks nothing. By the data sheet it blocks
    // the timer's first match, which then comes 65 536 counts of 0.5 us later.
    timing.firstPulse = .microseconds(20_150 + 32_768)
    // 20 003 us in the recordings, 20 003.3 us on the emulated chip.
    timing.pulsePeriod = .nanoseconds(20_003_200)
    return timing
  }()

  package static let description = SketchDescription(Classic.self)
  package static let purgesAtUnknown = true
  package static let announcesAim = false
  @inline(__always)
  package static func beginsNumber(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "X") }
  package static func tone(of letter: UInt8) -> UInt16? { nil }
  /// The only range check: values over 180 are ignored. The 16-bit wrap happens before it.
  package static func servoValue(of number: UInt16) -> Int16? {
    number <= 180 ? Int16(number) : nil
  }
}
