/// Loads and stores that are more than a memory access.
extension Interpreter {
  /// The address that an instruction accesses, and the new value of its pointer.
  private func place(
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
    default: return (k, nil, 0)  // IN, OUT, LDS, STS
    }
  }

  func load(
    _ instruction: Instruction, _ core: inout Core, _ peripherals: inout Peripherals, _ next: Int
  ) {
    let place = place(instruction)
    let cycles = instruction.operation.accessCycles
    let last = core.cycle + cycles - 1
    guard let value = read(place.address, at: last, &core, &peripherals) else { return }
    if let pointer = place.pointer { setWord(pointer, place.after) }
    data[Int(instruction.d)] = value
    if place.address == DataSpace.UDR0 && core.isReceiving {
      core.reception = ReceivedByte(byte: value, holders: 1 << UInt32(instruction.d))
    }
    core.pass(cycles, to: next)
    core.pass(UInt64(peripherals.takeStall()), to: next)
  }

  func store(
    _ instruction: Instruction, _ core: inout Core, _ peripherals: inout Peripherals, _ next: Int
  ) {
    let place = place(instruction)
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
    case DataSpace.SREG: return core.sreg
    case DataSpace.SPL: return UInt8(truncatingIfNeeded: core.sp)
    case DataSpace.SPH: return UInt8(truncatingIfNeeded: core.sp >> 8)
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
      if access[Int(address)] & DataSpace.Access.specialWrite.rawValue != 0 {
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
