/// Timer/Counter0 (data sheet, "8-bit Timer/Counter0 with PWM").
enum Timer0: TimerPeripheral {
  enum Register: UInt8, CaseIterable {
    case TIFR0 = 0x35
    case TCCR0A = 0x44, TCCR0B, TCNT0, OCR0A, OCR0B
    case TIMSK0 = 0x6E
  }

  static let owner = Peripherals.Owner.timer0
  static let vectors: UInt32 = 0b111 << UInt32(firstVector)
  /// The first of three vectors: compare match A, compare match B, overflow.
  private static let firstVector: UInt8 = 14

  static var TIFR: Register { .TIFR0 }
  static var TCNT: Register { .TCNT0 }
  static var units: (A: OutputCompare.Unit, B: OutputCompare.Unit) { (.OC0A, .OC0B) }

  static func initial(at cycle: UInt64) -> Timer8 { Timer8(vector: firstVector, at: cycle) }
  static func state(_ chip: Peripherals) -> Timer8 { chip.timer0 }
  static func change<Result>(
    _ chip: inout Peripherals, _ body: (inout Timer8) -> Result
  ) -> Result {
    body(&chip.timer0)
  }

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TIFR0: chip.timer0.counter.TIFR(at: cycle)
    case .TCCR0A: chip.timer0.TCCRA
    case .TCCR0B: chip.timer0.TCCRB
    case .TCNT0: chip.timer0.TCNT(at: cycle)
    case .OCR0A: UInt8(truncatingIfNeeded: chip.timer0.counter.A.buffer)
    case .OCR0B: UInt8(truncatingIfNeeded: chip.timer0.counter.B.buffer)
    case .TIMSK0: chip.timer0.counter.TIMSK
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TIFR0: return chip.timer0.counter.clear(flags: value, at: cycle)
    case .TCCR0A: chip.timer0.write(TCCRA: value, at: cycle)
    case .TCCR0B:
      chip.timer0.write(
        TCCRB: value, shift: Prescaler.synchronous(value), at: cycle,
        prescaler: chip.prescalers.synchronous)
    case .TCNT0: chip.timer0.write(TCNT: value, at: cycle)
    case .OCR0A: chip.timer0.write(OCRA: value, at: cycle)
    case .OCR0B: chip.timer0.write(OCRB: value, at: cycle)
    case .TIMSK0: chip.timer0.write(TIMSK: value, at: cycle)
    }
    finishWrite(&chip, at: cycle)
  }
}
