extension Peripherals {
  /// The program writes a register. SBI and CBI write with `write(bit:)` instead.
  mutating func write(_ value: UInt8, to address: UInt16, at cycle: UInt64, pc: UInt16) {
    advance(to: cycle)
    guard let register = Register(rawValue: address) else {
      return notice(reserved: address, at: cycle, pc: pc)
    }
    write(value, to: register, at: cycle, pc: pc)
    nextEvent = deadlines.earliest
  }

  /// SBI and CBI: one bit alone; the others are not even read (matters to flags cleared by a 1).
  mutating func write(
    bit: UInt8, _ isSet: Bool, of address: UInt16, at cycle: UInt64, pc: UInt16
  ) {
    advance(to: cycle)
    guard let register = Register(rawValue: address) else {
      return notice(reserved: address, at: cycle, pc: pc)
    }
    let mask: UInt8 = 1 << bit
    switch register {
    case .PINB, .PINC, .PIND, .TIFR0, .TIFR1, .TIFR2, .PCIFR, .EIFR:
      // Here a 0 does nothing.
      write(isSet ? mask : 0, to: register, at: cycle, pc: pc)
    case .EECR:
      // EEMPE and EEPE that stand are not written again.
      let kept = EEPROM.EECR & ~0b0000_0111 & ~mask
      write(isSet ? kept | mask : kept, to: register, at: cycle, pc: pc)
    default:
      let value = read(address, at: cycle, pc: pc)
      write(isSet ? value | mask : value & ~mask, to: register, at: cycle, pc: pc)
    }
    nextEvent = deadlines.earliest
  }

  private mutating func write(
    _ value: UInt8, to register: Register, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .PINB: change(.B, at: cycle) { $0.toggle(value, at: cycle) }
    case .DDRB: change(.B, at: cycle) { $0.write(DDR: value, at: cycle) }
    case .PORTB: change(.B, at: cycle) { $0.write(PORT: value, at: cycle) }
    // PC7 is not there.
    case .PINC: change(.C, at: cycle) { $0.toggle(value & 0x7F, at: cycle) }
    case .DDRC: change(.C, at: cycle) { $0.write(DDR: value & 0x7F, at: cycle) }
    case .PORTC: change(.C, at: cycle) { $0.write(PORT: value & 0x7F, at: cycle) }
    case .PIND: change(.D, at: cycle) { $0.toggle(value, at: cycle) }
    case .DDRD: change(.D, at: cycle) { $0.write(DDR: value, at: cycle) }
    case .PORTD: change(.D, at: cycle) { $0.write(PORT: value, at: cycle) }
    case .TIFR0:
      timer0.clear(flags: value, at: cycle)
      timer0Counted()
    case .TIFR1:
      timer1.clear(flags: value, at: cycle)
      timer1Counted()
    case .TIFR2:
      timer2.clear(flags: value, at: cycle)
      timer2Counted()
    case .GTCCR, .TCCR0A, .TCCR0B, .TCNT0, .OCR0A, .OCR0B, .TIMSK0, .TCCR1A, .TCCR1B, .TCCR1C,
      .TCNT1L, .TCNT1H, .ICR1L, .ICR1H, .OCR1AL, .OCR1AH, .OCR1BL, .OCR1BH, .TIMSK1, .TCCR2A,
      .TCCR2B, .TCNT2, .OCR2A, .OCR2B, .TIMSK2, .ASSR:
      writeTimer(value, to: register, at: cycle, pc: pc)
    case .UCSR0A, .UCSR0B, .UCSR0C, .UBRR0L, .UBRR0H, .UDR0:
      writeUSART(value, to: register, at: cycle, pc: pc)
    case .PCIFR, .EIFR, .EIMSK, .PCICR, .EICRA, .PCMSK0, .PCMSK1, .PCMSK2:
      writeExternal(value, to: register)
    default: writeOther(value, to: register, at: cycle, pc: pc)
    }
  }

  private mutating func writeExternal(_ value: UInt8, to register: Register) {
    switch register {
    case .PCIFR: external.clear(PCIFR: value)
    case .EIFR: external.clear(EIFR: value)
    case .EIMSK: external.write(EIMSK: value)
    case .PCICR: external.write(PCICR: value)
    case .EICRA: external.write(EICRA: value)
    case .PCMSK0: external.write(PCMSK: value, port: .B)
    case .PCMSK1: external.write(PCMSK: value, port: .C)
    default: external.write(PCMSK: value, port: .D)
    }
    setPending(external.interrupts, of: Vectors.external)
  }

  private mutating func writeUSART(
    _ value: UInt8, to register: Register, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .UCSR0A:
      if value & USART.A.MPCM != 0 { notice("MPCM0", at: cycle, pc: pc) }
      usart.write(UCSRA: value)
    case .UCSR0B:
      if value & USART.B.UCSZ2 != 0 { notice("UCSZ02", at: cycle, pc: pc) }
      usart.write(UCSRB: value)
      updateUSARTPins(at: cycle)
    case .UCSR0C:
      if value & 0xC0 != 0 { notice("UMSEL0", at: cycle, pc: pc) }
      usart.write(UCSRC: value)
    case .UBRR0L: usart.write(UBRRL: value)
    case .UBRR0H: usart.write(UBRRH: value)
    default:
      if let byte = usart.write(UDR: value, at: cycle) { put(.transmit(byte), at: cycle) }
    }
    updateUSART()
  }
}
