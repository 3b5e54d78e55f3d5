/// The operation of an instruction: the mnemonics of the AVR instruction set manual. The addressing
/// modes of LD, ST and LPM are separate operations, since each is a case of the interpreter.
enum Operation: UInt8, Hashable, Sendable, CaseIterable {
  // Arithmetic and logic
  case add, adc, adiw, sub, subi, sbc, sbci, sbiw
  case and, andi, or, ori, eor, com, neg, inc, dec
  case mul, muls, mulsu, fmul, fmuls, fmulsu
  // Branches
  case rjmp, ijmp, jmp, rcall, icall, call, ret, reti
  case cpse, cp, cpc, cpi, sbrc, sbrs, sbic, sbis, brbs, brbc
  // Data transfer
  case mov, movw, ldi, lds, sts
  case ldX, ldXIncrement, ldXDecrement
  case ldYIncrement, ldYDecrement, lddY
  case ldZIncrement, ldZDecrement, lddZ
  case stX, stXIncrement, stXDecrement
  case stYIncrement, stYDecrement, stdY
  case stZIncrement, stZDecrement, stdZ
  case lpmR0, lpm, lpmIncrement, spm, spmIncrement
  case `in`, out, push, pop
  // Bits
  case sbi, cbi, lsr, ror, asr, swap, bset, bclr, bst, bld
  // MCU control
  case nop, sleep, wdr, `break`
  // No instructions
  /// A word that the instruction set leaves free.
  case reserved
  /// 0xFFFF: never programmed.
  case erased
  /// Past the end of the flash.
  case outside
  /// The first instruction of a function whose calls are reported. `Flash.plain` has the
  /// instruction itself.
  case entry

  /// The cycles of an instruction that accesses the data space. It reads an I/O register at the
  /// beginning of its last cycle, and what it writes takes effect after that cycle.
  ///
  /// Measured on an Uno, with Timer 0 on the CPU's clock (avr8js, issues 36 and 41): after a write
  /// of 0 to TCNT0, `OUT; IN` and `STS; IN` read 0, `OUT; NOP; IN` and `STS; LDS` read 1.
  var accessCycles: UInt64 {
    switch self {
    case .in, .out, .sbic, .sbis: 1
    default: 2
    }
  }
}
