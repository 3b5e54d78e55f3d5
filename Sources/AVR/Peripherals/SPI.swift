/// The registers of the serial peripheral interface, which is not emulated. They store what is
/// written, so that a program reads it back.
struct SPI: Hashable, Sendable {
  var SPCR: UInt8 = 0
  var SPSR: UInt8 = 0
  var SPDR: UInt8 = 0
}

extension SPI: Peripheral {
  enum Register: UInt8, CaseIterable {
    case SPCR = 0x4C, SPSR, SPDR
  }

  static let owner = Peripherals.Owner.SPI

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .SPCR: chip.SPI.SPCR
    case .SPSR: chip.SPI.SPSR
    case .SPDR: chip.SPI.SPDR
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .SPCR:
      if value & 0x40 != 0 { chip.notice("SPCR", at: cycle, pc: pc) }
      chip.SPI.SPCR = value
    case .SPSR: chip.SPI.SPSR = chip.SPI.SPSR & 0xC0 | value & 1
    case .SPDR: chip.SPI.SPDR = value
    }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) { chip.SPI = SPI() }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.stored.SPCR = chip.SPI.SPCR
    snapshot.stored.SPSR = chip.SPI.SPSR
    snapshot.stored.SPDR = chip.SPI.SPDR
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    chip.SPI.SPCR = snapshot.stored.SPCR
    chip.SPI.SPSR = snapshot.stored.SPSR
    chip.SPI.SPDR = snapshot.stored.SPDR
    return true
  }
}
