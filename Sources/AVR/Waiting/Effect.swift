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
      let address = place(instruction).address
      if isWatched(address, ProbeMarks.read) { return Effect(isForbidden: true) }
      return read(address, core, peripherals)
    case .out, .sts, .stX, .stXIncrement, .stXDecrement, .stYIncrement, .stYDecrement, .stdY,
      .stZIncrement, .stZDecrement, .stdZ:
      return write(place(instruction).address)
    case .push:
      return Effect(isForbidden: isWatched(core.sp, ProbeMarks.write), stores: core.sp)
    case .pop: return Effect(isForbidden: isWatched(core.sp &+ 1, ProbeMarks.read))
    case .rcall, .icall, .call:
      let isForbidden =
        isWatched(core.sp, ProbeMarks.write) || isWatched(core.sp &- 1, ProbeMarks.write)
      return Effect(isForbidden: isForbidden)
    case .ret:
      let isForbidden =
        isWatched(core.sp &+ 1, ProbeMarks.read) || isWatched(core.sp &+ 2, ProbeMarks.read)
      return Effect(isForbidden: isForbidden)
    case .sbi, .cbi, .reti, .spm, .spmIncrement, .sleep, .wdr, .break, .reserved, .erased,
      .outside, .entry:
      return Effect(isForbidden: true)
    case .bset:
      // SEI delays interrupts by one instruction.
      return Effect(isForbidden: instruction.d == 7)
    case .lpmR0, .lpm, .lpmIncrement, .add, .adc, .adiw, .sub, .subi, .sbc, .sbci, .sbiw, .and,
      .andi, .or, .ori, .eor, .com, .neg, .inc, .dec, .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu,
      .rjmp, .ijmp, .jmp, .cpse, .cp, .cpc, .cpi, .sbrc, .sbrs, .brbs,
      .brbc, .mov, .movw, .ldi, .lsr, .ror, .asr, .swap, .bclr, .bst, .bld, .nop:
      return Effect()
    }
  }

  /// Whether a debugger looks for such an access.
  func isWatched(_ address: UInt16, _ bit: UInt8) -> Bool {
    watched.map { $0[Int(address)] & bit != 0 } ?? false
  }

  /// Whether a store in SRAM is no more than a memory access.
  func canStoreUnseen(at address: UInt16) -> Bool {
    access[Int(address)] & DataSpace.specialWrite == 0 && !isWatched(address, ProbeMarks.write)
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
    case DataSpace.SREG:
      Effect(isForbidden: isWatched(address, ProbeMarks.write), writesStatus: true)
    case DataSpace.sram: Effect(isForbidden: !canStoreUnseen(at: address), stores: address)
    default: Effect(isForbidden: true)
    }
  }
}
