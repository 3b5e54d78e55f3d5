import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the ports and of the interrupts of their pins in `gpio.spec.ts`.
///
/// avr8js reads a pin with a pull-up as 0 unless something drives it. On the chip its pull-up makes
/// it 1 ("Configuring the Pin"), so such bits of PINx are 1 here.
@Suite("avr8js's expectations of the pins")
struct PinPeerTests {
  static let ports = [
    // avr8js expects 0x05 of PINB.
    SmallProgram(
      "outputs 0x05 and pull-ups 0x50", "DDRB=0x0F; PORTB=0x55; nop; in r20, PINB", 0x55),
    // avr8js expects 0x04 of PINB.
    SmallProgram(
      "a 1 written to PINB toggles its bit of PORTB",
      "DDRB=0x0F; PORTB=0x55; PINB=0x01; in r20, PORTB; in r21, PINB", 0x54, 0x54),
    SmallProgram(
      "SBI on PIND toggles one bit of PORTD, though another reads 1",
      "r24=0x48; out DDRD, r24; out PORTD, r24; nop; sbi PIND, 6; in r20, PORTD", 0x08),
    SmallProgram(
      "a level on PB4", "nop*20; in r20, PINB; nop*20; in r21, PINB", 0x10, 0
    ).with([.init(10, 12, true), .init(30, 12, false)]),
    SmallProgram(
      "a level on PB4 is read only once it is an input",
      "DDRB=0x10; nop*20; in r20, PINB; DDRB=0; nop; in r21, PINB", 0, 0x10
    ).with([.init(10, 12, true)]),
  ]

  @Test(arguments: ports)
  func `A port reads as avr8js expects`(_ program: SmallProgram) throws { try program.check() }

  /// The state of a pin after the program: whether DDR makes it an output, and its level.
  struct State: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var source: String
    var pin: Pin
    var isOutput: Bool
    var isHigh: Bool
  }

  static let states = [
    State(
      testDescription: "an output of 1", source: "DDRB=1; PORTB=1", pin: Pin(.B, 0), isOutput: true,
      isHigh: true),
    State(
      testDescription: "an output of 0", source: "DDRB=8; PORTB=0xF7", pin: Pin(.B, 3),
      isOutput: true, isHigh: false),
    State(
      testDescription: "an input after a reset", source: "nop", pin: Pin(.B, 1), isOutput: false,
      isHigh: false),
    State(
      testDescription: "an input with its pull-up", source: "DDRB=0; PORTB=2", pin: Pin(.B, 1),
      isOutput: false, isHigh: true),
  ]

  @Test(arguments: states)
  func `A pin has the state that avr8js expects`(_ row: State) throws {
    let program = try Assembler(row.source + "; nop*3; in r20, DDRB")
    var chip = program.chip
    chip.run(until: 100)
    #expect(chip.level(of: row.pin) == row.isHigh)
    #expect(chip[data: 20].map { $0 >> row.pin.bit & 1 } == (row.isOutput ? 1 : 0))
  }

  /// Which pins of port B rise, all with the second register, at cycle 4.
  @Test(arguments: [
    ("DDRB=0x0F; PORTB=0x55", [0, 2]), ("PORTB=0x55; DDRB=0xF0", [4, 6]), ("PORTB=0x55", []),
  ])
  func `Outputs change when PORT or DDR is written, as avr8js expects`(
    source: String, rising: [UInt8]
  ) throws {
    for bit in UInt8(0)..<8 {
      let edges = try SmallProgram("", source + "; nop*4").edges(of: Pin(.B, bit))
      #expect(edges == (rising.contains(bit) ? [Edge(4, true)] : []), "PB\(bit)")
    }
  }

  /// PD2 rises at cycle 20 and falls at cycle 40; EIFR is read between them and after them.
  private static func flag(_ name: String, _ sense: Int, _ results: UInt8...) -> SmallProgram {
    var program = SmallProgram(
      name, "EICRA=\(sense); EIMSK=1; nop*20; in r20, EIFR; EIFR=1; nop*20; in r21, EIFR")
    program.results = results
    return program.with([.init(20, 2, true), .init(40, 2, false)])
  }

  static let flags = [
    flag("INT0 at a rising edge", 3, 1, 0), flag("INT0 at a falling edge", 2, 0, 1),
    flag("INT0 at any edge", 1, 1, 1),
    // avr8js sets the flag for as long as the level is low. The data sheet's is always cleared
    // then (EIFR, "INTF0").
    flag("INT0 at a low level", 0, 0, 0),
    SmallProgram(
      "PCINT3 at a rising edge, cleared by writing 1",
      "PCICR=1; PCMSK0=8; nop*20; in r20, PCIFR; PCIFR=1; in r21, PCIFR", 1, 0
    ).with([.init(15, 11, true)]),
    SmallProgram(
      "PCINT3 at a falling edge",
      "nop*14; PCICR=1; PCMSK0=8; in r20, PCIFR; nop*20; in r21, PCIFR", 0, 1
    ).with([.init(5, 11, true), .init(30, 11, false)]),
  ]

  @Test(arguments: flags)
  func `An edge sets the flag that avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// The handler reads the flag, and the count of a timer that starts when the interrupt may come.
  private static func interrupt(
    _ name: String, _ word: Int, _ setUp: String, _ flag: String
  ) -> SmallProgram {
    SmallProgram(
      name,
      """
      rjmp main
      .org \(word); in r20, TCNT0; in r21, \(flag); r22=1; rjmp end
      .org 60; main:; r22=0; \(setUp); nop*20; r17=1; sei; out TCCR0B, r17; nop*9
      """, 4, 0, 1)
  }

  /// The flag is set while I is clear. SEI lets one more instruction, OUT, be executed before the
  /// interrupt, which takes four cycles; avr8js takes two.
  static let interrupts = [
    interrupt("INT0 at word 2, rising", 2, "EICRA=3; EIMSK=1", "EIFR")
      .with([.init(20, 2, true)]),
    interrupt("INT0 at word 2, falling", 2, "EICRA=2; EIMSK=1", "EIFR")
      .with([.init(20, 2, true), .init(22, 2, false)]),
    interrupt("INT0 at word 2, a low level", 2, "EIMSK=1", "EIFR")
      .with([.init(5, 2, true), .init(20, 2, false)]),
    interrupt("PCINT0 at word 6, rising", 6, "PCICR=1; PCMSK0=8", "PCIFR")
      .with([.init(20, 11, true)]),
    interrupt("PCINT0 at word 6, falling", 6, "PCICR=1; PCMSK0=8", "PCIFR")
      .with([.init(5, 11, true), .init(20, 11, false)]),
  ]

  @Test(arguments: interrupts)
  func `A pin interrupts at the vector that avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }
}
