/// The hot loop: executes the most common instructions, and leaves the rest to `RareInstructions`.
///
/// Semantics are those of the AVR instruction set manual; cycle counts are from its AVRe column for
/// a 16-bit program counter. All state that changes with every instruction is in local variables.
struct Interpreter {
  var code: UnsafePointer<Instruction>
  /// The code without `entry`.
  let plain: UnsafePointer<Instruction>
  let words: UnsafePointer<UInt16>
  let data: UnsafeMutablePointer<UInt8>
  let access: UnsafePointer<UInt8>
  /// Where the ways that the program takes are marked (see `BranchMarks`); nil for nowhere.
  var branches: UnsafeMutablePointer<UInt8>?
  /// What a debugger looks for; nil for nothing.
  var probe: UnsafeMutablePointer<ChipProbe>?
  /// The addresses that it watches (see `ProbeMarks`); nil for none. Then no branches are marked.
  var watched: UnsafePointer<UInt8>?

  @inline(__always) func word(_ register: Int) -> UInt16 {
    UInt16(data[register]) | UInt16(data[register &+ 1]) << 8
  }

  @inline(__always) func setWord(_ register: Int, _ value: UInt16) {
    data[register] = UInt8(truncatingIfNeeded: value)
    data[register &+ 1] = UInt8(truncatingIfNeeded: value >> 8)
  }

  /// Whether reading the address is no more than a memory access.
  @inline(__always) private static func isMemory(_ address: UInt16) -> Bool {
    address &- UInt16(DataSpace.sram.lowerBound) < UInt16(DataSpace.sram.count)
  }

  @inline(__always) private func writes(_ address: UInt16) -> Bool {
    access[Int(address)] & DataSpace.specialWrite == 0
  }

  /// Pushes the address of a word of the flash.
  @inline(__always) private func push(_ address: Int, _ sp: inout UInt16) {
    data[Int(sp)] = UInt8(truncatingIfNeeded: address)
    data[Int(sp &- 1)] = UInt8(truncatingIfNeeded: address >> 8)
    sp &-= 2
  }

  /// The cycle up to which the loop only needs to look at instructions.
  @inline(__always) static func deadline(
    _ core: Core, _ peripherals: Peripherals, _ target: UInt64
  ) -> UInt64 {
    var deadline = min(target, peripherals.nextEvent)
    if peripherals.isInterruptPending && core.sreg & StatusRegister.I != 0 {
      deadline = min(deadline, core.interruptsFrom)
    }
    return core.wantsAttention ? 0 : deadline
  }

  /// Executes until `target` or until something needs attention: an event is due, an interrupt can
  /// be taken, the CPU sleeps or has faulted, or the flash must change. Executes at least one
  /// instruction if `target` is in the future and no interrupt can be taken.
  func run(_ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64) {
    _ = execute(&core, &peripherals, until: target, .never)
  }

  /// Executes in the same way, but stops before the instruction at this word address.
  func run(
    _ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64,
    stoppingAt stop: Int
  ) {
    _ = execute(&core, &peripherals, until: target, .before(stop))
  }

  /// Executes in the same way, but stops after an instruction that leads to itself or to one before
  /// it. Returns whether one did.
  func runUntilBack(
    _ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64
  ) -> Bool {
    execute(&core, &peripherals, until: target, .back)
  }

  @inline(__always)
  private func execute(
    _ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64, _ stop: Stop
  ) -> Bool {
    if watched != nil { return watch(&core, &peripherals, until: target, stop) }
    if let branches {
      if case .never = stop { return follow(&core, &peripherals, until: target, branches) }
      return follow(&core, &peripherals, until: target, stop, branches)
    }
    return loop(&core, &peripherals, until: target, stop, nil, nil)
  }

  /// Where the loop stops before its deadline.
  private enum Stop {
    case never
    /// Before the instruction at a word address.
    case before(Int)
    /// After an instruction that leads to itself or to one before it.
    case back
  }

  /// The loop that marks the ways that the program takes. It is slower, and a copy of its own, so
  /// that the others do not become slower.
  @inline(never)
  private func follow(
    _ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64,
    _ branches: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    loop(&core, &peripherals, until: target, .never, branches, nil)
  }

  /// The same for the stops that are rarer.
  @inline(never)
  private func follow(
    _ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64, _ stop: Stop,
    _ branches: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    loop(&core, &peripherals, until: target, stop, branches, nil)
  }

  /// The loop that looks at each access to the data space.
  @inline(never)
  private func watch(
    _ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64, _ stop: Stop
  ) -> Bool {
    loop(&core, &peripherals, until: target, stop, nil, watched)
  }

  /// Tells the probe of an access, if the address is watched.
  @inline(__always)
  private func see(
    _ bit: UInt8, _ address: UInt16, _ cycle: UInt64, _ watched: UnsafePointer<UInt8>?
  ) {
    if let watched, watched[Int(address)] & bit != 0 { probe?.pointee.access(cycle &- 1) }
  }

  /// The same outside the hot loop.
  func see(_ bit: UInt8, _ address: UInt16, _ core: Core) {
    see(bit, address, core.cycle &+ 1, watched)
  }

  /// Returns whether `stop` ended it. A copy is compiled for each kind of stop.
  @inline(__always)
  private func loop(
    _ core: inout Core, _ peripherals: inout Peripherals, until target: UInt64, _ stop: Stop,
    _ branches: UnsafeMutablePointer<UInt8>?, _ watched: UnsafePointer<UInt8>?
  ) -> Bool {
    var hasStopped = false
    // The previous instruction.
    var previous = code - 1
    // Points at the next instruction.
    var pc = code + core.pc
    var cycle = core.cycle
    var status = LazyStatus(core.sreg)
    var sp = core.sp
    var deadline = Self.deadline(core, peripherals, target)

    while cycle < deadline {
      switch stop {
      case .never: break
      case .before(let address): hasStopped = pc == code + address
      case .back: hasStopped = pc <= previous
      }
      if hasStopped { break }
      if let branches {
        mark(previous, pc, branches)
        previous = pc
      } else if case .back = stop {
        previous = pc
      }
      let instruction = pc.pointee
      let d = Int(instruction.d)
      let r = Int(instruction.r)
      let k = UInt8(truncatingIfNeeded: instruction.k)
      pc += 1
      cycle &+= 1

      // A case that ends in `break` leaves its instruction to the code below the switch.
      switch instruction.operation {
      case .add:
        data[d] = status.add(data[d], data[r])
        continue
      case .adc:
        data[d] = status.addWithCarry(data[d], data[r])
        continue
      case .sub:
        data[d] = status.subtract(data[d], data[r])
        continue
      case .subi:
        data[d] = status.subtract(data[d], k)
        continue
      case .sbc:
        data[d] = status.subtractWithCarry(data[d], data[r])
        continue
      case .sbci:
        data[d] = status.subtractWithCarry(data[d], k)
        continue
      case .cp:
        _ = status.subtract(data[d], data[r])
        continue
      case .cpc:
        _ = status.subtractWithCarry(data[d], data[r])
        continue
      case .cpi:
        _ = status.subtract(data[d], k)
        continue
      case .adiw:
        setWord(d, status.addWord(word(d), UInt16(k)))
        cycle &+= 1
        continue
      case .sbiw:
        setWord(d, status.subtractWord(word(d), UInt16(k)))
        cycle &+= 1
        continue

      case .and:
        data[d] = status.logic(data[d] & data[r])
        continue
      case .andi:
        data[d] = status.logic(data[d] & k)
        continue
      case .or:
        data[d] = status.logic(data[d] | data[r])
        continue
      case .ori:
        data[d] = status.logic(data[d] | k)
        continue
      case .eor:
        data[d] = status.logic(data[d] ^ data[r])
        continue
      case .com:
        data[d] = status.complement(data[d])
        continue
      case .neg:
        data[d] = status.subtract(0, data[d])
        continue
      case .inc:
        data[d] = status.increment(data[d])
        continue
      case .dec:
        data[d] = status.decrement(data[d])
        continue
      case .lsr:
        data[d] = status.shiftRight(data[d], top: 0)
        continue
      case .ror:
        data[d] = status.rotateRight(data[d])
        continue
      case .asr:
        data[d] = status.shiftRight(data[d], top: data[d])
        continue
      case .swap:
        data[d] = data[d] << 4 | data[d] >> 4
        continue
      case .mul:
        setWord(0, status.multiply(data[d], data[r]))
        cycle &+= 1
        continue

      case .mov:
        data[d] = data[r]
        continue
      case .movw:
        setWord(d, word(r))
        continue
      case .ldi:
        data[d] = k
        continue
      case .bst:
        status.set(T: data[d] >> (instruction.r & 7))
        continue
      case .bld:
        let bit: UInt8 = 1 << (instruction.r & 7)
        data[d] = status.isT ? data[d] | bit : data[d] & ~bit
        continue
      case .bclr:
        // This includes CLI: with interrupts off, reaching the deadline early is harmless.
        if instruction.d == 7 {
          status.clearI()
        } else {
          status = LazyStatus(status.value & ~(1 << (instruction.d & 7)))
        }
        continue
      case .bset:
        if instruction.d == 7 { break }
        status = LazyStatus(status.value | 1 << (instruction.d & 7))
        continue
      case .nop:
        continue

      case .brbs:
        if status[instruction.d] {
          pc = code + Int(instruction.k)
          cycle &+= 1
        }
        continue
      case .brbc:
        if !status[instruction.d] {
          pc = code + Int(instruction.k)
          cycle &+= 1
        }
        continue
      case .rjmp:
        pc = code + Int(instruction.k)
        cycle &+= 1
        continue
      case .jmp:
        guard instruction.k < Flash.wordCount else { break }
        pc = code + Int(instruction.k)
        cycle &+= 2
        continue
      case .ijmp:
        guard word(30) < Flash.wordCount else { break }
        pc = code + Int(word(30))
        cycle &+= 1
        continue
      case .rcall:
        guard sp &- 0x101 < 0x7FF else { break }
        see(ProbeMarks.write, sp, cycle, watched)
        see(ProbeMarks.write, sp &- 1, cycle, watched)
        push(pc - code, &sp)
        pc = code + Int(instruction.k)
        cycle &+= 2
        continue
      case .icall:
        guard sp &- 0x101 < 0x7FF, word(30) < Flash.wordCount else { break }
        see(ProbeMarks.write, sp, cycle, watched)
        see(ProbeMarks.write, sp &- 1, cycle, watched)
        push(pc - code, &sp)
        pc = code + Int(word(30))
        cycle &+= 2
        continue
      case .call:
        guard sp &- 0x101 < 0x7FF, instruction.k < Flash.wordCount else { break }
        see(ProbeMarks.write, sp, cycle, watched)
        see(ProbeMarks.write, sp &- 1, cycle, watched)
        push(pc + 1 - code, &sp)
        pc = code + Int(instruction.k)
        cycle &+= 3
        continue
      case .ret:
        guard sp &- 0xFF < 0x7FF else { break }
        let back = Int(data[Int(sp) + 1]) << 8 | Int(data[Int(sp) + 2])
        guard back < Flash.wordCount else { break }
        see(ProbeMarks.read, sp &+ 1, cycle, watched)
        see(ProbeMarks.read, sp &+ 2, cycle, watched)
        sp &+= 2
        pc = code + back
        cycle &+= 3
        continue

      case .cpse:
        if data[d] == data[r] {
          cycle &+= UInt64(pc.pointee.words)
          pc += Int(pc.pointee.words)
        }
        continue
      case .sbrc:
        if data[d] >> (instruction.r & 7) & 1 == 0 {
          cycle &+= UInt64(pc.pointee.words)
          pc += Int(pc.pointee.words)
        }
        continue
      case .sbrs:
        if data[d] >> (instruction.r & 7) & 1 != 0 {
          cycle &+= UInt64(pc.pointee.words)
          pc += Int(pc.pointee.words)
        }
        continue

      case .lds:
        let address = UInt16(truncatingIfNeeded: instruction.k)
        guard Self.isMemory(address) else { break }
        see(ProbeMarks.read, address, cycle, watched)
        data[d] = data[Int(address)]
        pc += 1
        cycle &+= 1
        continue
      case .ldX:
        let address = word(26)
        guard Self.isMemory(address) else { break }
        see(ProbeMarks.read, address, cycle, watched)
        data[d] = data[Int(address)]
        cycle &+= 1
        continue
      case .ldXIncrement:
        let address = word(26)
        guard Self.isMemory(address) else { break }
        see(ProbeMarks.read, address, cycle, watched)
        setWord(26, address &+ 1)
        data[d] = data[Int(address)]
        cycle &+= 1
        continue
      case .lddY:
        let address = word(28) &+ UInt16(k)
        guard Self.isMemory(address) else { break }
        see(ProbeMarks.read, address, cycle, watched)
        data[d] = data[Int(address)]
        cycle &+= 1
        continue
      case .lddZ:
        let address = word(30) &+ UInt16(k)
        guard Self.isMemory(address) else { break }
        see(ProbeMarks.read, address, cycle, watched)
        data[d] = data[Int(address)]
        cycle &+= 1
        continue
      case .ldZIncrement:
        let address = word(30)
        guard Self.isMemory(address) else { break }
        see(ProbeMarks.read, address, cycle, watched)
        setWord(30, address &+ 1)
        data[d] = data[Int(address)]
        cycle &+= 1
        continue

      case .sts:
        let address = UInt16(truncatingIfNeeded: instruction.k)
        guard writes(address) else { break }
        see(ProbeMarks.write, address, cycle, watched)
        data[Int(address)] = data[d]
        pc += 1
        cycle &+= 1
        continue
      case .stX:
        let address = word(26)
        guard writes(address) else { break }
        see(ProbeMarks.write, address, cycle, watched)
        data[Int(address)] = data[d]
        cycle &+= 1
        continue
      case .stXIncrement:
        let address = word(26)
        guard writes(address) else { break }
        see(ProbeMarks.write, address, cycle, watched)
        data[Int(address)] = data[d]
        setWord(26, address &+ 1)
        cycle &+= 1
        continue
      case .stdY:
        let address = word(28) &+ UInt16(k)
        guard writes(address) else { break }
        see(ProbeMarks.write, address, cycle, watched)
        data[Int(address)] = data[d]
        cycle &+= 1
        continue
      case .stdZ:
        let address = word(30) &+ UInt16(k)
        guard writes(address) else { break }
        see(ProbeMarks.write, address, cycle, watched)
        data[Int(address)] = data[d]
        cycle &+= 1
        continue
      case .stZIncrement:
        let address = word(30)
        guard writes(address) else { break }
        see(ProbeMarks.write, address, cycle, watched)
        data[Int(address)] = data[d]
        setWord(30, address &+ 1)
        cycle &+= 1
        continue

      case .push:
        guard sp &- 0x100 < 0x800 else { break }
        see(ProbeMarks.write, sp, cycle, watched)
        data[Int(sp)] = data[d]
        sp &-= 1
        cycle &+= 1
        continue
      case .pop:
        guard sp &- 0xFF < 0x800 else { break }
        sp &+= 1
        see(ProbeMarks.read, sp, cycle, watched)
        data[d] = data[Int(sp)]
        cycle &+= 1
        continue

      case .in:
        guard instruction.k == DataSpace.SREG else { break }
        see(ProbeMarks.read, UInt16(DataSpace.SREG), cycle, watched)
        data[d] = status.value
        continue
      case .out:
        // Setting I works like SEI; clearing it changes no deadline.
        guard instruction.k == DataSpace.SREG,
          data[d] & ~status.value & StatusRegister.I == 0
        else { break }
        see(ProbeMarks.write, UInt16(DataSpace.SREG), cycle, watched)
        status = LazyStatus(data[d])
        continue

      case .reti, .sbic, .sbis, .sbi, .cbi, .ldXDecrement, .ldYIncrement, .ldYDecrement,
        .ldZDecrement, .stXDecrement, .stYIncrement, .stYDecrement, .stZDecrement, .lpmR0, .lpm,
        .lpmIncrement, .spm, .spmIncrement, .muls, .mulsu, .fmul, .fmuls, .fmulsu, .sleep, .wdr,
        .break, .reserved, .erased, .outside, .entry:
        break
      }

      core.pc = pc - code - 1
      core.cycle = cycle &- 1
      let sreg = status.value
      core.sreg = sreg
      core.sp = sp
      execute(&core, &peripherals)
      pc = code + core.pc
      cycle = core.cycle
      if core.sreg != sreg { status = LazyStatus(core.sreg) }
      sp = core.sp
      deadline = Self.deadline(core, peripherals, target)
    }

    if let branches { mark(previous, pc, branches) }
    core.pc = pc - code
    core.cycle = cycle
    core.sreg = status.value
    core.sp = sp
    return hasStopped
  }

  /// Marks which way an instruction led: to the word behind its first, or elsewhere. Before the
  /// first, `previous` is one less than `code`, whose marks mean nothing.
  @inline(__always)
  private func mark(
    _ previous: UnsafePointer<Instruction>, _ pc: UnsafePointer<Instruction>,
    _ branches: UnsafeMutablePointer<UInt8>
  ) {
    branches[BranchMarks.place(of: previous - code, jumped: pc != previous + 1)] = 1
  }
}

/// Loads and stores that are more than a memory access.
extension Interpreter {
  /// The address that an instruction accesses, and the new value of its pointer.
  func place(
    _ instruction: Instruction
  ) -> (address: UInt16, pointer: Int?, after: UInt16) {
    func through(_ register: Int, before: UInt16 = 0, after: UInt16 = 0) -> (UInt16, Int?, UInt16) {
      let address = word(register) &+ before
      return (address, register, address &+ after)
    }
    let k = UInt16(truncatingIfNeeded: instruction.k)
    switch instruction.operation {
    case .ldX, .stX: return (word(26), nil, 0)
    case .ldXIncrement, .stXIncrement: return through(26, after: 1)
    case .ldXDecrement, .stXDecrement: return through(26, before: 0xFFFF)
    case .ldYIncrement, .stYIncrement: return through(28, after: 1)
    case .ldYDecrement, .stYDecrement: return through(28, before: 0xFFFF)
    case .lddY, .stdY: return (word(28) &+ k, nil, 0)
    case .ldZIncrement, .stZIncrement: return through(30, after: 1)
    case .ldZDecrement, .stZDecrement: return through(30, before: 0xFFFF)
    case .lddZ, .stdZ: return (word(30) &+ k, nil, 0)
    default: return (k, nil, 0)  // IN, OUT, LDS, STS, SBIC, SBIS
    }
  }

  func load(
    _ instruction: Instruction, _ core: inout Core, _ peripherals: inout Peripherals, _ next: Int
  ) {
    let place = place(instruction)
    see(ProbeMarks.read, place.address, core)
    let cycles = instruction.operation.accessCycles
    let last = core.cycle + cycles - 1
    let isReceived = place.address == DataSpace.UDR0 && core.isReceiving
    let hasParityError = isReceived && peripherals.usart.hasParityError
    guard let value = read(place.address, at: last, &core, &peripherals) else { return }
    if let pointer = place.pointer { setWord(pointer, place.after) }
    data[Int(instruction.d)] = value
    if isReceived {
      core.reception = ReceivedByte(
        byte: value, hasParityError: hasParityError, holders: 1 << UInt32(instruction.d))
    }
    core.pass(cycles, to: next)
    core.pass(UInt64(peripherals.takeStall()), to: next)
  }

  func store(
    _ instruction: Instruction, _ core: inout Core, _ peripherals: inout Peripherals, _ next: Int
  ) {
    let place = place(instruction)
    see(ProbeMarks.write, place.address, core)
    let value = data[Int(instruction.d)]
    let couldInterrupt = core.sreg & StatusRegister.I != 0
    let cycles = instruction.operation.accessCycles
    let end = core.cycle + cycles
    guard write(value, to: place.address, at: end, &core, &peripherals) else { return }
    if let pointer = place.pointer { setWord(pointer, place.after) }
    core.pass(cycles, to: next)
    core.pass(UInt64(peripherals.takeStall()), to: next)
    if !couldInterrupt && core.sreg & StatusRegister.I != 0 { core.interruptsFrom = core.cycle + 1 }
  }

  private func read(
    _ address: UInt16, at cycle: UInt64, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> UInt8? {
    switch Int(address) {
    case DataSpace.SREG, DataSpace.SPL, DataSpace.SPH: return core[data: address]
    case DataSpace.io:
      return peripherals.read(address, at: cycle, pc: core.byteAddress)
    case DataSpace.registers, DataSpace.sram: return data[Int(address)]
    default:
      core.fail(.data(address))
      return nil
    }
  }

  private func write(
    _ value: UInt8, to address: UInt16, at cycle: UInt64, _ core: inout Core,
    _ peripherals: inout Peripherals
  ) -> Bool {
    switch Int(address) {
    case DataSpace.SREG: core.sreg = value
    case DataSpace.SPL: core.sp = core.sp & 0xFF00 | UInt16(value)
    case DataSpace.SPH:
      core.sp = core.sp & 0x00FF | UInt16(value & peripherals.part.stackHighBits) << 8
    case DataSpace.io:
      peripherals.write(value, to: address, at: cycle, pc: core.byteAddress)
    case DataSpace.registers: data[Int(address)] = value
    case DataSpace.sram:
      guard address <= peripherals.part.sramEnd else {
        core.fail(.data(address))
        return false
      }
      data[Int(address)] = value
      if access[Int(address)] & DataSpace.specialWrite != 0 {
        peripherals.events.append(
          TimedChipEvent(cycle: core.cycle, event: .stored(value, at: address)))
      }
    default:
      core.fail(.data(address))
      return false
    }
    return true
  }
}
