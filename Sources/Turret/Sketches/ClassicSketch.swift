/// The sketch published with the article.
package typealias ClassicSketch = BlockingSketch<Classic>

/// `classic`: purges at an unknown byte, ignores what is over 180, makes no sound.
package enum Classic: Dialect {
  package static let timing = Timing(
    firstWrite: .microseconds(197),
    startUp: .microseconds(1_000_205),
    byteRead: .nanoseconds(3_200),
    angleWrite: .microseconds(54),
    pulseWrite: .microseconds(10),
    angleRead: .nanoseconds(41_300),
    bottomTurn: .microseconds(48),
    purgeRead: .nanoseconds(2_300),
    step: .nanoseconds(15_060_330),
    stepWrite: .nanoseconds(64_700),
    scanExit: .nanoseconds(16_500),
    toneSetUp: .zero,
    aimToneSetUp: .zero,
    toneLength: .zero,
    firstPulse: .microseconds(20_150),
    pulsePeriod: .microseconds(20_003))

  package static let purgesAtUnknown = true
  package static let announcesAim = false
  package static func tone(of letter: UInt8) -> UInt16? { nil }
  /// The only range check: what is over 180 is ignored. The 16-bit wrap came before it.
  package static func servoValue(of number: UInt16) -> Int16? {
    number <= 180 ? Int16(number) : nil
  }
}
