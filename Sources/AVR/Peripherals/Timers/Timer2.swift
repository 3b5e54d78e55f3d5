/// Timer/Counter2 (data sheet, "8-bit Timer/Counter2 with PWM and Asynchronous Operation").
enum Timer2: TimerPeripheral {
  enum Register: UInt8, CaseIterable {
    case TIFR2 = 0x37
    case TCCR2A = 0xB0, TCCR2B, TCNT2, OCR2A, OCR2B
    case TIMSK2 = 0x70
    case ASSR = 0xB6
  }

  static let owner = Peripherals.Owner.timer2
  static let vectors: UInt32 = 0b111 << UInt32(firstVector)
  /// The first of three vectors: compare match A, compare match B, overflow.
  private static let firstVector: UInt8 = 7

  static var TIFR: Register { .TIFR2 }
  static var TCNT: Register { .TCNT2 }
  static var units: (A: OutputCompare.Unit, B: OutputCompare.Unit) { (.OC2A, .OC2B) }

  static func initial(at cycle: UInt64) -> Timer8 { Timer8(vector: firstVector, at: cycle) }
  static func state(_ chip: Peripherals) -> Timer8 { chip.timer2 }
  static func change<Result>(
    _ chip: inout Peripherals, _ body: (inout Timer8) -> Result
  ) -> Result {
    body(&chip.timer2)
  }
  static func prescaler(_ chip: Peripherals) -> Prescaler { chip.prescalers.asynchronous }

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TIFR2: chip.timer2.counter.TIFR(at: cycle)
    case .TCCR2A: chip.timer2.TCCRA
    case .TCCR2B: chip.timer2.TCCRB
    case .TCNT2: chip.timer2.TCNT(at: cycle)
    case .OCR2A: UInt8(truncatingIfNeeded: chip.timer2.counter.A.buffer)
    case .OCR2B: UInt8(truncatingIfNeeded: chip.timer2.counter.B.buffer)
    case .TIMSK2: chip.timer2.counter.TIMSK
    case .ASSR: chip.timer2.ASSR
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TIFR2: return chip.timer2.counter.clear(flags: value, at: cycle)
    case .TCCR2A: chip.timer2.write(TCCRA: value, at: cycle)
    case .TCCR2B:
      chip.timer2.write(
        TCCRB: value, shift: Prescaler.asynchronous(value), at: cycle,
        prescaler: chip.prescalers.asynchronous)
    case .TCNT2:
      // A tone that is set up again is another one, even if it has the same settings and the
      // counter happens to have this value.
      if chip.timer2.counter.A.action == .toggle { chip.outputs.forget(.OC2A) }
      if chip.timer2.counter.B.action == .toggle { chip.outputs.forget(.OC2B) }
      chip.timer2.write(TCNT: value, at: cycle)
    case .OCR2A: chip.timer2.write(OCRA: value, at: cycle)
    case .OCR2B: chip.timer2.write(OCRB: value, at: cycle)
    case .TIMSK2: chip.timer2.write(TIMSK: value, at: cycle)
    case .ASSR:
      if value & 0b0110_0000 != 0 { chip.notice("ASSR", at: cycle, pc: pc) }
      chip.timer2.ASSR = value & 0b0110_0000
      return
    }
    finishWrite(&chip, at: cycle)
  }
}
