/// SPMCSR and the temporary page buffer (data sheet, "Boot Loader Support").
///
/// The fuses are an Uno's: low 0xFF, high 0xDE, extended 0xFD.
struct SelfProgramming: Hashable, Sendable, Codable {
  private enum Bit {
    static let SPMIE: UInt8 = 0x80
    static let RWWSB: UInt8 = 0x40
    static let SIGRD: UInt8 = 0x20
    static let RWWSRE: UInt8 = 0x10
    static let BLBSET: UInt8 = 0x08
    static let PGWRT: UInt8 = 0x04
    static let PGERS: UInt8 = 0x02
    static let SPMEN: UInt8 = 0x01
  }
  /// How long erasing or writing a page takes, in microseconds: the maximum in the data sheet.
  private static let programmingTime: UInt64 = 4_500

  private var isInterruptEnabled = false
  private var isSectionBusy = false
  /// The lower six bits with SPMEN, until the selected operation is complete or four cycles have
  /// passed.
  private var operation: UInt8 = 0
  private(set) var isProgramming = false
  private(set) var deadline: UInt64 = .max
  /// Nil for a word that has not been loaded. One that has cannot be loaded again.
  private var buffer = [UInt16?](repeating: nil, count: Flash.pageWords)
  private var lockBits: UInt8 = 0xFF

  /// Vector 25, for as long as SPMEN is 0.
  var isInterrupting: Bool { isInterruptEnabled && operation == 0 }

  var SPMCSR: UInt8 {
    (isInterruptEnabled ? Bit.SPMIE : 0) | (isSectionBusy ? Bit.RWWSB : 0) | operation
  }

  /// Whether LPM reads the fuses, lock bits or signature row.
  var overridesProgramMemory: Bool {
    operation == Bit.BLBSET | Bit.SPMEN || operation == Bit.SIGRD | Bit.SPMEN
  }

  mutating func write(SPMCSR value: UInt8, at cycle: UInt64) {
    isInterruptEnabled = value & Bit.SPMIE != 0
    guard !isProgramming else { return }
    operation = value & 0b0011_1111
    if operation & Bit.SPMEN == 0 { operation = 0 }
    deadline = operation == 0 ? .max : cycle + 5
  }

  /// Executes SPM. Returns the change to the flash, and how many cycles the CPU halts.
  mutating func store(
    z: UInt16, word: UInt16, at cycle: UInt64, _ part: EmulatedPart, _ rate: ClockRate
  ) -> (FlashOperation?, UInt32) {
    guard !isProgramming else { return (nil, 0) }
    let page = (z >> 1) & UInt16(part.flashSize / 2 - Flash.pageWords)
    switch operation & ~Bit.SPMEN {
    case 0 where operation != 0:
      let index = Int((z >> 1) & 0x3F)
      buffer[index] = buffer[index] ?? word
      isSectionBusy = false
      finish()
      return (nil, 0)
    case Bit.PGERS:
      return (.erase(page: page), program(z: z, at: cycle, part, rate))
    case Bit.PGWRT:
      let words = buffer.map { $0 ?? 0xFFFF }
      let stall = program(z: z, at: cycle, part, rate)
      eraseBuffer()
      return (.write(page: page, words: words), stall)
    case Bit.BLBSET:
      // A 0 in bits 5...0 of R0 programs a lock bit.
      lockBits &= UInt8(truncatingIfNeeded: word) | 0b1100_0000
      finish()
      return (nil, 0)
    case Bit.RWWSRE:
      isSectionBusy = false
      eraseBuffer()
      finish()
      return (nil, 0)
    default:
      return (nil, 0)
    }
  }

  /// Executes LPM while `overridesProgramMemory`. Returns nil if the flash must be read after all.
  mutating func load(z: UInt16, OSCCAL: UInt8, _ part: EmulatedPart) -> UInt8? {
    let isSignature = operation & Bit.SIGRD != 0
    guard overridesProgramMemory else { return nil }
    finish()
    return switch (isSignature, z) {
    case (true, 0): 0x1E
    case (true, 2): part.signature.0
    case (true, 4): part.signature.1
    case (true, 1): OSCCAL
    case (false, 0): 0xFF
    case (false, 1): lockBits
    case (false, 2): 0xFD
    case (false, 3): 0xDE
    default: 0xFF
    }
  }

  /// Whether the buffer is that of a page; it may not be in a file.
  var isWhole: Bool { buffer.count == Flash.pageWords }

  /// Cancels the operation in progress. The lock bits are kept.
  mutating func reset() {
    let lockBits = lockBits
    self = SelfProgramming()
    self.lockBits = lockBits
  }

  private mutating func program(
    z: UInt16, at cycle: UInt64, _ part: EmulatedPart, _ rate: ClockRate
  ) -> UInt32 {
    let time = rate.cycles(inMicroseconds: Self.programmingTime)
    isProgramming = true
    deadline = cycle + time
    if Int(z) < part.bootSectionStart {
      isSectionBusy = true
      return 0
    }
    return UInt32(time)
  }

  /// Ends the operation: SPM executed it, four cycles passed without SPM, or a page is complete.
  fileprivate mutating func finish() {
    operation = 0
    isProgramming = false
    deadline = .max
  }

  private mutating func eraseBuffer() {
    buffer = Array(repeating: nil, count: Flash.pageWords)
  }
}

extension SelfProgramming: Peripheral {
  enum Register: UInt8, CaseIterable {
    case SPMCSR = 0x57
  }

  static let owner = Peripherals.Owner.selfProgramming
  static let vectors: UInt32 = 1 << 25

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .SPMCSR: chip.selfProgramming.SPMCSR
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .SPMCSR:
      // Ignored while the EEPROM is being written.
      if !chip.EEPROM.isProgramming { chip.selfProgramming.write(SPMCSR: value, at: cycle) }
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.selfProgramming.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    chip.selfProgramming.finish()
    chip.update(EEPROM.self)
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 {
    chip.selfProgramming.isInterrupting ? vectors : 0
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) { chip.selfProgramming.reset() }
}

extension Peripherals {
  /// Executes SPM with Z and R1:R0. Returns the change to the flash, if any, for the CPU to make.
  mutating func storeProgramMemory(
    z: UInt16, word: UInt16, at cycle: UInt64, pc: UInt16
  ) -> FlashOperation? {
    advance(to: cycle)
    guard Int(pc) >= part.bootSectionStart else {
      notice("SPM outside the boot section", at: cycle, pc: pc)
      return nil
    }
    let (operation, halted) = selfProgramming.store(z: z, word: word, at: cycle, part, rate)
    stall += halted
    update(SelfProgramming.self)
    update(AVR.EEPROM.self)
    return operation
  }

  /// Executes LPM while `overridesProgramMemory`. Returns nil if the flash must be read after all.
  mutating func loadProgramMemoryOverride(z: UInt16, at cycle: UInt64) -> UInt8? {
    advance(to: cycle)
    defer { update(SelfProgramming.self) }
    return selfProgramming.load(z: z, OSCCAL: system.OSCCAL, part)
  }
}

/// A change that SPM makes to the flash. Addresses are word addresses and begin a 64-word page.
enum FlashOperation: Hashable, Sendable, Codable {
  case erase(page: UInt16)
  /// Programs the words into erased flash: bits only change from 1 to 0.
  case write(page: UInt16, words: [UInt16])
}
