import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the CPU when it starts and when it is interrupted, in
/// `cpu.spec.ts` and `interrupt.spec.ts`.
@Suite("avr8js's expectations of interrupts")
struct InterruptPeerTests {
  @Test(arguments: [
    SmallProgram(
      "the stack pointer starts at the last byte of SRAM", "in r20, SPL; in r21, SPH", 0xFF, 0x08),
    // At word 0x520, with SP 0x180, and I and C set.
    SmallProgram(
      "the return address and SP, and I is clear and C is kept",
      """
      r16=1; out SPH, r16; r16=0x80; out SPL, r16; jmp main
      .org 0x2C; in r20, SPL; in r21, SREG; lds r22, 0x180; lds r23, 0x17F; rjmp end
      .org 0x51B; main:; EECR=8; r16=0x81; out SREG, r16; nop*3
      """, 0x7E, 0x01, 0x20, 0x05),
  ])
  func `The CPU saves what avr8js expects`(_ program: SmallProgram) throws { try program.check() }
}
