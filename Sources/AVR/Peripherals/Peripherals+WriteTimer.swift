extension Peripherals {
  /// A register of a timer, except its flags.
  mutating func writeTimer(
    _ value: UInt8, to register: Register, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TCCR0A, .TCCR0B, .TCNT0, .OCR0A, .OCR0B, .TIMSK0:
      writeTimer0(value, to: register, at: cycle, pc: pc)
      timer0Written(at: cycle)
    case .TCCR2A, .TCCR2B, .TCNT2, .OCR2A, .OCR2B, .TIMSK2:
      writeTimer2(value, to: register, at: cycle)
      // A tone that begins anew may be the one that sounds.
      if register == .OCR2A { outputs.forget(.OC2A) }
      if register == .OCR2B { outputs.forget(.OC2B) }
      timer2Written(at: cycle)
    case .TCNT1H, .ICR1H, .OCR1AH, .OCR1BH: timer1.write(high: value)
    case .GTCCR: writeGTCCR(value, at: cycle)
    case .ASSR:
      if value & 0b0110_0000 != 0 { notice("ASSR", at: cycle, pc: pc) }
      system.ASSR = value & 0b0110_0000
    default:
      writeTimer1(value, to: register, at: cycle, pc: pc)
      timer1Written(at: cycle)
    }
  }

  private mutating func writeTimer0(
    _ value: UInt8, to register: Register, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TCCR0A: timer0.write(TCCRA: value, at: cycle)
    case .TCCR0B:
      if value & 0b110 == 0b110 { notice("T0", at: cycle, pc: pc) }
      timer0.write(
        TCCRB: value, shift: Prescaler.synchronous(value), at: cycle, prescaler: prescaler)
    case .TCNT0: timer0.write(TCNT: value, at: cycle)
    case .OCR0A: timer0.write(OCRA: value, at: cycle)
    case .OCR0B: timer0.write(OCRB: value, at: cycle)
    default: timer0.write(TIMSK: value, at: cycle)
    }
  }

  private mutating func writeTimer1(
    _ value: UInt8, to register: Register, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TCCR1A: timer1.write(TCCRA: value, at: cycle)
    case .TCCR1B:
      if value & 0b110 == 0b110 { notice("T1", at: cycle, pc: pc) }
      timer1.write(TCCRB: value, at: cycle, prescaler: prescaler)
    case .TCCR1C: timer1.write(TCCRC: value, at: cycle)
    case .TCNT1L: timer1.write(TCNTL: value, at: cycle)
    case .ICR1L: timer1.write(ICRL: value, at: cycle)
    case .OCR1AL: timer1.write(OCRAL: value, at: cycle)
    case .OCR1BL: timer1.write(OCRBL: value, at: cycle)
    default: timer1.write(TIMSK: value, at: cycle)
    }
  }

  private mutating func writeTimer2(_ value: UInt8, to register: Register, at cycle: UInt64) {
    switch register {
    case .TCCR2A: timer2.write(TCCRA: value, at: cycle)
    case .TCCR2B:
      timer2.write(
        TCCRB: value, shift: Prescaler.asynchronous(value), at: cycle, prescaler: prescaler2)
    case .TCNT2: timer2.write(TCNT: value, at: cycle)
    case .OCR2A: timer2.write(OCRA: value, at: cycle)
    case .OCR2B: timer2.write(OCRB: value, at: cycle)
    default: timer2.write(TIMSK: value, at: cycle)
    }
  }

  /// PSRSYNC and PSRASY reset a prescaler; with TSM they hold it, and its timers, until TSM is written to 0.
  private mutating func writeGTCCR(_ value: UInt8, at cycle: UInt64) {
    let isHeld = value & 0x80 != 0
    let held = system.GTCCR
    timer0.counter.synchronize(to: cycle)
    timer1.counter.synchronize(to: cycle)
    timer2.counter.synchronize(to: cycle)
    if (value | held) & 0b01 != 0 { prescaler.reset(at: cycle) }
    if (value | held) & 0b10 != 0 { prescaler2.reset(at: cycle) }
    system.GTCCR = isHeld ? value & 0b1000_0011 : 0
    let holds01 = isHeld && value & 0b01 != 0
    let holds2 = isHeld && value & 0b10 != 0
    timer0.counter.hold(.synchronization, holds01, at: cycle, prescaler: prescaler)
    timer1.counter.hold(.synchronization, holds01, at: cycle, prescaler: prescaler)
    timer2.counter.hold(.synchronization, holds2, at: cycle, prescaler: prescaler2)
    timer0Counted()
    timer1Counted()
    timer2Counted()
  }

  /// PRR: the timers stop while their bits are set.
  mutating func writePRR(_ value: UInt8, at cycle: UInt64) {
    system.PRR = value & 0b1110_1111
    timer0.counter.synchronize(to: cycle)
    timer1.counter.synchronize(to: cycle)
    timer2.counter.synchronize(to: cycle)
    timer0.counter.hold(.powerReduction, value & 0x20 != 0, at: cycle, prescaler: prescaler)
    timer1.counter.hold(.powerReduction, value & 0x08 != 0, at: cycle, prescaler: prescaler)
    timer2.counter.hold(.powerReduction, value & 0x40 != 0, at: cycle, prescaler: prescaler2)
    timer0Counted()
    timer1Counted()
    timer2Counted()
  }
}
