/// What a debugger changes from outside the program.
package enum ChipChange: Hashable, Sendable {
  /// Bytes of the data space: registers, I/O registers as a store would write them, SRAM.
  case data(UInt16, [UInt8])
  /// Bytes of the flash, from a byte address on.
  case flash(UInt16, [UInt8])
  case eeprom(UInt16, [UInt8])
  /// The byte address of the next instruction.
  case programCounter(UInt16)
  case stackPointer(UInt16)
  case statusRegister(UInt8)
}

/// An access of the program to the data space.
package struct DataAccess: Hashable, Sendable {
  package var address: UInt16
  package var isWrite: Bool
}

// What a debugger sees and changes. Seeing changes nothing.
extension ATmega328P {
  /// What the chip does next.
  package enum NextAction: Hashable, Sendable {
    case instruction, interrupt, sleep, nothing
  }

  /// Does what precedes the next instruction or interrupt: events that are due, and a reset.
  package mutating func settle() {
    guard core.fault == nil else { return }
    peripherals.advance(to: core.cycle)
    while let cause = peripherals.takePendingReset() { reset(cause) }
  }

  /// What the chip does next, once it is settled.
  package var nextAction: NextAction {
    if core.fault != nil { return .nothing }
    let canInterrupt = core.sreg & StatusRegister.I != 0 && peripherals.isInterruptPending
    if core.isAsleep { return .sleep }
    return canInterrupt && core.cycle >= core.interruptsFrom ? .interrupt : .instruction
  }

  /// The accesses of what the chip does next, once it is settled, in order, and then the writes of
  /// registers, SP and SREG that change their values.
  package var nextAccesses: [DataAccess] {
    var accesses = addressed
    var after = self
    after.run(until: core.cycle + 1)
    for address in DataSpace.registers where data[address] != after.data[address] {
      accesses.append(DataAccess(address: UInt16(address), isWrite: true))
    }
    for address in [DataSpace.SPL, DataSpace.SPH, DataSpace.SREG].map({ UInt16($0) })
    where core[data: address] != after.core[data: address] {
      accesses.append(DataAccess(address: address, isWrite: true))
    }
    return accesses
  }

  /// The accesses by an address.
  private var addressed: [DataAccess] {
    var accesses: [DataAccess] = []
    func add(_ address: UInt16, isWrite: Bool) {
      accesses.append(DataAccess(address: address, isWrite: isWrite))
    }
    func push(_ count: UInt16) { for index in 0..<count { add(core.sp &- index, isWrite: true) } }
    func pop(_ count: UInt16) { for index in 1...count { add(core.sp &+ index, isWrite: false) } }
    switch nextAction {
    case .interrupt: push(2)
    case .sleep, .nothing: break
    case .instruction:
      let instruction = flash.plain(at: core.pc)
      switch instruction.operation {
      case .push: push(1)
      case .call, .rcall, .icall: push(2)
      case .pop: pop(1)
      case .ret, .reti: pop(2)
      case .in, .lds, .sbic, .sbis, .ldX, .ldXIncrement, .ldXDecrement, .ldYIncrement,
        .ldYDecrement, .lddY, .ldZIncrement, .ldZDecrement, .lddZ:
        add(place(instruction), isWrite: false)
      case .out, .sts, .sbi, .cbi, .stX, .stXIncrement, .stXDecrement, .stYIncrement,
        .stYDecrement, .stdY, .stZIncrement, .stZDecrement, .stdZ:
        add(place(instruction), isWrite: true)
      default: break
      }
    }
    return accesses
  }

  private func place(_ instruction: Instruction) -> UInt16 {
    var copy = self
    var address: UInt16 = 0
    copy.withInterpreter { interpreter, _, _ in address = interpreter.place(instruction).address }
    return address
  }

  // MARK: Memories

  /// The memory of a flash with its decoded instructions, in bytes.
  package static var flashMemory: Int {
    Flash.codeCount * MemoryLayout<Instruction>.stride + Flash.wordCount * 2
  }

  /// Whether both have the same memory for their flash, and not only equal ones.
  package func sharesFlash(with other: ATmega328P) -> Bool {
    flash.words.withUnsafeBufferPointer { own in
      other.flash.words.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress }
    }
  }

  /// The bytes of the data space at these addresses, as the program would read them now; fewer if
  /// there is no memory at some.
  package func bytes(ofData range: Range<UInt16>) -> [UInt8] {
    // The copy's, so that reading an I/O register has no effect here.
    var peripherals = peripherals
    return range.prefix { $0 <= peripherals.part.sramEnd }.map { address in
      switch Int(address) {
      case DataSpace.SREG, DataSpace.SPL, DataSpace.SPH: core[data: address]
      case DataSpace.io: peripherals.read(address, at: core.cycle, pc: core.byteAddress)
      default: data[Int(address)]
      }
    }
  }

  /// The bytes of the flash at these byte addresses; fewer at its end.
  package func bytes(ofFlash range: Range<UInt16>) -> [UInt8] {
    range.prefix { Int($0) < peripherals.part.flashSize }.map { address in
      let word = flash.words[Int(address >> 1)]
      return UInt8(truncatingIfNeeded: address & 1 == 0 ? word : word >> 8)
    }
  }

  /// Makes a change, and forgets a crash. Returns false, and changes nothing, if there is no such
  /// memory or instruction.
  package mutating func make(_ change: ChipChange) -> Bool {
    switch change {
    case .data(let address, let bytes):
      guard Int(address) + bytes.count <= Int(peripherals.part.sramEnd) + 1 else { return false }
      for (index, byte) in bytes.enumerated() { write(byte, to: address + UInt16(index)) }
    case .flash(let address, let bytes):
      guard Int(address) + bytes.count <= peripherals.part.flashSize else { return false }
      flash.program(bytes, at: Int(address))
      if !probe.value.isEmpty { probe.value[0].programmed(flash) }
    case .eeprom(let address, let bytes):
      let end = Int(address) + bytes.count
      guard end <= peripherals.part.eepromSize else { return false }
      eeprom.replaceSubrange(Int(address)..<end, with: bytes)
    case .programCounter(let address):
      guard address & 1 == 0, Int(address) < peripherals.part.flashSize else { return false }
      core.pc = Int(address >> 1)
      if core.isAsleep {
        core.isAsleep = false
        peripherals.wake(at: core.cycle)
      }
    case .stackPointer(let address):
      core.sp = address & (UInt16(peripherals.part.stackHighBits) << 8 | 0xFF)
    case .statusRegister(let value): core.sreg = value
    }
    // The instruction at which it crashed is tried again.
    core.fault = nil
    waiting.value.loop = nil
    return true
  }

  private mutating func write(_ byte: UInt8, to address: UInt16) {
    switch Int(address) {
    case DataSpace.SREG: core.sreg = byte
    case DataSpace.SPL: core.sp = core.sp & 0xFF00 | UInt16(byte)
    case DataSpace.SPH:
      core.sp = core.sp & 0x00FF | UInt16(byte & peripherals.part.stackHighBits) << 8
    case DataSpace.io:
      peripherals.write(byte, to: address, at: core.cycle, pc: core.byteAddress)
      // The debugger's access takes no time.
      _ = peripherals.takeStall()
    default: data[Int(address)] = byte
    }
  }
}
