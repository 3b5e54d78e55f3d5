import Testing

@testable import AVR

/// An instruction, and what it does to the registers, the memory and the flags.
struct InstructionRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The instruction, and for skips the one after it.
  let words: [UInt16]
  /// Bytes of the data space by their address, and SREG.
  let before: [UInt16: UInt8]
  let statusBefore: UInt8
  let after: [UInt16: UInt8]
  let statusAfter: UInt8
  let stack: (before: UInt16, after: UInt16)
  /// The instruction's word address, and that of the next one.
  let start: Int
  let next: Int
  let cycles: UInt64

  /// The flags stay as they are unless `statusAfter` says otherwise. Without `SP`, the
  /// stack pointer stays at 0x180.
  init(
    _ testDescription: String, _ words: [UInt16], from before: [UInt16: UInt8],
    _ statusBefore: UInt8 = 0, to after: [UInt16: UInt8], _ statusAfter: UInt8? = nil,
    SP stack: (UInt16, UInt16) = (0x180, 0x180), at start: Int = 0, pc next: Int = 1,
    cycles: UInt64 = 1
  ) {
    self.testDescription = testDescription
    self.words = words
    self.before = before
    self.statusBefore = statusBefore
    self.after = after
    self.statusAfter = statusAfter ?? statusBefore
    self.stack = stack
    self.start = start
    self.next = next
    self.cycles = cycles
  }

  /// A chip that executes the instruction next. The other words of its flash are NOP, but for the
  /// byte 0xA0 at 0x80.
  private var chip: ATmega328P {
    var flash = [UInt8](repeating: 0, count: 0x100)
    for (index, word) in words.enumerated() {
      flash[2 * (start + index)] = UInt8(word & 0xFF)
      flash[2 * (start + index) + 1] = UInt8(word >> 8)
    }
    flash[0x80] = 0xA0
    var chip = ATmega328P(flash: [(0, flash)])
    for (address, byte) in before {
      if isRegister(address) {
        chip.peripherals.write(byte, to: address, at: 0, pc: 0)
      } else {
        chip.data[Int(address)] = byte
      }
    }
    chip.core.pc = start
    chip.core.sp = stack.before
    chip.core.sreg = statusBefore
    return chip
  }

  /// Whether a peripheral, rather than the CPU or the SRAM, has the byte at an address.
  private func isRegister(_ address: UInt16) -> Bool { (0x20...0xFF).contains(address) }

  func check() {
    var chip = chip
    chip.run(until: 1)
    #expect(chip.fault == nil)
    #expect(chip.cycle == cycles)
    #expect(chip.programCounter == UInt16(2 * next))
    #expect(chip.statusRegister == statusAfter)
    #expect(chip.stackPointer == stack.after)
    for (address, byte) in after {
      let found =
        isRegister(address)
        ? chip.peripherals.read(address, at: chip.cycle, pc: 0) : chip[data: address]
      #expect(found == byte, "at \(address)")
    }
  }
}
