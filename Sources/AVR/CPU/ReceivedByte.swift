/// Tracks which registers hold a received byte that an interrupt has read.
///
/// The interrupt has dropped the byte if it returns without storing a copy of it to SRAM, however
/// the program manages its buffer.
struct ReceivedByte: Hashable, Sendable, Codable {
  var byte: UInt8
  var hasParityError: Bool
  /// One bit for each register.
  var holders: UInt32

  func holds(_ register: UInt8) -> Bool { holders >> UInt32(register) & 1 == 1 }

  /// Follows an executed instruction. Returns true if it stored the byte.
  mutating func follow(_ instruction: Instruction) -> Bool {
    let d = instruction.d
    switch instruction.operation {
    case .stX, .stXIncrement, .stXDecrement, .stYIncrement, .stYDecrement, .stdY,
      .stZIncrement, .stZDecrement, .stdZ, .sts:
      return holds(d)
    case .mov:
      copy(from: instruction.r, to: d)
    case .movw:
      let isLow = holds(instruction.r)
      copy(from: instruction.r + 1, to: d + 1)
      set(d, isLow)
    case .add, .adc, .sub, .subi, .sbc, .sbci, .and, .andi, .or, .ori, .eor, .com, .neg, .inc, .dec,
      .ldi, .lds, .ldX, .ldXIncrement, .ldXDecrement, .ldYIncrement, .ldYDecrement, .lddY,
      .ldZIncrement, .ldZDecrement, .lddZ, .lpm, .lpmIncrement, .in, .pop, .lsr, .ror, .asr, .swap,
      .bld:
      set(d, false)
    case .adiw, .sbiw:
      set(d, false)
      set(d + 1, false)
    case .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu:
      set(0, false)
      set(1, false)
    case .lpmR0:
      set(0, false)
    case .rjmp, .ijmp, .jmp, .rcall, .icall, .call, .ret, .reti, .cpse, .cp, .cpc, .cpi, .sbrc,
      .sbrs, .sbic, .sbis, .brbs, .brbc, .spm, .spmIncrement, .out, .push, .sbi, .cbi, .bset, .bclr,
      .bst, .nop, .sleep, .wdr, .break, .reserved, .erased, .outside, .entry:
      break
    }
    return false
  }

  private mutating func copy(from source: UInt8, to target: UInt8) { set(target, holds(source)) }

  private mutating func set(_ register: UInt8, _ isHolder: Bool) {
    let bit: UInt32 = 1 << UInt32(register)
    holders = isHolder ? holders | bit : holders & ~bit
  }
}
