/// The registers of the analog comparator, which is not emulated. They store what is written, so
/// that a program reads it back.
struct AnalogComparator: Hashable, Sendable {
  var ACSR: UInt8 = 0
  var DIDR1: UInt8 = 0
}

extension AnalogComparator: Peripheral {
  enum Register: UInt8, CaseIterable {
    case ACSR = 0x50
    case DIDR1 = 0x7F
  }

  static let owner = Peripherals.Owner.comparator

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .ACSR: chip.comparator.ACSR
    case .DIDR1: chip.comparator.DIDR1
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .ACSR:
      // Enables its interrupt or its input capture on Timer 1.
      if value & 0b1100 != 0 { chip.notice("ACSR", at: cycle, pc: pc) }
      chip.comparator.ACSR = value & 0b1100_1111
    case .DIDR1: chip.comparator.DIDR1 = value & 0b11
    }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.comparator = AnalogComparator()
  }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.stored.ACSR = chip.comparator.ACSR
    snapshot.stored.DIDR1 = chip.comparator.DIDR1
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    chip.comparator.ACSR = snapshot.stored.ACSR
    chip.comparator.DIDR1 = snapshot.stored.DIDR1
    return true
  }
}
