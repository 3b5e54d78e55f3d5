@testable import AVR

/// The emulated chip and simavr's CPU, instruction by instruction.
///
/// What the two cannot share is fed from the chip into simavr: the values that the program reads
/// from I/O registers, and the instants of interrupts and wake-ups. Everything else must be equal
/// after each instruction.
struct Lockstep: ~Copyable {
  /// The number of instructions between comparisons of the whole SRAM.
  private static let instructionsPerComparison = 1024

  private(set) var chip: ATmega328P
  let simavr: Simavr
  private(set) var instructions = 0
  private(set) var interrupts = 0
  /// How often simavr was corrected.
  private(set) var corrections = 0
  /// Whether the last instruction set I.
  private var hasJustEnabled = false
  /// The source of the values that the program reads from I/O registers, as they were before the
  /// instruction.
  private let before: Before

  private final class Before {
    var peripherals = Peripherals()
    var cycle: UInt64 = 0
    var pc: UInt16 = 0
  }

  init(_ chip: ATmega328P) throws(SimavrLibrary.Unavailable) {
    self.chip = chip
    self.chip.skipsWaiting = false
    simavr = try Simavr()
    before = Before()
    for (address, word) in chip.flash.words.enumerated() {
      simavr.program(word, at: UInt16(address))
    }
    simavr.load(chip.data)
    let before = before
    simavr.source.read = { address in
      before.peripherals.advance(to: before.cycle)
      return before.peripherals.read(address, at: before.cycle, pc: before.pc)
    }
  }

  /// Puts words into both flashes. Words past the end are left out.
  mutating func program(_ words: [UInt16], at address: Int) {
    var bytes: [UInt8] = []
    for (offset, word) in words.enumerated() where address + offset < Flash.wordCount {
      bytes += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
      simavr.program(word, at: UInt16(address + offset))
    }
    chip.flash.program(bytes, at: 2 * address)
  }

  /// Gives both the same registers and SRAM.
  mutating func load(_ data: [UInt8]) {
    chip.data = data
    simavr.load(data)
  }

  /// Applies an external event to the chip alone. simavr receives only what the program reads
  /// because of it.
  mutating func tellChip(_ change: (inout ATmega328P) -> Void) { change(&chip) }

  /// Executes one instruction, enters an interrupt, or sleeps until an event or `limit`.
  mutating func step(notBeyond limit: UInt64 = .max) throws(Divergence) {
    let core = chip.core
    before.peripherals = chip.peripherals
    // The chip reads at the beginning of the last cycle; simavr has no such distinction.
    let operation = chip.flash.code[core.pc].operation
    before.cycle = core.cycle + operation.accessCycles - 1
    before.pc = core.byteAddress
    let staysAsleep = core.isAsleep && !chip.peripherals.isInterruptPending
    let event = staysAsleep ? min(limit, chip.peripherals.nextEvent) : 0
    chip.run(until: max(core.cycle + 1, event))
    if chip.peripherals.events.count > 256 { _ = chip.takeEvents() }

    if let fault = chip.fault { throw divergence("the chip is at fault: \(fault.cause)", core) }
    if core.isAsleep && chip.core.sp == core.sp {
      // "Sleep Modes": four cycles from the interrupt that wakes it to the interrupt's own.
      if !chip.isAsleep && chip.cycle - core.cycle != 4 {
        throw divergence("waking up takes 4 cycles", core)
      }
      return
    }
    let isInterrupt =
      core.sreg & ~chip.core.sreg & StatusRegister.I != 0 && chip.core.sp == core.sp &- 2
    if isInterrupt {
      interrupts += 1
      // "Interrupt Response Time": four cycles. simavr takes none.
      if chip.cycle - core.cycle != 4 { throw divergence("an interrupt takes 4 cycles", core) }
      // "Reset and Interrupt Handling": one instruction is executed after SEI and RETI.
      if hasJustEnabled { throw divergence("an interrupt came too early", core) }
      simavr.interrupt(to: chip.programCounter, at: chip.cycle)
    } else {
      instructions += 1
      simavr.step()
      correctSkip(core)
    }
    hasJustEnabled = chip.core.sreg & ~core.sreg & StatusRegister.I != 0
    guard simavr.agrees(with: chip) else { throw divergence("the two disagree", core) }
    if instructions % Self.instructionsPerComparison == 0 { try compareSRAM() }
  }

  /// simavr 1.6 mistakes an ADIW or SBIW whose constant ends in 0xC...0xF for a JMP or CALL when it
  /// skips one, and skips two words. The instruction set manual gives both one word ("ADIW",
  /// "SBIW"), and two cycles for a skip over one word ("SBRC" and similar).
  private mutating func correctSkip(_ core: Core) {
    switch chip.flash.code[core.pc].operation {
    case .cpse, .sbrc, .sbrs, .sbic, .sbis: break
    default: return
    }
    let skipped = chip.flash.words[core.pc + 1]
    let state = simavr.state
    guard skipped & 0xFE0C == 0x960C, chip.core.pc == core.pc + 2,
      state.pc == chip.programCounter + 2, state.cycle == chip.cycle + 1
    else { return }
    corrections += 1
    simavr.correct(to: chip.programCounter, at: chip.cycle)
  }

  func compareSRAM() throws(Divergence) {
    guard let address = simavr.firstDifference(inSRAMOf: chip) else { return }
    throw divergence("SRAM differs at \(Hex.address(UInt32(address)))", chip.core)
  }

  private func divergence(_ reason: String, _ core: Core) -> Divergence {
    Divergence(
      reason: reason, instruction: chip.flash.code[core.pc],
      next: chip.flash.words[(core.pc + 1) % Flash.wordCount], before: core, chip: chip,
      simavr: simavr.state, count: instructions)
  }
}
