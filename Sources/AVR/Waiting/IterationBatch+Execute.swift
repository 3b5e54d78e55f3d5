/// The effect of an instruction in all iterations.
extension IterationBatch {
  /// Executes one step. Returns false if the batch cannot execute it: addresses differ, it
  /// writes I/O registers, or it is rare.
  mutating func execute(_ step: PollLoop.Step) -> Bool {
    let d = Int(step.instruction.d)
    let r = Int(step.instruction.r)
    let k = UInt8(truncatingIfNeeded: step.instruction.k)
    let bit: UInt8 = 1 << (step.instruction.d & 7)
    switch step.instruction.operation {
    case .add: rows.combine(d, r) { StatusRegister.add($0, $1, carry: 0, &$2) }
    case .adc: rows.combine(d, r) { StatusRegister.add($0, $1, carry: $2 & 1, &$2) }
    case .sub: rows.combine(d, r) { StatusRegister.subtract($0, $1, &$2) }
    case .sbc: rows.combine(d, r) { StatusRegister.subtractWithCarry($0, $1, &$2) }
    case .cp: rows.combine(d, r, keepsResult: false) { StatusRegister.subtract($0, $1, &$2) }
    case .cpc:
      rows.combine(d, r, keepsResult: false) { StatusRegister.subtractWithCarry($0, $1, &$2) }
    case .and: rows.combine(d, r) { StatusRegister.logic($0 & $1, &$2) }
    case .or: rows.combine(d, r) { StatusRegister.logic($0 | $1, &$2) }
    case .eor: rows.combine(d, r) { StatusRegister.logic($0 ^ $1, &$2) }
    case .subi: rows.combine(d, constant: k) { StatusRegister.subtract($0, $1, &$2) }
    case .sbci: rows.combine(d, constant: k) { StatusRegister.subtractWithCarry($0, $1, &$2) }
    case .cpi:
      rows.combine(d, constant: k, keepsResult: false) { StatusRegister.subtract($0, $1, &$2) }
    case .andi: rows.combine(d, constant: k) { StatusRegister.logic($0 & $1, &$2) }
    case .ori: rows.combine(d, constant: k) { StatusRegister.logic($0 | $1, &$2) }
    case .com: rows.combine(d, d) { a, _, sreg in StatusRegister.complement(a, &sreg) }
    case .neg: rows.combine(d, d) { a, _, sreg in StatusRegister.negate(a, &sreg) }
    case .inc: rows.combine(d, d) { a, _, sreg in StatusRegister.increment(a, &sreg) }
    case .dec: rows.combine(d, d) { a, _, sreg in StatusRegister.decrement(a, &sreg) }
    case .lsr: rows.combine(d, d) { a, _, sreg in StatusRegister.shiftRight(a, top: 0, &sreg) }
    case .ror:
      rows.combine(d, d) { a, _, sreg in StatusRegister.shiftRight(a, top: sreg << 7, &sreg) }
    case .asr:
      rows.combine(d, d) { a, _, sreg in StatusRegister.shiftRight(a, top: a & 0x80, &sreg) }
    case .swap: rows.combine(d, d) { a, _, _ in a << 4 | a >> 4 }
    case .adiw: rows.combineWord(d, UInt16(k)) { StatusRegister.addWord($0, $1, &$2) }
    case .sbiw: rows.combineWord(d, UInt16(k)) { StatusRegister.subtractWord($0, $1, &$2) }

    case .mov: rows.copy(r, to: d)
    case .movw:
      rows.copy(r, to: d)
      rows.copy(r + 1, to: d + 1)
    case .ldi: rows.fill(d, k)
    case .bclr:
      rows.combine(BatchRows.sreg, constant: bit, keepsResult: false) { _, bit, sreg in
        sreg &= ~bit
        return sreg
      }
    case .bset:
      // SEI delays interrupts by one instruction: left to normal execution.
      guard bit != StatusRegister.I else { return false }
      rows.combine(BatchRows.sreg, constant: bit, keepsResult: false) { _, bit, sreg in
        sreg |= bit
        return sreg
      }
    case .nop: break

    case .brbs, .brbc, .sbrc, .sbrs, .cpse, .sbic, .sbis: return decide(step)
    case .rjmp, .jmp: break
    case .rcall, .call:
      let back = step.pc + Int(step.instruction.words)
      return push { $0.fill($1, UInt8(truncatingIfNeeded: back)) }
        && push { $0.fill($1, UInt8(truncatingIfNeeded: back >> 8)) }
    case .ret:
      guard let high = pop(), let low = pop() else { return false }
      let target = step.next
      valid &= rows.bits(high) { $0 == UInt8(truncatingIfNeeded: target >> 8) }
      valid &= rows.bits(low) { $0 == UInt8(truncatingIfNeeded: target) }
    case .push: return push { $0.copy(d, to: $1) }
    case .pop:
      guard let row = pop() else { return false }
      rows.copy(row, to: d)

    case .in, .lds, .ldX, .ldXIncrement, .lddY, .lddZ, .ldZIncrement: return load(step)
    case .out, .sts, .stX, .stXIncrement, .stdY, .stdZ, .stZIncrement: return store(step)

    case .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu, .ijmp, .icall, .reti, .ldXDecrement,
      .ldYIncrement, .ldYDecrement, .ldZDecrement, .stXDecrement, .stYIncrement, .stYDecrement,
      .stZDecrement, .lpmR0, .lpm, .lpmIncrement, .spm, .spmIncrement, .sbi, .cbi, .bst, .bld,
      .sleep, .wdr, .break, .reserved, .erased, .outside, .entry:
      return false
    }
    return true
  }

  /// A conditional branch or a skip. Iterations that leave the recorded path are no longer valid.
  private mutating func decide(_ step: PollLoop.Step) -> Bool {
    let instruction = step.instruction
    let d = Int(instruction.d)
    let taken: UInt64
    switch instruction.operation {
    case .brbs, .brbc:
      // A branch to the next instruction takes the same path either way.
      if instruction.k == step.pc + 1 { return true }
      let bit: UInt8 = 1 << (instruction.d & 7)
      let isSet = rows.bits(BatchRows.sreg) { $0 & bit != 0 }
      taken = instruction.operation == .brbs ? isSet : ~isSet
    case .cpse: taken = rows.bits(rows[d], equal: rows[Int(instruction.r)])
    case .sbrc, .sbrs:
      let bit: UInt8 = 1 << (instruction.r & 7)
      let isSet = rows.bits(d) { $0 & bit != 0 }
      taken = instruction.operation == .sbrs ? isSet : ~isSet
    default:
      let bit: UInt8 = 1 << (instruction.r & 7)
      guard readIO(UInt16(instruction.k), step, into: BatchRows.spare) else { return false }
      let isSet = rows.bits(BatchRows.spare) { $0 & bit != 0 }
      taken = instruction.operation == .sbis ? isSet : ~isSet
    }
    valid &= step.next == step.pc + 1 ? ~taken : taken
    return true
  }
}
