/// The EEPROM's registers and its 1 024 bytes, of which the smaller parts have only the first 512
/// (data sheet, "EEPROM Data Memory").
struct EEPROM: Hashable, Sendable, Codable {
  private enum Bit {
    static let EERIE: UInt8 = 0x08
    static let EEMPE: UInt8 = 0x04
    static let EEPE: UInt8 = 0x02
    static let EERE: UInt8 = 0x01
    static let EEPM: UInt8 = 0x30
  }
  private struct Programming: Hashable, Sendable, Codable {
    var address: Int
    var data: UInt8
    var mode: UInt8
    var end: UInt64
  }

  static let size = 1024
  /// The time to erase and write, and the time for either alone, in microseconds.
  private static let longest: UInt64 = 3_400
  private static let shorter: UInt64 = 1_800
  /// The memory; erased at first.
  var contents = [UInt8](repeating: 0xFF, count: size)
  private(set) var EEAR: UInt16 = 0
  var EEDR: UInt8 = 0
  /// EEPM1, EEPM0 and EERIE.
  private var settings: UInt8 = 0
  private var programming: Programming?
  /// When EEMPE is cleared; `.max` if it is 0.
  private var windowEnd: UInt64 = .max

  var isProgramming: Bool { programming != nil }
  var deadline: UInt64 { min(windowEnd, programming?.end ?? .max) }
  /// Vector 22, for as long as EEPE is 0.
  var isInterrupting: Bool { settings & Bit.EERIE != 0 && programming == nil }

  var EECR: UInt8 {
    settings | (windowEnd != .max ? Bit.EEMPE : 0) | (programming != nil ? Bit.EEPE : 0)
  }

  mutating func write(EEARL value: UInt8) {
    if programming == nil { EEAR = EEAR & 0x0300 | UInt16(value) }
  }

  mutating func write(EEARH value: UInt8) {
    if programming == nil { EEAR = UInt16(value & 0b11) << 8 | EEAR & 0xFF }
  }

  /// Returns how many cycles the CPU halts. `isAllowed` is false while the flash is being
  /// programmed.
  mutating func write(
    EECR value: UInt8, isAllowed: Bool, at cycle: UInt64, _ rate: ClockRate
  ) -> UInt32 {
    settings = value & Bit.EERIE | (isProgramming ? settings : value) & Bit.EEPM
    var stall: UInt32 = 0
    if value & Bit.EEPE != 0, windowEnd != .max, programming == nil, isAllowed {
      let mode = settings >> 4
      let time = rate.cycles(inMicroseconds: mode == 0 ? Self.longest : Self.shorter)
      programming = Programming(address: Int(EEAR), data: EEDR, mode: mode, end: cycle + time)
      windowEnd = .max
      stall = 2
    } else if value & Bit.EERE != 0, programming == nil {
      EEDR = contents[Int(EEAR) & (Self.size - 1)]
      stall = 4
    }
    if value & Bit.EEMPE != 0, value & Bit.EEPE == 0 { windowEnd = cycle + 5 }
    return stall
  }

  mutating func advance(to cycle: UInt64) {
    if windowEnd <= cycle { windowEnd = .max }
    guard let done = programming, done.end <= cycle else { return }
    programming = nil
    let address = done.address & (Self.size - 1)
    switch done.mode {
    case 0: contents[address] = done.data
    case 1: contents[address] = 0xFF
    case 2: contents[address] &= done.data
    default: break
    }
  }

  /// Resets the registers. The contents are kept, and programming in progress is finished.
  mutating func reset() {
    EEDR = 0
    settings &= Bit.EEPM
    windowEnd = .max
  }
}

extension EEPROM: Peripheral {
  enum Register: UInt8, CaseIterable {
    case EECR = 0x3F, EEDR, EEARL, EEARH
  }

  static let owner = Peripherals.Owner.EEPROM
  static let vectors: UInt32 = 1 << 22

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .EECR: chip.EEPROM.EECR
    case .EEDR: chip.EEPROM.EEDR
    case .EEARL: UInt8(truncatingIfNeeded: chip.EEPROM.EEAR)
    case .EEARH: UInt8(chip.EEPROM.EEAR >> 8)
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .EECR:
      let isAllowed = !chip.selfProgramming.isProgramming
      chip.stall += chip.EEPROM.write(
        EECR: value, isAllowed: isAllowed, at: cycle, chip.rate)
    case .EEDR: chip.EEPROM.EEDR = value
    case .EEARL: chip.EEPROM.write(EEARL: value)
    case .EEARH:
      chip.EEPROM.write(EEARH: value & UInt8((chip.part.eepromSize - 1) >> 8))
    }
  }

  /// SBI and CBI do not write EEMPE and EEPE again if they are set.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8? {
    switch register {
    case .EECR: chip.EEPROM.EECR & ~(Bit.EEMPE | Bit.EEPE | Bit.EERE)
    case .EEDR, .EEARL, .EEARH: nil
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.EEPROM.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    chip.EEPROM.advance(to: cycle)
  }

  /// The interrupt is delayed while the flash is being programmed.
  static func interrupts(_ chip: Peripherals) -> UInt32 {
    chip.EEPROM.isInterrupting && !chip.selfProgramming.isProgramming ? vectors : 0
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) { chip.EEPROM.reset() }
}

extension Peripherals {
  /// Returns how many additional cycles the last access halts the CPU (EEPROM: 4 for a read, 2 for
  /// a write; SPM), and clears that number.
  mutating func takeStall() -> UInt32 {
    defer { stall = 0 }
    return stall
  }
}
