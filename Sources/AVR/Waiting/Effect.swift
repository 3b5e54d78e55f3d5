/// What an instruction is about to do beyond the registers. Decides whether a loop only waits.
struct Effect {
  /// It does something that a wait loop must not do, such as writing an I/O register.
  var isForbidden = false
  /// It reads a value that changes as time passes.
  var readsTime = false
  /// It reads a value that something outside the CPU can change.
  var readsIO = false
  /// It writes SREG as a whole.
  var writesStatus = false
  var stores: UInt16?
}

extension Interpreter {
  func effect(of instruction: Instruction, _ core: Core, _ peripherals: Peripherals) -> Effect {
    switch instruction.operation {
    case .in, .lds, .sbic, .sbis, .ldX, .ldXIncrement, .ldXDecrement, .ldYIncrement, .ldYDecrement,
      .lddY, .ldZIncrement, .ldZDecrement, .lddZ:
      return read(place(instruction).address, core, peripherals)
    case .out, .sts, .stX, .stXIncrement, .stXDecrement, .stYIncrement, .stYDecrement, .stdY,
      .stZIncrement, .stZDecrement, .stdZ:
      return write(place(instruction).address)
    case .push: return Effect(stores: core.sp)
    case .sbi, .cbi, .reti, .spm, .spmIncrement, .sleep, .wdr, .break, .reserved, .erased,
      .outside, .entry:
      return Effect(isForbidden: true)
    case .bset:
      // SEI delays interrupts by one instruction.
      return Effect(isForbidden: instruction.d == 7)
    case .lpmR0, .lpm, .lpmIncrement, .add, .adc, .adiw, .sub, .subi, .sbc, .sbci, .sbiw, .and,
      .andi, .or, .ori, .eor, .com, .neg, .inc, .dec, .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu,
      .rjmp, .ijmp, .jmp, .rcall, .icall, .call, .ret, .cpse, .cp, .cpc, .cpi, .sbrc, .sbrs, .brbs,
      .brbc, .mov, .movw, .ldi, .pop, .lsr, .ror, .asr, .swap, .bclr, .bst, .bld, .nop:
      return Effect()
    }
  }

  private func read(_ address: UInt16, _ core: Core, _ peripherals: Peripherals) -> Effect {
    switch Int(address) {
    case DataSpace.SREG, DataSpace.SPL, DataSpace.SPH: return Effect()
    case DataSpace.io:
      guard peripherals.peek(address, at: core.cycle) != nil else {
        return Effect(isForbidden: true)
      }
      return Effect(readsTime: Peripherals.drift(of: address) != .none, readsIO: true)
    default: return Effect()
    }
  }

  private func write(_ address: UInt16) -> Effect {
    switch Int(address) {
    case DataSpace.SREG: Effect(writesStatus: true)
    case DataSpace.sram:
      Effect(
        isForbidden: access[Int(address)] & DataSpace.specialWrite != 0,
        stores: address)
    default: Effect(isForbidden: true)
    }
  }
}
