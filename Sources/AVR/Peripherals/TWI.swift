/// The registers of the two-wire interface, which is not emulated. They store what is written, so
/// that a program reads it back.
struct TWI: Hashable, Sendable {
  var TWBR: UInt8 = 0
  var TWSR: UInt8 = 0xF8
  var TWAR: UInt8 = 0xFE
  var TWDR: UInt8 = 0xFF
  var TWCR: UInt8 = 0
  var TWAMR: UInt8 = 0
}

extension TWI: Peripheral {
  enum Register: UInt8, CaseIterable {
    case TWBR = 0xB8, TWSR, TWAR, TWDR, TWCR, TWAMR
  }

  static let owner = Peripherals.Owner.TWI

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TWBR: chip.TWI.TWBR
    case .TWSR: chip.TWI.TWSR
    case .TWAR: chip.TWI.TWAR
    case .TWDR: chip.TWI.TWDR
    case .TWCR: chip.TWI.TWCR
    case .TWAMR: chip.TWI.TWAMR
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TWBR: chip.TWI.TWBR = value
    case .TWSR: chip.TWI.TWSR = chip.TWI.TWSR & 0xF8 | value & 0b11
    case .TWAR: chip.TWI.TWAR = value
    case .TWDR: chip.TWI.TWDR = value
    case .TWCR:
      if value & 0x04 != 0 { chip.notice("TWCR", at: cycle, pc: pc) }
      chip.TWI.TWCR = value & 0b0111_0101
    case .TWAMR: chip.TWI.TWAMR = value & 0xFE
    }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) { chip.TWI = TWI() }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.stored.TWBR = chip.TWI.TWBR
    snapshot.stored.TWSR = chip.TWI.TWSR
    snapshot.stored.TWAR = chip.TWI.TWAR
    snapshot.stored.TWDR = chip.TWI.TWDR
    snapshot.stored.TWCR = chip.TWI.TWCR
    snapshot.stored.TWAMR = chip.TWI.TWAMR
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    chip.TWI.TWBR = snapshot.stored.TWBR
    chip.TWI.TWSR = snapshot.stored.TWSR
    chip.TWI.TWAR = snapshot.stored.TWAR
    chip.TWI.TWDR = snapshot.stored.TWDR
    chip.TWI.TWCR = snapshot.stored.TWCR
    chip.TWI.TWAMR = snapshot.stored.TWAMR
    return true
  }
}
