/// The CPU's own state, the registers apart, which are part of the data space.
struct Core: Hashable, Sendable, Saved {
  // Without what is done within the turn in which it comes up.
  private enum CodingKeys: SavedKey {
    case cycle, pc, sp, sreg, interruptsFrom, isAsleep, fault, isReceiving, reception
  }

  /// 140 years: no session that is read from a file comes near it.
  private static let cycleMax: UInt64 = 1 << 56

  /// Clock cycles since power-on.
  var cycle: UInt64 = 0
  /// The word address of the next instruction.
  var pc = 0
  var sp = UInt16(DataSpace.count - 1)
  var sreg: UInt8 = 0
  /// No interrupt is taken before this cycle: after SEI and RETI one more instruction is executed.
  var interruptsFrom: UInt64 = 0
  var isAsleep = false
  var fault: Fault?
  /// The change to the flash that SPM has requested.
  var flashOperation: FlashOperation?
  /// Whether the receive interrupt runs.
  var isReceiving = false
  /// The byte that the receive interrupt has read and has kept nowhere so far.
  var reception: Reception?

  /// Whether a core can be like this: one that was read from a file may not.
  var isPossible: Bool {
    cycle <= Self.cycleMax && interruptsFrom <= cycle + 1 && (0..<Flash.codeCount).contains(pc)
  }

  /// What the hot loop can't deal with.
  var wantsAttention: Bool {
    fault != nil || isAsleep || flashOperation != nil || reception != nil
  }

  var byteAddress: UInt16 { UInt16(truncatingIfNeeded: pc << 1) }

  mutating func reset(at start: Int) {
    let cycle = cycle
    self = Core()
    self.cycle = cycle
    pc = start
  }

  mutating func pass(_ cycles: UInt64, to next: Int) {
    cycle += cycles
    pc = next
  }

  /// So many iterations of a loop have passed.
  mutating func skip(_ count: UInt64, of loop: PollLoop) {
    cycle += count * loop.period
    if let offset = loop.interruptsFrom { interruptsFrom = cycle - loop.period + offset }
  }

  mutating func enableInterrupts() { sreg |= StatusRegister.I }

  mutating func fail(_ cause: Fault.Cause) {
    fault = Fault(cause: cause, address: byteAddress, cycle: cycle)
  }

  /// Where RET and RETI lead; nil, and a fault, where that is nowhere.
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

  /// Enters an interrupt at a word address: 4 cycles ("Interrupt Response Time").
  mutating func interrupt(_ data: UnsafeMutablePointer<UInt8>, to vector: Int) {
    guard sp &- 0x101 < 0x7FF else { return fail(.stack(sp)) }
    data[Int(sp)] = UInt8(truncatingIfNeeded: pc)
    data[Int(sp) - 1] = UInt8(truncatingIfNeeded: pc >> 8)
    sp &-= 2
    sreg &= ~StatusRegister.I
    pass(4, to: vector)
  }
}
