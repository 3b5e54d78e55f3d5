extension Peripherals {
  /// The program reads a register. `pc` is the reading instruction's, in bytes.
  mutating func read(_ address: UInt16, at cycle: UInt64, pc: UInt16) -> UInt8 {
    advance(to: cycle)
    guard let register = Register(rawValue: address) else {
      notice(reserved: address, at: cycle, pc: pc)
      return 0
    }
    switch register {
    case .UDR0: return readUDR(at: cycle, pc: pc)
    case .TCNT1L: return timer1.readTCNTL(at: cycle)
    case .TCNT1H, .ICR1H: return timer1.readHigh()
    case .ICR1L: return timer1.readICRL()
    default: return value(of: register, at: cycle)
    }
  }

  /// What reading a register would give at a cycle that is no later than the next event, where reading
  /// it changes nothing; nil elsewhere.
  func peek(_ address: UInt16, at cycle: UInt64) -> UInt8? {
    guard let register = Register(rawValue: address) else { return nil }
    switch register {
    case .UDR0, .TCNT1L, .TCNT1H, .ICR1L, .ICR1H: return nil
    default: return value(of: register, at: cycle)
    }
  }

  /// What reading TCNT0 or TCNT2 would give at each of so many cycles before the next event.
  func count(
    _ address: UInt16, from first: UInt64, every period: UInt64, lanes: Int,
    into values: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    switch Register(rawValue: address) {
    case .TCNT0: timer0.counter.count(from: first, every: period, lanes: lanes, into: values)
    case .TCNT2: timer2.counter.count(from: first, every: period, lanes: lanes, into: values)
    default: return false
    }
    return true
  }

  private func value(of register: Register, at cycle: UInt64) -> UInt8 {
    switch register {
    case .PINB: return portB.PIN
    case .DDRB: return portB.DDR
    case .PORTB: return portB.PORT
    case .PINC: return portC.PIN
    case .DDRC: return portC.DDR
    case .PORTC: return portC.PORT
    case .PIND: return portD.PIN
    case .DDRD: return portD.DDR
    case .PORTD: return portD.PORT
    case .TIFR0: return timer0.TIFR(at: cycle)
    case .TIFR1: return timer1.TIFR(at: cycle)
    case .TIFR2: return timer2.TIFR(at: cycle)
    case .PCIFR: return external.PCIFR
    case .EIFR: return external.EIFR
    case .EIMSK: return external.EIMSK
    case .GPIOR0: return system.GPIOR0
    case .EECR: return EEPROM.EECR
    case .EEDR: return EEPROM.EEDR
    case .EEARL: return UInt8(truncatingIfNeeded: EEPROM.EEAR)
    case .EEARH: return UInt8(EEPROM.EEAR >> 8)
    case .GTCCR: return system.GTCCR
    case .TCCR0A: return timer0.TCCRA
    case .TCCR0B: return timer0.TCCRB
    case .TCNT0: return timer0.TCNT(at: cycle)
    case .OCR0A: return UInt8(truncatingIfNeeded: timer0.counter.A.buffer)
    case .OCR0B: return UInt8(truncatingIfNeeded: timer0.counter.B.buffer)
    case .GPIOR1: return system.GPIOR1
    case .GPIOR2: return system.GPIOR2
    case .SPCR: return stored.SPCR
    case .SPSR: return stored.SPSR
    case .SPDR: return stored.SPDR
    case .ACSR: return stored.ACSR
    case .SMCR: return system.SMCR
    case .MCUSR: return system.MCUSR
    case .MCUCR: return system.MCUCR
    case .SPMCSR: return selfProgramming.SPMCSR
    case .WDTCSR: return watchdog.WDTCSR
    case .CLKPR: return system.CLKPR
    case .PRR: return system.PRR
    case .OSCCAL: return system.OSCCAL
    case .PCICR: return external.PCICR
    case .EICRA: return external.EICRA
    case .PCMSK0: return external.PCMSK[0]
    case .PCMSK1: return external.PCMSK[1]
    case .PCMSK2: return external.PCMSK[2]
    case .TIMSK0: return timer0.counter.TIMSK
    case .TIMSK1: return timer1.counter.TIMSK
    case .TIMSK2: return timer2.counter.TIMSK
    case .ADCL, .ADCH: return 0
    case .ADCSRA: return ADC.ADCSRA
    case .ADCSRB: return ADC.ADCSRB
    case .ADMUX: return ADC.ADMUX
    case .DIDR0: return stored.DIDR0
    case .DIDR1: return stored.DIDR1
    case .TCCR1A: return timer1.TCCRA
    case .TCCR1B: return timer1.TCCRB
    case .TCCR1C: return 0
    case .OCR1AL: return UInt8(truncatingIfNeeded: timer1.counter.A.buffer)
    case .OCR1AH: return UInt8(timer1.counter.A.buffer >> 8)
    case .OCR1BL: return UInt8(truncatingIfNeeded: timer1.counter.B.buffer)
    case .OCR1BH: return UInt8(timer1.counter.B.buffer >> 8)
    case .TCCR2A: return timer2.TCCRA
    case .TCCR2B: return timer2.TCCRB
    case .TCNT2: return timer2.TCNT(at: cycle)
    case .OCR2A: return UInt8(truncatingIfNeeded: timer2.counter.A.buffer)
    case .OCR2B: return UInt8(truncatingIfNeeded: timer2.counter.B.buffer)
    case .ASSR: return system.ASSR
    case .TWBR: return stored.TWBR
    case .TWSR: return stored.TWSR
    case .TWAR: return stored.TWAR
    case .TWDR: return stored.TWDR
    case .TWCR: return stored.TWCR
    case .TWAMR: return stored.TWAMR
    case .UCSR0A: return usart.UCSRA
    case .UCSR0B: return usart.UCSRB
    case .UCSR0C: return usart.UCSRC
    case .UBRR0L: return UInt8(truncatingIfNeeded: usart.UBRR)
    case .UBRR0H: return UInt8(usart.UBRR >> 8)
    case .UDR0, .TCNT1L, .TCNT1H, .ICR1L, .ICR1H:
      preconditionFailure("reading these changes something")
    }
  }

  /// 0 where nothing has been received.
  private mutating func readUDR(at cycle: UInt64, pc: UInt16) -> UInt8 {
    guard let byte = usart.readUDR() else { return 0 }
    put(.received(byte, readAt: pc), at: cycle)
    updateUSART()
    return byte
  }

  /// Says once for each address that nothing stands there.
  mutating func notice(reserved address: UInt16, at cycle: UInt64, pc: UInt16) {
    let digits = String(address, radix: 16, uppercase: true)
    notice("reserved register 0x\(digits)", at: cycle, pc: pc)
  }
}
