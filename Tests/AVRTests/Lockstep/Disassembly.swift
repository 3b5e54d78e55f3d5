@testable import AVR

/// An instruction in assembler notation, except for the names of I/O registers and conditions.
struct Disassembly: CustomStringConvertible {
  let description: String

  init(_ instruction: Instruction) {
    let d = "r\(instruction.d)"
    let r = "r\(instruction.r)"
    let k = Hex.address(instruction.k)
    let jump = Hex.address(instruction.k << 1)
    let name = "\(instruction.operation)"
    let operands: String
    switch instruction.operation {
    case .add, .adc, .sub, .sbc, .and, .or, .eor, .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu,
      .cpse,
      .cp, .cpc, .mov, .movw:
      operands = "\(d), \(r)"
    case .adiw, .subi, .sbci, .sbiw, .andi, .ori, .cpi, .ldi, .lds, .lddY, .lddZ, .in:
      operands = "\(d), \(k)"
    case .sts, .stdY, .stdZ, .out: operands = "\(k), \(d)"
    case .com, .neg, .inc, .dec, .lsr, .ror, .asr, .swap, .push, .pop, .lpm, .lpmIncrement, .ldX,
      .ldXIncrement, .ldXDecrement, .ldYIncrement, .ldYDecrement, .ldZIncrement, .ldZDecrement,
      .stX,
      .stXIncrement, .stXDecrement, .stYIncrement, .stYDecrement, .stZIncrement, .stZDecrement:
      operands = d
    case .rjmp, .rcall, .jmp, .call: operands = jump
    case .brbs, .brbc: operands = "\(instruction.d), \(jump)"
    case .bset, .bclr: operands = "\(instruction.d)"
    case .sbrc, .sbrs, .bst, .bld: operands = "\(d), \(instruction.r)"
    case .sbi, .cbi, .sbic, .sbis: operands = "\(k), \(instruction.r)"
    case .ijmp, .icall, .ret, .reti, .lpmR0, .spm, .spmIncrement, .nop, .sleep, .wdr, .break,
      .reserved, .erased, .outside, .entry:
      operands = ""
    }
    description = operands.isEmpty ? name : "\(name) \(operands)"
  }
}
