/// The registers of the analog comparator, which is not emulated. They store what is written, so
/// that a program reads it back; its output ACO is always 0.
struct AnalogComparator: Hashable, Sendable {
  private static let ACD: UInt8 = 0x80
  private static let readsMax: UInt8 = 2

  private(set) var ACSR: UInt8 = 0
  var DIDR1: UInt8 = 0
  /// How often ACSR has been read since the last write, while the comparator was on; at most 2.
  private(set) var reads: UInt8 = 0

  /// Whether the next read is noted. The first can be part of `ACSR |= 1 << ACD`; a second one
  /// without a write in between waits for ACO.
  var notesRead: Bool { ACSR & Self.ACD == 0 && reads < Self.readsMax }

  mutating func write(ACSR value: UInt8) {
    ACSR = value & 0b1100_1111
    reads = 0
  }

  /// Notes a read. Returns whether the program uses ACO.
  mutating func noteRead() -> Bool {
    guard notesRead else { return false }
    reads += 1
    return reads == Self.readsMax
  }

  mutating func restore(ACSR value: UInt8, reads count: UInt8) {
    write(ACSR: value)
    reads = min(count, Self.readsMax)
  }
}

extension AnalogComparator: Peripheral {
  enum Register: UInt8, CaseIterable {
    case ACSR = 0x50
    case DIDR1 = 0x7F
  }

  static let owner = Peripherals.Owner.comparator

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .ACSR: chip.comparator.notesRead ? nil : chip.comparator.ACSR
    case .DIDR1: chip.comparator.DIDR1
    }
  }

  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    switch register {
    case .ACSR:
      if chip.comparator.noteRead() { chip.notice("ACSR", at: cycle, pc: pc) }
      return chip.comparator.ACSR
    case .DIDR1: return chip.comparator.DIDR1
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .ACSR:
      // Enables its interrupt or its input capture on Timer 1.
      if value & 0b1100 != 0 { chip.notice("ACSR", at: cycle, pc: pc) }
      chip.comparator.write(ACSR: value)
    case .DIDR1: chip.comparator.DIDR1 = value & 0b11
    }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.comparator = AnalogComparator()
  }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.stored.ACSR = chip.comparator.ACSR
    snapshot.stored.DIDR1 = chip.comparator.DIDR1
    snapshot.comparatorReads = chip.comparator.reads == 0 ? nil : chip.comparator.reads
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    chip.comparator.restore(
      ACSR: snapshot.stored.ACSR, reads: snapshot.comparatorReads ?? 0)
    chip.comparator.DIDR1 = snapshot.stored.DIDR1
    return true
  }
}
