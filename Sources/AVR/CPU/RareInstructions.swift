/// Everything the hot loop does not execute: rare instructions, I/O registers, watched memory,
/// faults.
extension Interpreter {
  /// Executes the whole instruction at `core.pc`, or sets `core.fault`.
  @inline(never)
  func execute(_ core: inout Core, _ peripherals: inout Peripherals) {
    let instruction = code[core.pc]
    let d = Int(instruction.d)
    let r = Int(instruction.r)
    let next = core.pc + Int(instruction.words)
    switch instruction.operation {
    case .muls, .mulsu, .fmul, .fmuls, .fmulsu:
      setWord(0, multiply(instruction.operation, data[d], data[r], &core.sreg))
      core.pass(2, to: next)

    case .in, .lds, .lddY, .lddZ, .ldX, .ldXIncrement, .ldXDecrement, .ldYIncrement, .ldYDecrement,
      .ldZIncrement, .ldZDecrement:
      load(instruction, &core, &peripherals, next)
    case .out, .sts, .stdY, .stdZ, .stX, .stXIncrement, .stXDecrement, .stYIncrement, .stYDecrement,
      .stZIncrement, .stZDecrement:
      store(instruction, &core, &peripherals, next)

    case .sbi, .cbi:
      let isSet = instruction.operation == .sbi
      let address = UInt16(truncatingIfNeeded: instruction.k)
      see(ProbeMarks.write, address, core)
      peripherals.write(
        bit: instruction.r, isSet, of: address, at: core.cycle + 2, pc: core.byteAddress)
      core.pass(2, to: next)
      core.pass(UInt64(peripherals.takeStall()), to: next)
    case .sbic, .sbis:
      let address = UInt16(truncatingIfNeeded: instruction.k)
      see(ProbeMarks.read, address, core)
      let value = peripherals.read(address, at: core.cycle, pc: core.byteAddress)
      let isSet = value >> instruction.r & 1 == 1
      let skipped = isSet == (instruction.operation == .sbis) ? Int(code[next].words) : 0
      core.pass(1 + UInt64(skipped), to: next + skipped)

    case .lpmR0, .lpm, .lpmIncrement:
      loadProgramMemory(instruction, &core, &peripherals, next)
    case .spm, .spmIncrement:
      let z = word(30)
      core.flashOperation = peripherals.storeProgramMemory(
        z: z, word: word(0), at: core.cycle + 1, pc: core.byteAddress)
      if instruction.operation == .spmIncrement { setWord(30, z &+ 2) }
      core.pass(1 + UInt64(peripherals.takeStall()), to: next)

    case .bset:
      core.enableInterrupts()
      core.pass(1, to: next)
      core.interruptsFrom = core.cycle + 1
    case .reti:
      guard let back = core.returnAddress(data) else { return }
      see(ProbeMarks.read, core.sp &+ 1, core)
      see(ProbeMarks.read, core.sp &+ 2, core)
      core.sp &+= 2
      core.pass(4, to: back)
      core.enableInterrupts()
      core.interruptsFrom = core.cycle + 1
      core.isReceiving = false
      probe?.pointee.leaveInterrupt(core.sp)
    case .sleep:
      core.pass(1, to: next)
      if let mode = peripherals.system.sleepMode {
        core.isAsleep = true
        peripherals.sleep(mode, at: core.cycle)
      }
    case .wdr:
      core.pass(1, to: next)
      peripherals.resetWatchdog(at: core.cycle)
    case .break:
      // Without a debugger, BREAK is a NOP.
      core.pass(1, to: next)

    case .jmp: core.fail(.jumpOutside(instruction.k << 1))
    case .ijmp: core.fail(.jumpOutside(UInt32(word(30)) << 1))
    case .call: core.fail(call(to: instruction.k, core.sp))
    case .rcall: core.fail(call(to: instruction.k, core.sp))
    case .icall: core.fail(call(to: UInt32(word(30)), core.sp))
    case .ret: _ = core.returnAddress(data)
    case .push: core.fail(.stack(core.sp))
    case .pop: core.fail(.stack(core.sp &+ 1))
    case .reserved: core.fail(.reserved(words[core.pc]))
    case .erased: core.fail(.erased)
    case .outside: core.fail(.ranOutside)
    case .entry: enter(&core, &peripherals)

    case .add, .adc, .adiw, .sub, .subi, .sbc, .sbci, .sbiw, .and, .andi, .or, .ori, .eor, .com,
      .neg, .inc, .dec, .mul, .rjmp, .cpse, .cp, .cpc, .cpi, .sbrc, .sbrs, .brbs, .brbc, .mov,
      .movw, .ldi, .lsr, .ror, .asr, .swap, .bclr, .bst, .bld, .nop:
      preconditionFailure("the hot loop executes these")
    }
  }

  /// Reports what the instruction is marked for, and executes it.
  private func enter(_ core: inout Core, _ peripherals: inout Peripherals) {
    let marks = code[core.pc].d
    if marks & ProbeMarks.call != 0 { reportCall(core, &peripherals) }
    probe?.pointee.execute(core, marks: marks)
    var interpreter = self
    interpreter.code = plain
    interpreter.branches = nil
    interpreter.run(&core, &peripherals, until: core.cycle + 1)
  }

  /// Reports that a function is entered.
  private func reportCall(_ core: Core, _ peripherals: inout Peripherals) {
    let registers = SIMD4(word(18), word(20), word(22), word(24))
    // The object of a member function: its address is the first argument, in R24 and R25.
    let object = Int(word(24))
    let bytes = (0..<3).reduce(UInt32(0)) { bytes, index in
      guard DataSpace.sram.contains(object + index) else { return bytes }
      return bytes | UInt32(data[object + index]) << UInt32(index * 8)
    }
    peripherals.put(
      .entered(core.byteAddress, registers: registers, object: bytes), at: core.cycle)
  }

  /// Why a call that the hot loop did not execute is invalid.
  private func call(to target: UInt32, _ sp: UInt16) -> Fault.Cause {
    target < Flash.wordCount ? .stack(sp) : .jumpOutside(target << 1)
  }

  private func multiply(
    _ operation: Operation, _ a: UInt8, _ b: UInt8, _ sreg: inout UInt8
  ) -> UInt16 {
    let isFractional = operation == .fmul || operation == .fmuls || operation == .fmulsu
    let left = operation == .fmul ? Int(a) : Int(Int8(bitPattern: a))
    let isRightSigned = operation == .muls || operation == .fmuls
    let right = isRightSigned ? Int(Int8(bitPattern: b)) : Int(b)
    let product = UInt16(truncatingIfNeeded: left * right)
    return StatusRegister.product(product, isFractional: isFractional, &sreg)
  }

  private func loadProgramMemory(
    _ instruction: Instruction, _ core: inout Core, _ peripherals: inout Peripherals, _ next: Int
  ) {
    let z = word(30)
    let byte: UInt8
    if peripherals.selfProgramming.overridesProgramMemory,
      let special = peripherals.loadProgramMemoryOverride(z: z, at: core.cycle + 1)
    {
      byte = special
    } else {
      let word = words[Int(z >> 1) & (Flash.wordCount - 1)]
      byte = UInt8(truncatingIfNeeded: z & 1 == 0 ? word : word >> 8)
    }
    if instruction.operation == .lpmIncrement { setWord(30, z &+ 1) }
    data[instruction.operation == .lpmR0 ? 0 : Int(instruction.d)] = byte
    core.pass(3, to: next)
  }
}
