/// The state of the CPU, except for its registers, which are part of the data space.
struct Core: Hashable, Sendable, Codable {
  /// Clock cycles since power-on.
  var cycle: UInt64 = 0
  /// The word address of the next instruction.
  var pc = 0
  var sp = UInt16(DataSpace.count - 1)
  var sreg: UInt8 = 0
  /// No interrupt is taken before this cycle: SEI and RETI are followed by one more instruction.
  var interruptsFrom: UInt64 = 0
  var isAsleep = false
  var fault: Fault?
  /// The change to the flash requested by SPM.
  var flashOperation: FlashOperation?
  /// Whether the receive interrupt is running.
  var isReceiving = false
  /// A byte that the receive interrupt has read but not stored yet.
  var reception: ReceivedByte?

  /// Whether something must be handled outside the hot loop.
  var wantsAttention: Bool {
    fault != nil || isAsleep || flashOperation != nil || reception != nil
  }

  /// The value of SP or SREG, by its address in the data space; 0 at any other.
  subscript(data address: UInt16) -> UInt8 {
    switch Int(address) {
    case DataSpace.SREG: sreg
    case DataSpace.SPL: UInt8(truncatingIfNeeded: sp)
    case DataSpace.SPH: UInt8(truncatingIfNeeded: sp >> 8)
    default: 0
    }
  }

  var byteAddress: UInt16 { UInt16(truncatingIfNeeded: pc << 1) }

  mutating func reset(at start: Int, stack: UInt16) {
    let cycle = cycle
    self = Core()
    self.cycle = cycle
    sp = stack
    pc = start
  }

  mutating func pass(_ cycles: UInt64, to next: Int) {
    cycle += cycles
    pc = next
  }

  /// Advances the time by this many iterations of a loop.
  mutating func skip(_ count: UInt64, of loop: PollLoop) {
    cycle += count * loop.period
    if let offset = loop.interruptsFrom { interruptsFrom = cycle - loop.period + offset }
  }

  mutating func enableInterrupts() { sreg |= StatusRegister.I }

  mutating func fail(_ cause: Fault.Cause) {
    fault = Fault(cause: cause, address: byteAddress, cycle: cycle)
  }

  /// Reads the target of RET or RETI from the stack. Sets a fault and returns nil if it is invalid.
  mutating func returnAddress(_ data: UnsafeMutablePointer<UInt8>) -> Int? {
    guard sp &- 0xFF < 0x7FF else {
      fail(.stack(sp &+ 1))
      return nil
    }
    let back = Int(data[Int(sp) + 1]) << 8 | Int(data[Int(sp) + 2])
    guard back < Flash.wordCount else {
      fail(.jumpOutside(UInt32(back) << 1))
      return nil
    }
    return back
  }

  /// Enters an interrupt at a word address, which takes 4 cycles ("Interrupt Response Time").
  mutating func interrupt(_ data: UnsafeMutablePointer<UInt8>, to vector: Int) {
    guard sp &- 0x101 < 0x7FF else { return fail(.stack(sp)) }
    data[Int(sp)] = UInt8(truncatingIfNeeded: pc)
    data[Int(sp) - 1] = UInt8(truncatingIfNeeded: pc >> 8)
    sp &-= 2
    sreg &= ~StatusRegister.I
    pass(4, to: vector)
  }
}
