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
    angleRead: .microseconds(49),
    bottomTurn: .microseconds(48),
    purgeRead: .nanoseconds(2_300),
    step: .nanoseconds(15_060_330),
    stepWrite: .microseconds(54),
    scanExit: .nanoseconds(5_400),
    toneSetUp: .zero,
    aimToneSetUp: .zero,
    toneLength: .zero,
    firstPulse: .microseconds(20_150),
    pulsePeriod: .nanoseconds(20_003_200))

  package static let purgesAtUnknown = true
  package static let announcesAim = false
  package static func tone(of letter: UInt8) -> UInt16? { nil }
  /// The only range check: what is over 180 is ignored. The 16-bit wrap came before it.
  package static func servoValue(of number: UInt16) -> Int16? {
    number <= 180 ? Int16(number) : nil
  }
}
