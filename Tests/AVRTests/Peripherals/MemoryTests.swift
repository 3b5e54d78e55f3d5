import Testing

@testable import AVR

@Suite("EEPROM and self-programming")
struct MemoryTests {
  func store(
    _ chip: inout Peripherals, _ byte: UInt8, in address: UInt16, mode: UInt8 = 0,
    at cycle: UInt64
  ) {
    chip.write(.EEARH, UInt8(address >> 8), at: cycle)
    chip.write(.EEARL, UInt8(address & 0xFF), at: cycle)
    chip.write(.EEDR, byte, at: cycle)
    chip.write(.EECR, mode << 4, at: cycle)
    chip.set(.EECR, bit: 2, at: cycle + 1)
    chip.set(.EECR, bit: 1, at: cycle + 3)
  }

  @Test(arguments: [
    (UInt8(0), UInt64(54_400), UInt8(0x3C)), (1, 28_800, 0xFF), (2, 28_800, 0x30),
  ])
  func `Writing a byte takes 3.4 ms, and erasing or writing alone takes 1.8 ms`(
    mode: UInt8, cycles: UInt64, expected: UInt8
  ) {
    var chip = Peripherals()
    chip.EEPROM.contents[0x234] = 0xF0
    store(&chip, 0x3C, in: 0x234, mode: mode, at: 100)
    #expect(chip.takeStall() == 2)
    #expect(chip.takeStall() == 0)
    chip.write(.EEARL, 0, at: 200)
    #expect(chip.read(.EECR, at: 103 + cycles - 1) == mode << 4 | 2)
    #expect(chip.read(.EECR, at: 103 + cycles) == mode << 4)
    chip.set(.EECR, bit: 0, at: 200_000)
    #expect(chip.takeStall() == 4)
    #expect(chip.read(.EEDR, at: 200_004) == expected)
    #expect(chip.EEPROM.contents[0x234] == expected)
  }

  @Test func `Writing a byte takes 3.4 ms at any clock`() throws {
    var chip = Peripherals(.atmega328p, try #require(ClockRate(hertz: 8_000_000)))
    store(&chip, 0x3C, in: 0x234, at: 100)
    #expect(chip.read(.EECR, at: 103 + 27_200 - 1) == 2)
    #expect(chip.read(.EECR, at: 103 + 27_200) == 0)
  }

  @Test func `An ATmega168 has 512 bytes of EEPROM`() {
    var chip = Peripherals(.atmega168)
    store(&chip, 0x3C, in: 0x234, at: 100)
    #expect(chip.read(.EEARH, at: 200) == 0)
    chip.advance(to: 60_000)
    #expect(chip.EEPROM.contents[0x34] == 0x3C)
  }

  @Test func `EEPE takes effect only within four cycles of EEMPE`() {
    var chip = Peripherals()
    chip.set(.EECR, bit: 1, at: 0)
    #expect(chip.read(.EECR, at: 1) == 0)
    chip.set(.EECR, bit: 2, at: 10)
    #expect(chip.read(.EECR, at: 14) == 4)
    #expect(chip.read(.EECR, at: 15) == 0)
    chip.set(.EECR, bit: 1, at: 15)
    #expect(chip.takeStall() == 0)
    chip.set(.EECR, bit: 2, at: 20)
    chip.set(.EECR, bit: 1, at: 24)
    #expect(chip.takeStall() == 2)
  }

  @Test func `EERIE interrupts while no write runs, and a reset lets a write finish`() {
    var chip = Peripherals()
    chip.write(.EECR, 0x08)
    #expect(chip.pendingVector() == 22)
    store(&chip, 0x55, in: 7, at: 10)
    chip.write(.EECR, 0x08, at: 20)
    #expect(chip.pendingVector() == nil)
    chip.reset(.external, at: 1000)
    #expect(chip.read(.EECR, at: 1001) == 2)
    chip.advance(to: 60_000)
    #expect(chip.EEPROM.contents[7] == 0x55)
    #expect(chip.read(.EECR, at: 60_001) == 0)
  }

  static let pc: UInt16 = 0x7F00

  /// Writes SPMCSR and executes SPM, as boot loaders do.
  func program(
    _ chip: inout Peripherals, _ command: UInt8, z: UInt16, word: UInt16 = 0, at cycle: UInt64
  ) -> FlashOperation? {
    chip.write(.SPMCSR, command, at: cycle)
    return chip.storeProgramMemory(z: z, word: word, at: cycle + 2, pc: Self.pc)
  }

  @Test func `A page can be erased, filled and written, and its section enabled again`() {
    var chip = Peripherals()
    #expect(program(&chip, 0x03, z: 0x0180, at: 100) == .erase(page: 0xC0))
    #expect(chip.takeStall() == 0)
    #expect(chip.read(.SPMCSR, at: 200) == 0x43)
    #expect(program(&chip, 0x05, z: 0x0180, at: 300) == nil, "busy")
    #expect(chip.read(.SPMCSR, at: 102 + 72_000) == 0x40)
    var cycle: UInt64 = 80_000
    for index in UInt16(0)..<63 {
      #expect(program(&chip, 0x01, z: 0x0180 + 2 * index, word: 0x1000 + index, at: cycle) == nil)
      cycle += 20
    }
    // A word can be loaded only once.
    #expect(program(&chip, 0x01, z: 0x0180, word: 0xDEAD, at: cycle) == nil)
    #expect(chip.read(.SPMCSR, at: cycle + 3) == 0)
    let words = (UInt16(0)..<63).map { 0x1000 + $0 } + [0xFFFF]
    #expect(program(&chip, 0x05, z: 0x0180, at: 90_000) == .write(page: 0xC0, words: words))
    #expect(chip.read(.SPMCSR, at: 90_002 + 72_000) == 0x40)
    #expect(program(&chip, 0x11, z: 0, at: 170_000) == nil)
    #expect(chip.read(.SPMCSR, at: 170_010) == 0)
    // The write erased the buffer.
    let empty = [UInt16](repeating: 0xFFFF, count: 64)
    #expect(program(&chip, 0x05, z: 0, at: 180_000) == .write(page: 0, words: empty))
  }

  @Test func `Programming the no-read-while-write section halts the CPU`() {
    var chip = Peripherals()
    #expect(program(&chip, 0x03, z: 0x7000, at: 0) == .erase(page: 0x3800))
    #expect(chip.takeStall() == 72_000)
    #expect(chip.read(.SPMCSR, at: 72_002) == 0)
  }

  @Test func `SPM works only within four cycles and from a boot section`() {
    var chip = Peripherals()
    chip.write(.SPMCSR, 0x03, at: 0)
    #expect(chip.storeProgramMemory(z: 0, word: 0, at: 5, pc: Self.pc) == nil)
    #expect(chip.read(.SPMCSR, at: 6) == 0)
    chip.write(.SPMCSR, 0x03, at: 10)
    #expect(chip.storeProgramMemory(z: 0, word: 0, at: 14, pc: 0x6FFE) == nil)
    #expect(chip.notices == ["SPM outside the boot section"])
  }

  @Test func `SPMIE interrupts while SPMEN is 0`() {
    var chip = Peripherals()
    chip.write(.SPMCSR, 0x80)
    #expect(chip.pendingVector() == 25)
    #expect(program(&chip, 0x83, z: 0, at: 10) == .erase(page: 0))
    #expect(chip.pendingVector() == nil)
    #expect(chip.interrupt(after: 20, by: 100_000) == Interrupt(cycle: 72_012, vector: 25))
  }

  @Test(arguments: [
    (UInt8(0x21), UInt16(0), UInt8(0x1E)), (0x21, 2, 0x95), (0x21, 4, 0x0F), (0x09, 0, 0xFF),
    (0x09, 1, 0xFF), (0x09, 2, 0xFD), (0x09, 3, 0xDE),
  ])
  func `LPM reads the signature, fuses and lock bits`(command: UInt8, z: UInt16, byte: UInt8) {
    var chip = Peripherals()
    #expect(!chip.selfProgramming.overridesProgramMemory)
    chip.write(.SPMCSR, command, at: 0)
    #expect(chip.selfProgramming.overridesProgramMemory)
    #expect(chip.loadProgramMemoryOverride(z: z, at: 2) == byte)
    #expect(!chip.selfProgramming.overridesProgramMemory)
    chip.write(.SPMCSR, command, at: 10)
    #expect(chip.loadProgramMemoryOverride(z: z, at: 15) == nil, "a cycle too late")
  }
}
