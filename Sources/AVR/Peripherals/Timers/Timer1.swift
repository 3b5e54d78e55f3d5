/// Timer/Counter1 (data sheet, "16-bit Timer/Counter1 with PWM").
enum Timer1: TimerPeripheral {
  enum Register: UInt8, CaseIterable {
    case TIFR1 = 0x36
    case TIMSK1 = 0x6F
    case TCCR1A = 0x80, TCCR1B, TCCR1C
    case TCNT1L = 0x84, TCNT1H, ICR1L, ICR1H, OCR1AL, OCR1AH, OCR1BL, OCR1BH
  }

  static let owner = Peripherals.Owner.timer1
  static let vectors: UInt32 = 0b1111 << UInt32(Timer16.firstVector)

  static var TIFR: Register { .TIFR1 }
  static var TCNT: Register { .TCNT1L }
  static var units: (A: OutputCompare.Unit, B: OutputCompare.Unit) { (.OC1A, .OC1B) }

  static func initial(at cycle: UInt64) -> Timer16 { Timer16(at: cycle) }
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
    case .TCNT1L: chip.timer1.readTCNTL(at: cycle)
    case .ICR1L: chip.timer1.readICRL()
    case .TCNT1H, .ICR1H: chip.timer1.readHigh()
    case .TIFR1, .TIMSK1, .TCCR1A, .TCCR1B, .TCCR1C, .OCR1AL, .OCR1AH, .OCR1BL, .OCR1BH:
      peek(register, chip, at: cycle) ?? 0
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TIFR1: return chip.timer1.counter.clear(flags: value, at: cycle)
    case .TCNT1H, .ICR1H: return chip.timer1.write(high: value)
    case .OCR1AH, .OCR1BH: return chip.timer1.write(highOCR: value)
    case .TCCR1A: chip.timer1.write(TCCRA: value, at: cycle)
    case .TCCR1B:
      // T1 may be the clock from now on. A level that was not followed is no edge of it.
      chip.settleQuietOutputs(at: cycle)
      chip.timer1.write(TCCRB: value, at: cycle, prescaler: chip.prescalers.synchronous)
    case .TCCR1C: chip.timer1.write(TCCRC: value, at: cycle)
    case .TCNT1L: chip.timer1.write(TCNTL: value, at: cycle)
    case .ICR1L: chip.timer1.write(ICRL: value, at: cycle)
    case .OCR1AL: chip.timer1.write(OCRAL: value, at: cycle)
    case .OCR1BL: chip.timer1.write(OCRBL: value, at: cycle)
    case .TIMSK1: chip.timer1.write(TIMSK: value, at: cycle)
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

  /// Handles a change of ICP1.
  mutating func changeCapturePin(isHigh: Bool, at cycle: UInt64) {
    if !comparator.capturesInput { Timer1.capture(&self, isHigh: isHigh, at: cycle) }
  }
}
