/// The names of the data sheet for all I/O registers, regardless of their peripheral. The raw value
/// is the address in the data space, as LDS and STS use it; IN and OUT use 0x20 less (data sheet,
/// "Register Summary").
enum Register: UInt16, Hashable, Sendable {
  case PINB = 0x23, DDRB, PORTB, PINC, DDRC, PORTC, PIND, DDRD, PORTD
  case TIFR0 = 0x35, TIFR1, TIFR2
  case PCIFR = 0x3B, EIFR, EIMSK, GPIOR0, EECR, EEDR, EEARL, EEARH
  case GTCCR = 0x43, TCCR0A, TCCR0B, TCNT0, OCR0A, OCR0B
  case GPIOR1 = 0x4A, GPIOR2, SPCR, SPSR, SPDR
  case ACSR = 0x50
  case SMCR = 0x53, MCUSR, MCUCR
  case SPMCSR = 0x57
  case WDTCSR = 0x60, CLKPR
  case PRR = 0x64
  case OSCCAL = 0x66
  case PCICR = 0x68, EICRA
  case PCMSK0 = 0x6B, PCMSK1, PCMSK2, TIMSK0, TIMSK1, TIMSK2
  case ADCL = 0x78, ADCH, ADCSRA, ADCSRB, ADMUX
  case DIDR0 = 0x7E, DIDR1, TCCR1A, TCCR1B, TCCR1C
  case TCNT1L = 0x84, TCNT1H, ICR1L, ICR1H, OCR1AL, OCR1AH, OCR1BL, OCR1BH
  case TCCR2A = 0xB0, TCCR2B, TCNT2, OCR2A, OCR2B
  case ASSR = 0xB6
  case TWBR = 0xB8, TWSR, TWAR, TWDR, TWCR, TWAMR
  case UCSR0A = 0xC0, UCSR0B, UCSR0C
  case UBRR0L = 0xC4, UBRR0H, UDR0
}
