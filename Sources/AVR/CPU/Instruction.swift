/// A decoded instruction, ready for the interpreter.
struct Instruction: Hashable, Sendable {
  var operation: Operation
  /// Rd, or the bit of SREG for BSET, BCLR, BRBS and BRBC.
  var d: UInt8 = 0
  /// Rr, or a bit number.
  var r: UInt8 = 0
  /// The length in words, 1 or 2.
  var words: UInt8 = 1
  /// A constant, a data space address, a displacement or the word address of a jump's target.
  var k: UInt32 = 0
}

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
  /// An instruction that is marked: the first of a function whose calls are reported, or one that
  /// a debugger looks for (see `ProbeMarks`). `Flash.plain` has the instruction itself.
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

  var pushesReturnAddress: Bool { self == .rcall || self == .call || self == .icall }
}

/// Decodes words of flash into instructions. Bit patterns are from the AVR instruction set manual.
enum Decoder {
  /// Decodes the instruction at a word address. `next` is the following word.
  static func decode(_ word: UInt16, next: UInt16, at address: Int) -> Instruction {
    switch word >> 12 {
    case 0x0, 0x1, 0x2: return decodeTwoRegisters(word)
    case 0x3: return immediate(.cpi, word)
    case 0x4: return immediate(.sbci, word)
    case 0x5: return immediate(.subi, word)
    case 0x6: return immediate(.ori, word)
    case 0x7: return immediate(.andi, word)
    case 0x8, 0xA: return decodeDisplacement(word)
    case 0x9: return decodeMixed(word, next)
    case 0xB:
      let port = UInt32(word & 0xF | word >> 5 & 0x30) + 0x20
      return Instruction(operation: word & 0x800 == 0 ? .in : .out, d: five(word), k: port)
    case 0xC: return Instruction(operation: .rjmp, k: relative(word, bits: 12, at: address))
    case 0xD: return Instruction(operation: .rcall, k: relative(word, bits: 12, at: address))
    case 0xE: return immediate(.ldi, word)
    default: return decodeBits(word, at: address)
    }
  }

  /// 0x0000...0x2FFF: two registers, either any or in the upper half.
  private static func decodeTwoRegisters(_ word: UInt16) -> Instruction {
    let operations: [Operation] = [
      .nop, .cpc, .sbc, .add, .cpse, .cp, .sub, .adc, .and, .eor, .or, .mov,
    ]
    let d = five(word)
    let r = UInt8(word & 0xF | word >> 5 & 0x10)
    let group = Int(word >> 10)
    if group != 0 { return Instruction(operation: operations[group], d: d, r: r) }
    let low = UInt8(word & 0xF)
    switch word >> 8 {
    case 0: return Instruction(operation: word == 0 ? .nop : .reserved)
    case 1: return Instruction(operation: .movw, d: (d & 0xF) * 2, r: low * 2)
    case 2: return Instruction(operation: .muls, d: 16 + (d & 0xF), r: 16 + low)
    default:
      let kinds: [Operation] = [.mulsu, .fmul, .fmuls, .fmulsu]
      let kind = Int(word >> 6 & 2 | word >> 3 & 1)
      return Instruction(operation: kinds[kind], d: 16 + (d & 7), r: 16 + (low & 7))
    }
  }

  /// A register in the upper half and an eight-bit constant.
  private static func immediate(_ operation: Operation, _ word: UInt16) -> Instruction {
    let k = UInt32(word & 0xF | word >> 4 & 0xF0)
    return Instruction(operation: operation, d: 16 + UInt8(word >> 4 & 0xF), k: k)
  }

  /// LDD and STD with Y or Z and a displacement; LD and ST through Y or Z have displacement 0.
  private static func decodeDisplacement(_ word: UInt16) -> Instruction {
    let q = UInt32(word & 7 | word >> 7 & 0x18 | word >> 8 & 0x20)
    let operations: [Operation] = [.lddZ, .lddY, .stdZ, .stdY]
    let index = Int(word >> 3 & 1 | word >> 8 & 2)
    return Instruction(operation: operations[index], d: five(word), k: q)
  }

  private static func decodeMixed(_ word: UInt16, _ next: UInt16) -> Instruction {
    switch word >> 8 {
    case 0x90, 0x91: return decodeLoad(word, next)
    case 0x92, 0x93: return decodeStore(word, next)
    case 0x94, 0x95: return decodeOneRegister(word, next)
    case 0x96, 0x97:
      let k = UInt32(word & 0xF | word >> 2 & 0x30)
      let d = 24 + UInt8(word >> 4 & 3) * 2
      return Instruction(operation: word & 0x100 == 0 ? .adiw : .sbiw, d: d, k: k)
    case 0x98...0x9B:
      let operations: [Operation] = [.cbi, .sbic, .sbi, .sbis]
      let port = UInt32(word >> 3 & 0x1F) + 0x20
      return Instruction(
        operation: operations[Int(word >> 8 & 3)], r: UInt8(word & 7), k: port)
    default:
      let r = UInt8(word & 0xF | word >> 5 & 0x10)
      return Instruction(operation: .mul, d: five(word), r: r)
    }
  }

  private static func decodeLoad(_ word: UInt16, _ next: UInt16) -> Instruction {
    let operations: [Operation] = [
      .lds, .ldZIncrement, .ldZDecrement, .reserved, .lpm, .lpmIncrement, .reserved, .reserved,
      .reserved, .ldYIncrement, .ldYDecrement, .reserved, .ldX, .ldXIncrement, .ldXDecrement, .pop,
    ]
    return transfer(operations[Int(word & 0xF)], word, next)
  }

  private static func decodeStore(_ word: UInt16, _ next: UInt16) -> Instruction {
    let operations: [Operation] = [
      .sts, .stZIncrement, .stZDecrement, .reserved, .reserved, .reserved, .reserved, .reserved,
      .reserved, .stYIncrement, .stYDecrement, .reserved, .stX, .stXIncrement, .stXDecrement, .push,
    ]
    return transfer(operations[Int(word & 0xF)], word, next)
  }

  /// A load or a store of one register. That of a constant address has a second word.
  private static func transfer(
    _ operation: Operation, _ word: UInt16, _ next: UInt16
  ) -> Instruction {
    switch operation {
    case .reserved: Instruction(operation: .reserved)
    case .lds, .sts: Instruction(operation: operation, d: five(word), words: 2, k: UInt32(next))
    default: Instruction(operation: operation, d: five(word))
    }
  }

  /// 0x9400...0x95FF: one register, or no operand.
  private static func decodeOneRegister(_ word: UInt16, _ next: UInt16) -> Instruction {
    let operations: [Operation] = [.com, .neg, .swap, .inc, .reserved, .asr, .lsr, .ror]
    switch word & 0xF {
    case 0x4: return Instruction(operation: .reserved)
    case 0x0...0x7: return Instruction(operation: operations[Int(word & 7)], d: five(word))
    case 0xA: return Instruction(operation: .dec, d: five(word))
    case 0x8:
      if word & 0x100 == 0 {
        let bit = UInt8(word >> 4 & 7)
        return Instruction(operation: word & 0x80 == 0 ? .bset : .bclr, d: bit)
      }
      let operations: [Operation] = [
        .ret, .reti, .reserved, .reserved, .reserved, .reserved, .reserved, .reserved, .sleep,
        .break, .wdr, .reserved, .lpmR0, .reserved, .spm, .spmIncrement,
      ]
      return Instruction(operation: operations[Int(word >> 4 & 0xF)])
    case 0x9:
      if word == 0x9409 { return Instruction(operation: .ijmp) }
      if word == 0x9509 { return Instruction(operation: .icall) }
      return Instruction(operation: .reserved)
    case 0xC, 0xD, 0xE, 0xF:
      let high = UInt32(word >> 3 & 0x3E | word & 1)
      let operation: Operation = word & 2 == 0 ? .jmp : .call
      return Instruction(operation: operation, words: 2, k: high << 16 | UInt32(next))
    default: return Instruction(operation: .reserved)
    }
  }

  /// 0xF000...0xFFFF: conditional branches, the T flag, and skips on a bit.
  private static func decodeBits(_ word: UInt16, at address: Int) -> Instruction {
    let bit = UInt8(word & 7)
    switch word >> 9 & 7 {
    case 0, 1: return branch(.brbs, word, at: address)
    case 2, 3: return branch(.brbc, word, at: address)
    case _ where word & 8 != 0: return Instruction(operation: word == 0xFFFF ? .erased : .reserved)
    case 4: return Instruction(operation: .bld, d: five(word), r: bit)
    case 5: return Instruction(operation: .bst, d: five(word), r: bit)
    case 6: return Instruction(operation: .sbrc, d: five(word), r: bit)
    default: return Instruction(operation: .sbrs, d: five(word), r: bit)
    }
  }

  private static func branch(
    _ operation: Operation, _ word: UInt16, at address: Int
  ) -> Instruction {
    let target = relative(word >> 3, bits: 7, at: address)
    return Instruction(operation: operation, d: UInt8(word & 7), k: target)
  }

  /// The register in bits 4 to 8.
  private static func five(_ word: UInt16) -> UInt8 { UInt8(word >> 4 & 0x1F) }

  /// The target of a relative jump; the program counter wraps at the end of the flash.
  private static func relative(_ word: UInt16, bits: Int, at address: Int) -> UInt32 {
    let offset = Int(Int16(bitPattern: word << (16 - UInt16(bits))) >> (16 - Int16(bits)))
    return UInt32((address + 1 + offset) & (Flash.wordCount - 1))
  }
}
