extension Peripherals {
  /// Memories, system control, and what is only stored.
  mutating func writeOther(
    _ value: UInt8, to register: Register, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .GPIOR0: system.GPIOR0 = value
    case .GPIOR1: system.GPIOR1 = value
    case .GPIOR2: system.GPIOR2 = value
    case .EECR:
      stall += EEPROM.write(EECR: value, isAllowed: !selfProgramming.isBusy, at: cycle)
    case .EEDR: EEPROM.EEDR = value
    case .EEARL: EEPROM.write(EEARL: value)
    case .EEARH: EEPROM.write(EEARH: value)
    case .SPMCSR:
      // Not while the EEPROM is being written.
      if !EEPROM.isProgramming { selfProgramming.write(SPMCSR: value, at: cycle) }
    case .SMCR: system.SMCR = value & 0b1111
    case .MCUSR:
      system.MCUSR &= value
      watchdog.set(isForced: system.isWatchdogReset, at: cycle)
    case .MCUCR: writeMCUCR(value, at: cycle)
    case .WDTCSR: watchdog.write(WDTCSR: value, at: cycle)
    case .CLKPR:
      system.write(CLKPR: value, at: cycle)
      if system.CLKPR & 0b1111 != 0 { notice("CLKPR", at: cycle, pc: pc) }
    case .PRR:
      // What the others' bits switch off is not emulated anyway, but USART0 is.
      if value & 0b10 != 0 { notice("PRR", at: cycle, pc: pc) }
      writePRR(value, at: cycle)
    case .OSCCAL: system.OSCCAL = value
    case .ADCSRA:
      if ADC.write(ADCSRA: value, at: cycle) { notice("ADCSRA", at: cycle, pc: pc) }
    case .ADCSRB: ADC.ADCSRB = value & 0b0100_0111
    case .ADMUX: ADC.ADMUX = value & 0b1110_1111
    default: store(value, in: register, at: cycle, pc: pc)
    }
    updateOthers()
  }

  private mutating func writeMCUCR(_ value: UInt8, at cycle: UInt64) {
    system.write(MCUCR: value, at: cycle)
    let hasPullUps = system.hasPullUps
    change(.B, at: cycle) { $0.set(hasPullUps: hasPullUps) }
    change(.C, at: cycle) { $0.set(hasPullUps: hasPullUps) }
    change(.D, at: cycle) { $0.set(hasPullUps: hasPullUps) }
  }

  /// Registers that do nothing here. What the program asks for by them is said once.
  private mutating func store(
    _ value: UInt8, in register: Register, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .SPCR:
      if value & 0x40 != 0 { notice("SPCR", at: cycle, pc: pc) }
      stored.SPCR = value
    case .SPSR: stored.SPSR = stored.SPSR & 0xC0 | value & 1
    case .SPDR: stored.SPDR = value
    case .ACSR:
      // The comparator's interrupt, or its capture by Timer 1.
      if value & 0b1100 != 0 { notice("ACSR", at: cycle, pc: pc) }
      stored.ACSR = value & 0b1100_1111
    case .DIDR0: stored.DIDR0 = value & 0x3F
    case .DIDR1: stored.DIDR1 = value & 0b11
    case .TWBR: stored.TWBR = value
    case .TWSR: stored.TWSR = stored.TWSR & 0xF8 | value & 0b11
    case .TWAR: stored.TWAR = value
    case .TWDR: stored.TWDR = value
    case .TWCR:
      if value & 0x04 != 0 { notice("TWCR", at: cycle, pc: pc) }
      stored.TWCR = value & 0b0111_0101
    case .TWAMR: stored.TWAMR = value & 0xFE
    default: break
    }
  }

  /// The chip restarts: every register gets its initial value; EEPROM stays. The watchdog stays on after
  /// a watchdog reset, as WDRF forces WDE.
  mutating func reset(_ cause: ResetCause, at cycle: UInt64) {
    advance(to: cycle)
    put(.reset(cause), at: cycle)
    system.reset(cause)
    restart(at: cycle)
  }

  /// Every register but those of system control gets its initial value, and clocks begin to run.
  mutating func restart(at cycle: UInt64) {
    advance(to: cycle)
    // First, as what follows from a change of pins is to be forgotten too.
    outputs.B = TimerOutputs.Override()
    outputs.D = TimerOutputs.Override()
    for port in Pin.Port.allCases { change(port, at: cycle) { $0.reset() } }
    prescaler = Prescaler(at: cycle)
    prescaler2 = Prescaler(at: cycle)
    timer0 = Timer8(vector: 14, at: cycle)
    timer1 = Timer16(at: cycle)
    timer2 = Timer8(vector: 7, at: cycle)
    usart = USART()
    external = ExternalInterrupts()
    external.forget(levels: portD.levels)
    ADC = AVR.ADC()
    stored = StoredRegisters()
    EEPROM.reset()
    selfProgramming.reset()
    watchdog = Watchdog()
    watchdog.set(isForced: system.isWatchdogReset, at: cycle)
    stall = 0
    asleepSince = nil
    timer0Written(at: cycle)
    timer1Written(at: cycle)
    timer2Written(at: cycle)
    updateUSART()
    setPending(0, of: Vectors.external)
    updateOthers()
  }
}
