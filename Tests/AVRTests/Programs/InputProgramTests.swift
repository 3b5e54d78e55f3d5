import Testing

@testable import AVR

/// Inputs from outside the chip, according to the data sheet. Instructions of one cycle begin at
/// the cycle of their number, so that an IN after n NOPs reads at cycle n.
@Suite("Programs for inputs")
struct InputProgramTests {
  /// A level on an Arduino pin that changes at these cycles, first to high.
  private static func edges(_ pin: Int, _ cycles: [UInt64]) -> [SmallProgram.Input] {
    cycles.enumerated().map { .init($1, pin, $0.isMultiple(of: 2)) }
  }

  @Test func `The inputs ADC6 and ADC7 have a voltage of their own`() throws {
    for channel in UInt8(6)...7 {
      let program = try Assembler(
        "ADMUX=\(0x40 | channel); ADCSRA=0xC0; nop*60; r20=ADCL; r21=ADCH")
      var chip = program.chip
      chip.apply(microvolts: 2_500_000, toChannel: channel)
      chip.apply(microvolts: 1_000_000, toChannel: 13 - channel)
      chip.run(until: 200)
      #expect(chip[data: 20] == 0 && chip[data: 21] == 2)
    }
  }

  static let pins = [
    SmallProgram("PIN shows a level a cycle later", "nop*20; in r20, PIND; in r21, PIND", 0, 4)
      .with(edges(2, [20])),
    SmallProgram("PIN shows an earlier level", "nop*20; in r20, PIND", 4).with(edges(2, [19])),
    SmallProgram("a floating pin reads 1 with its pull-up", "PORTC=2; nop; in r20, PINC", 2),
    SmallProgram("the outside is stronger than a pull-up", "PORTD=4; nop*20; in r20, PIND", 0)
      .with([.init(10, 2, false)]),
    SmallProgram("an output reads what it drives", "DDRB=1; nop*20; in r20, PINB", 0)
      .with(edges(8, [10])),
    SmallProgram(
      "a pin follows the outside again once it is an input",
      "DDRB=1; nop*20; in r20, PINB; DDRB=0; nop; in r21, PINB", 0, 1
    ).with(edges(8, [10])),
    SmallProgram("3 V are high", "nop*20; in r20, PINC", 1).with([.init(5, 14, volts: 3)]),
    SmallProgram("1.5 V are low", "nop*20; in r20, PINC", 0)
      .with([.init(5, 14, true), .init(9, 14, volts: 1.5)]),
    SmallProgram("2 V leave a high level", "nop*20; in r20, PINC", 1)
      .with([.init(5, 14, true), .init(9, 14, volts: 2)]),
    SmallProgram("2 V leave a low level", "nop*20; in r20, PINC", 0)
      .with([.init(9, 14, volts: 2)]),
    SmallProgram(
      "a loop that waits for a pin",
      "TCCR1B=1; wait:; sbis PIND, 2; rjmp wait; lds r20, TCNT1L; lds r21, TCNT1H", 0x42, 0x9C
    ).with(edges(2, [40_000])),
  ]

  @Test(arguments: pins)
  func `A pin reads what the outside applies`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// Counts the entries of an interrupt in R20. `setup` ends before cycle 30.
  private static func interrupt(
    _ name: String, word: Int, _ setup: String, _ inputs: [SmallProgram.Input], count: UInt8
  ) -> SmallProgram {
    SmallProgram(
      name,
      """
      rjmp main
      .org \(word); inc r20; reti
      .org 60; main:; r20=0; \(setup); sei; nop*90
      """, count
    ).with(inputs)
  }

  static let interrupts = [
    interrupt(
      "INT0 at rising edges", word: 2, "EICRA=3; EIMSK=1", edges(2, [40, 55, 70]), count: 2),
    interrupt(
      "INT0 at falling edges", word: 2, "EICRA=2; EIMSK=1", edges(2, [40, 55, 70]), count: 1),
    interrupt(
      "INT1 at each edge", word: 4, "EICRA=4; EIMSK=2", edges(3, [40, 55, 70]), count: 3),
    interrupt(
      "INT0 at a low level, once every 10 cycles", word: 2, "PORTD=4; EIMSK=1",
      [.init(40, 2, false), .init(69, 2, true)], count: 3),
    interrupt(
      "INT0 ignores other pins", word: 2, "EICRA=1; EIMSK=1", edges(4, [40, 55]), count: 0),
    interrupt(
      "PCINT0 at each edge", word: 6, "PCMSK0=4; PCICR=1", edges(10, [40, 55, 70]), count: 3),
    interrupt(
      "PCINT1 at each edge", word: 8, "PCMSK1=1; PCICR=2", edges(14, [40, 55]), count: 2),
    interrupt(
      "PCINT2 at each edge", word: 10, "PCMSK2=0x80; PCICR=4", edges(7, [40, 55]), count: 2),
    interrupt(
      "PCINT2 only at the pins of its mask", word: 10, "PCMSK2=0x40; PCICR=4", edges(7, [40, 55]),
      count: 0),
    interrupt(
      "the comparator at each change", word: 46, "ACSR=8", edges(6, [40, 55, 70]), count: 3),
    interrupt(
      "the comparator at rising edges", word: 46, "ACSR=0x0B", edges(6, [40, 55, 70]), count: 2),
    interrupt(
      "the comparator at falling edges", word: 46, "ACSR=0x0A", edges(6, [40, 55, 70]), count: 1),
  ]

  @Test(arguments: interrupts)
  func `Inputs interrupt as the registers say`(_ program: SmallProgram) throws {
    try program.check()
  }

  private static let pulses = edges(4, [20, 22, 24, 26, 28, 30, 32])
  private static let pulses1 = edges(5, [20, 22, 24, 26, 28, 30, 32])

  static let clocks = [
    SmallProgram("T0 counts rising edges", "TCCR0B=7; nop*50; in r20, TCNT0", 4).with(pulses),
    SmallProgram("T0 counts falling edges", "TCCR0B=6; nop*50; in r20, TCNT0", 3).with(pulses),
    SmallProgram("T0 is not T1", "TCCR0B=7; nop*50; in r20, TCNT0", 0).with(pulses1),
    SmallProgram(
      "T1 counts rising edges past the maximum",
      "TCNT1=0xFFFE; TCCR1B=7; nop*50; r20=TCNT1L; r21=TCNT1H; in r22, TIFR1", 2, 0, 7
    ).with(pulses1),
    SmallProgram(
      "T0 clocks CTC: the compare match comes with the edge after it",
      "OCR0A=2; TCCR0A=2; TCCR0B=7; nop*50; in r20, TCNT0; in r21, TIFR0", 1, 6
    ).with(pulses),
    SmallProgram(
      "a program can clock T0 itself",
      "DDRD=0x10; TCCR0B=7; sbi PORTD, 4; cbi PORTD, 4; sbi PORTD, 4; in r20, TCNT0", 2),
    SmallProgram("PRR stops T0", "TCCR0B=7; PRR=0x20; nop*50; PRR=0; r20=TCNT0", 0).with(pulses),
  ]

  @Test(arguments: clocks)
  func `Timers count edges of their pins`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// TCCR1B is written at cycle 3, from which on Timer 1 counts. It matches OCR1A and OCR1B, 0, at
  /// once.
  static let captures = [
    SmallProgram("a rising edge", "TCCR1B=0x41; nop*60; r20=ICR1L; in r21, TIFR1", 27, 0x26)
      .with(edges(8, [30])),
    SmallProgram(
      "a rising edge, with the noise canceler 4 cycles later",
      "TCCR1B=0xC1; nop*60; r20=ICR1L; in r21, TIFR1", 31, 0x26
    ).with(edges(8, [30])),
    SmallProgram(
      "the noise canceler removes a pulse of 3 cycles",
      "TCCR1B=0xC1; nop*60; r20=ICR1L; in r21, TIFR1", 0, 6
    ).with(edges(8, [30, 33])),
    SmallProgram(
      "a falling edge", "TCCR1B=0x01; nop*60; r20=ICR1L; in r21, TIFR1", 37, 0x26
    ).with(edges(8, [30, 40])),
    SmallProgram(
      "the comparator's output instead of the pin",
      "ACSR=4; TCCR1B=0x41; nop*60; r20=ICR1L; in r21, TIFR1", 25, 0x26
    ).with(edges(8, [22]) + edges(6, [30])),
  ]

  @Test(arguments: captures)
  func `Timer 1 captures edges`(_ program: SmallProgram) throws { try program.check() }

  /// A conversion of a voltage, which ends with the result in R20 and R21.
  private static func conversion(
    _ name: String, _ selection: UInt8, _ inputs: [SmallProgram.Input], _ result: UInt16,
    setup: String = ""
  ) -> SmallProgram {
    SmallProgram(
      name, "\(setup); ADMUX=\(selection); ADCSRA=0xC0; nop*60; r20=ADCL; r21=ADCH",
      UInt8(result & 0xFF), UInt8(result >> 8)
    ).with(inputs)
  }

  /// Results are the voltage divided by the reference, times 1 024.
  static let conversions = [
    conversion("2.5 V of 5 V", 0x40, [.init(0, 14, volts: 2.5)], 512),
    conversion("2.5 V of AREF", 0x00, [.init(0, 14, volts: 2.5)], 512),
    conversion("0.55 V of 1.1 V", 0xC0, [.init(0, 14, volts: 0.55)], 512),
    conversion("2.5 V of 1.1 V", 0xC0, [.init(0, 14, volts: 2.5)], 1_023),
    conversion("2.5 V, left adjusted", 0x60, [.init(0, 14, volts: 2.5)], 0x8000),
    conversion("5 V", 0x40, [.init(0, 14, true)], 1_023),
    conversion("4.882 mV are below the first step", 0x40, [.init(0, 14, volts: 0.004_882)], 0),
    conversion("4.883 mV are the first step", 0x40, [.init(0, 14, volts: 0.004_883)], 1),
    conversion("4.995 V are the last step", 0x40, [.init(0, 14, volts: 4.995_2)], 1_023),
    conversion("A5", 0x45, [.init(0, 19, volts: 1)], 204),
    conversion("A1 is not A0", 0x41, [.init(0, 14, volts: 1)], 0),
    conversion("a pull-up", 0x40, [], 1_023, setup: "PORTC=1"),
    conversion("an output", 0x42, [], 1_023, setup: "DDRC=4; PORTC=4"),
    conversion("1.1 V of 5 V", 0x4E, [], 225),
    conversion("GND", 0x4F, [], 0),
    conversion("the temperature sensor at 25 degrees C", 0xC8, [], 292),
    // ADCSRA is written at cycle 5, and sampling ends 27 cycles later.
    conversion("a change before sampling ends", 0x40, [.init(31, 14, volts: 2.5)], 512),
    conversion("a change after sampling ends", 0x40, [.init(33, 14, volts: 2.5)], 0),
    SmallProgram(
      "ADCL keeps the result until ADCH is read",
      """
      ADMUX=0x40; ADCSRA=0xC0; nop*60; r20=ADCL; ADCSRA=0xD0; nop*60; r21=ADCH; ADCSRA=0xD0; nop*60
      r22=ADCL; r23=ADCH
      """, 0, 2, 0, 1
    ).with([.init(0, 14, volts: 2.5), .init(75, 14, volts: 1.25)]),
    SmallProgram(
      "free running follows the voltage",
      "ADMUX=0x60; ADCSRA=0xE0; nop*60; r20=ADCH; nop*60; r21=ADCH", 0x80, 0x40
    ).with([.init(0, 14, volts: 2.5), .init(75, 14, volts: 1.25)]),
    SmallProgram(
      "ADMUX counts when the conversion begins",
      "ADMUX=0x60; ADCSRA=0xC0; ADMUX=0x6F; nop*60; r20=ADCH", 0x80
    ).with([.init(0, 14, volts: 2.5)]),
    SmallProgram(
      "sleep for noise reduction converts, and the result wakes the CPU",
      """
      rjmp main
      .org 42; r20=ADCH; reti
      .org 60; main:; ADMUX=0x60; ADCSRA=0x8F; SMCR=3; sei; sleep; r21=ADCSRA
      """, 0x80, 0x8F
    ).with([.init(0, 14, volts: 2.5)]),
    SmallProgram(
      "sleep in idle mode converts if the interrupt is on",
      """
      rjmp main
      .org 42; r20=ADCH; reti
      .org 60; main:; ADMUX=0x60; ADCSRA=0x8F; SMCR=1; sei; sleep
      """, 0x80
    ).with([.init(0, 14, volts: 2.5)]),
    SmallProgram(
      "a conversion that has begun goes on in idle sleep, with the interrupt off",
      """
      rjmp main
      .org 32; reti
      .org 60; main:; ADMUX=0x60; TCNT0=100; TIMSK0=1; TCCR0B=1; ADCSRA=0xC0; SMCR=1; sei; sleep
      r20=ADCSRA; r21=ADCH
      """, 0x90, 0x80
    ).with([.init(0, 14, volts: 2.5)]),
    SmallProgram(
      "free running goes on in idle sleep, with the interrupt off",
      """
      rjmp main
      .org 32; reti
      .org 60; main:; ADMUX=0x60; TCNT0=0; TIMSK0=1; TCCR0B=1; ADCSRA=0xE0; SMCR=1; sei; sleep
      r20=ADCH
      """, 0x40
    ).with([.init(0, 14, volts: 2.5), .init(100, 14, volts: 1.25)]),
    SmallProgram(
      "the comparator compares AIN0 with A3",
      "ADMUX=3; ADCSRB=0x40; nop*30; r20=ACSR; nop*30; r21=ACSR", 0x30, 0x10
    ).with([.init(12, 6, volts: 2), .init(14, 17, volts: 1), .init(45, 17, volts: 3)]),
  ]

  @Test(arguments: conversions)
  func `The ADC measures voltages`(_ program: SmallProgram) throws { try program.check() }
}
