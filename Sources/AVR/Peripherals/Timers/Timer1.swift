/// Timer/Counter1 (data sheet, "16-bit Timer/Counter1 with PWM").
enum Timer1: TimerPeripheral {
  enum Register: UInt8, CaseIterable {
    case TIFR1 = 0x36
    case TIMSK1 = 0x6F
    case TCCR1A = 0x80, TCCR1B, TCCR1C
    case TCNT1L = 0x84, TCNT1H, ICR1L, ICR1H, OCR1AL, OCR1AH, OCR1BL, OCR1BH
  }

  static let owner = Peripherals.Owner.timer1
  /// The first of four vectors: input capture, compare match A, compare match B, overflow.
  static var firstVector: UInt8 { 10 }
  static var vectors: UInt32 { 0b1111 << UInt32(firstVector) }

  static var TIFR: Register { .TIFR1 }
  static var TCNT: Register { .TCNT1L }
  static var units: (A: OutputCompare.Unit, B: OutputCompare.Unit) { (.OC1A, .OC1B) }

  static func state(_ chip: Peripherals) -> Timer16 { chip.timer1 }
  static func change<Result>(
    _ chip: inout Peripherals, _ body: (inout Timer16) -> Result
  ) -> Result {
    body(&chip.timer1)
  }

  /// Reading the low byte of TCNT1 or ICR1 latches the high byte, and reading the high byte returns
  /// the latched one, so neither can be peeked at.
  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TIFR1: chip.timer1.counter.TIFR(at: cycle)
    case .TIMSK1: chip.timer1.counter.TIMSK
    case .TCCR1A: chip.timer1.TCCRA
    case .TCCR1B: chip.timer1.TCCRB
    case .TCCR1C: 0
    case .OCR1AL: UInt8(truncatingIfNeeded: chip.timer1.counter.A.buffer)
    case .OCR1AH: UInt8(chip.timer1.counter.A.buffer >> 8)
    case .OCR1BL: UInt8(truncatingIfNeeded: chip.timer1.counter.B.buffer)
    case .OCR1BH: UInt8(chip.timer1.counter.B.buffer >> 8)
    case .TCNT1L, .TCNT1H, .ICR1L, .ICR1H: nil
    }
  }

  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    switch register {
    case .TCNT1L: chip.timer1.latch(chip.timer1.counter.count(at: cycle))
    case .ICR1L: chip.timer1.latch(chip.timer1.counter.ICR)
    case .TCNT1H, .ICR1H: chip.timer1.TEMP
    case .TIFR1, .TIMSK1, .TCCR1A, .TCCR1B, .TCCR1C, .OCR1AL, .OCR1AH, .OCR1BL, .OCR1BH:
      peek(register, chip, at: cycle) ?? 0
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    // T1 may be the clock from now on. A level that was not followed is no edge of it.
    if register == .TCCR1B { chip.settleQuietOutputs(at: cycle) }
    chip.timer1.counter.synchronize(to: cycle)
    let word = chip.timer1.word(value)
    switch register {
    case .TIFR1: return chip.timer1.counter.clear(flags: value)
    case .TCNT1H, .ICR1H:
      chip.timer1.TEMP = value
      return
    case .OCR1AH, .OCR1BH:
      // Without the bits that the 8, 9 and 10-bit modes do not count. Measured on an Uno in mode 1
      // (Arduino forum, topic 509204): OCR1B = 6250 reads 106, and 6506 if TEMP was loaded through
      // ICR1H.
      chip.timer1.TEMP = value & chip.timer1.counter.mode.highBits
      return
    case .TCCR1A: chip.timer1.write(TCCRA: value)
    case .TCCR1B: chip.timer1.write(TCCRB: value, at: cycle, chip.prescalers.synchronous)
    case .TCCR1C: chip.timer1.counter.force(A: value & 0x80 != 0, B: value & 0x40 != 0)
    case .TCNT1L: chip.timer1.counter.set(count: word)
    // ICR1 can be written in every mode. The data sheet allows it only in those that use it as TOP,
    // but on an Uno in mode 1, ICR1 = 6500 reads back 6500 (Arduino forum, topic 509204).
    case .ICR1L: chip.timer1.counter.ICR = word
    case .OCR1AL: chip.timer1.counter.write(OCRA: word)
    case .OCR1BL: chip.timer1.counter.write(OCRB: word)
    case .TIMSK1: chip.timer1.counter.set(TIMSK: value & 0b0010_0111)
    }
    finishWrite(&chip, at: cycle)
  }

  static func deadline(_ chip: Peripherals) -> UInt64 {
    min(chip.timer1.counter.deadline, chip.timer1.captureDeadline)
  }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    let before = chip.timer1.counter
    chip.timer1.counter.synchronize(to: cycle)
    if chip.timer1.captureDeadline <= cycle {
      chip.timer1.settleCapture(isHigh: chip.capturePinIsHigh, at: cycle)
    }
    finishCounting(&chip, since: before, at: cycle)
  }

  /// Handles a change of the level whose edges the timer captures.
  static func capture(_ chip: inout Peripherals, isHigh: Bool, at cycle: UInt64) {
    let before = chip.timer1.counter
    chip.timer1.changeCapture(isHigh: isHigh, at: cycle)
    finishCounting(&chip, since: before, at: cycle)
    chip.update(Timer1.self)
  }
}

extension Peripherals {
  /// The level whose edges Timer 1 captures: the comparator's output or ICP1, which is PB0.
  fileprivate var capturePinIsHigh: Bool {
    comparator.capturesInput ? comparator.isHigh : level(of: Pin(.B, 0))
  }

  mutating func changeCapturePin(isHigh: Bool, at cycle: UInt64) {
    if !comparator.capturesInput { Timer1.capture(&self, isHigh: isHigh, at: cycle) }
  }
}

/// The registers of Timer 1.
struct Timer16: TimerState, Hashable, Sendable, Codable {
  private(set) var TCCRA: UInt8 = 0
  private(set) var TCCRB: UInt8 = 0
  /// The high byte that waits for its low byte to be written, or that was latched by reading one.
  fileprivate(set) var TEMP: UInt8 = 0
  var counter: TimerCounter
  /// When the noise canceler passes on the level of ICP1, which has changed; `.max` if it has not.
  private(set) var captureDeadline: UInt64 = .max
  /// The noise canceler requires four equal samples.
  private static let captureDelay: UInt64 = 4

  init(at cycle: UInt64) { counter = TimerCounter(maximum: 0xFFFF, at: cycle) }

  mutating func write(TCCRA value: UInt8) {
    TCCRA = value & 0b1111_0011
    configure()
  }

  mutating func write(TCCRB value: UInt8, at cycle: UInt64, _ prescaler: Prescaler) {
    TCCRB = value & 0b1101_1111
    configure()
    let shift = Prescaler.synchronous(value)
    if shift != counter.shift { counter.set(shift: shift, at: cycle, prescaler: prescaler) }
  }

  private mutating func configure() {
    let mode = WaveformMode.sixteenBit((TCCRB >> 1) & 0b1100 | TCCRA & 0b11)
    if mode != counter.mode { counter.set(mode: mode) }
    counter.set(COMA: TCCRA >> 6, COMB: (TCCRA >> 4) & 3)
  }

  /// Returns the word whose low byte is written.
  func word(_ low: UInt8) -> UInt16 { UInt16(TEMP) << 8 | UInt16(low) }

  /// Returns the low byte of a word that is read, and keeps the high one.
  mutating func latch(_ word: UInt16) -> UInt8 {
    TEMP = UInt8(word >> 8)
    return UInt8(truncatingIfNeeded: word)
  }

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
    return (flags >> 5) & 1 | flags & 0b110 | (flags & 1) << 3
  }

  static func flag(ofInterrupt number: UInt8) -> UInt8 {
    switch number {
    case 0: TimerCounter.Flag.ICF
    case 1: TimerCounter.Flag.OCFA
    case 2: TimerCounter.Flag.OCFB
    default: TimerCounter.Flag.TOV
    }
  }
}
