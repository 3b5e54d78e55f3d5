/// The registers of Timer 1 (data sheet, "16-bit Timer/Counter1 with PWM").
struct Timer16: TimerState, Hashable, Sendable, Codable {
  private(set) var TCCRA: UInt8 = 0
  private(set) var TCCRB: UInt8 = 0
  /// The high byte that waits for its low byte to be written, or that was latched by reading one.
  private var TEMP: UInt8 = 0
  var counter: TimerCounter
  /// When the noise canceler passes on the level of ICP1, which has changed; `.max` if it has not.
  private(set) var captureDeadline: UInt64 = .max
  /// The noise canceler requires four equal samples.
  private static let captureDelay: UInt64 = 4
  /// The first of four vectors: input capture, compare match A, compare match B, overflow.
  static let firstVector: UInt8 = 10

  init(at cycle: UInt64) { counter = TimerCounter(maximum: 0xFFFF, at: cycle) }

  private var WGM: UInt8 { (TCCRB >> 1) & 0b1100 | TCCRA & 0b11 }

  mutating func write(TCCRA value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    TCCRA = value & 0b1111_0011
    configure()
  }

  mutating func write(TCCRB value: UInt8, at cycle: UInt64, prescaler: Prescaler) {
    counter.synchronize(to: cycle)
    TCCRB = value & 0b1101_1111
    configure()
    let shift = Prescaler.synchronous(value)
    if shift != counter.shift {
      counter.set(shift: shift, at: cycle, prescaler: prescaler)
    }
  }

  mutating func write(TCCRC value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.force(A: value & 0x80 != 0, B: value & 0x40 != 0)
  }

  private mutating func configure() {
    let mode = WaveformMode.sixteenBit(WGM)
    if mode != counter.mode { counter.set(mode: mode) }
    counter.set(COMA: TCCRA >> 6, COMB: (TCCRA >> 4) & 3)
  }

  /// Stores the high byte of TCNT1 or ICR1 until the low one is written.
  mutating func write(high value: UInt8) { TEMP = value }

  /// Stores the high byte of OCR1A or OCR1B until the low one is written, without the bits that the
  /// 8, 9 and 10-bit modes do not count. Measured on an Uno in mode 1 (Arduino forum, topic
  /// 509204): OCR1B = 6250 reads 106, and 6506 if TEMP was loaded through ICR1H.
  mutating func write(highOCR value: UInt8) { TEMP = value & counter.mode.highBits }

  mutating func write(TCNTL value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.set(count: word(value))
  }

  /// ICR1 can be written in every mode. The data sheet allows it only in those that use it as TOP,
  /// but on an Uno in mode 1, ICR1 = 6500 reads back 6500 (Arduino forum, topic 509204).
  mutating func write(ICRL value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.ICR = word(value)
  }

  mutating func write(OCRAL value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.write(OCRA: word(value))
  }

  mutating func write(OCRBL value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.write(OCRB: word(value))
  }

  private func word(_ low: UInt8) -> UInt16 { UInt16(TEMP) << 8 | UInt16(low) }

  mutating func write(TIMSK value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.set(TIMSK: value & 0b0010_0111)
  }

  mutating func readTCNTL(at cycle: UInt64) -> UInt8 {
    var now = counter
    now.synchronize(to: cycle)
    TEMP = UInt8(now.count >> 8)
    return UInt8(truncatingIfNeeded: now.count)
  }

  mutating func readICRL() -> UInt8 {
    TEMP = UInt8(counter.ICR >> 8)
    return UInt8(truncatingIfNeeded: counter.ICR)
  }

  /// TCNT1H or ICR1H: the byte latched by reading the low one.
  func readHigh() -> UInt8 { TEMP }

  /// Handles a change of the level whose edges are captured.
  mutating func changeCapture(isHigh: Bool, at cycle: UInt64) {
    if captureDeadline != .max {
      // It has returned to the level that was passed on last.
      captureDeadline = .max
    } else if TCCRB & 0x80 != 0 {
      captureDeadline = cycle + Self.captureDelay
    } else {
      capture(isRising: isHigh, at: cycle)
    }
  }

  /// Captures the edge to a level that the noise canceler passes on at its deadline.
  mutating func settleCapture(isHigh: Bool, at cycle: UInt64) {
    captureDeadline = .max
    capture(isRising: isHigh, at: cycle)
  }

  private mutating func capture(isRising: Bool, at cycle: UInt64) {
    guard counter.mode.top != .ICR, isRising == (TCCRB & 0x40 != 0) else { return }
    counter.synchronize(to: cycle)
    counter.capture()
  }

  var interrupts: UInt32 {
    let flags = UInt32(counter.TIFR & counter.TIMSK)
    let bits = (flags >> 5) & 1 | flags & 0b110 | (flags & 1) << 3
    return bits << UInt32(Self.firstVector)
  }

  mutating func acknowledge(_ entered: UInt8, at cycle: UInt64) {
    let flags: UInt8 =
      switch entered - Self.firstVector {
      case 0: TimerCounter.Flag.ICF
      case 1: TimerCounter.Flag.OCFA
      case 2: TimerCounter.Flag.OCFB
      default: TimerCounter.Flag.TOV
      }
    counter.clear(flags: flags, at: cycle)
  }
}
