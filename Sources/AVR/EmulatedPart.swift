/// A part that can be emulated. The parts differ only in their memories, their signatures and the
/// power that sleep saves (data sheet, "Comparison Between Processors").
package enum EmulatedPart: String, CaseIterable, Hashable, Sendable, Codable {
  case atmega328p, atmega328, atmega168p, atmega168

  /// The name in the data sheet.
  package var name: String { Part(name: rawValue).readableName }

  private var isSmall: Bool { self == .atmega168 || self == .atmega168p }

  /// In bytes.
  package var flashSize: Int { isSmall ? 0x4000 : 0x8000 }
  /// In bytes.
  package var eepromSize: Int { isSmall ? 0x200 : 0x400 }
  /// In bytes.
  package var sramSize: Int { isSmall ? 0x400 : 0x800 }
  /// The last address of the SRAM.
  package var sramEnd: UInt16 { UInt16(DataSpace.sram.lowerBound + sramSize - 1) }

  /// The bits of SPH: an ATmega168 has only those that its SRAM needs.
  var stackHighBits: UInt8 { isSmall ? 0x07 : 0xFF }

  /// The start of the largest possible boot section, which is also that of the part of the flash
  /// whose programming halts the CPU, in bytes.
  package var bootSectionStart: Int { isSmall ? 0x3800 : 0x7000 }

  /// The second and third byte of the signature; the first is 0x1E.
  var signature: (UInt8, UInt8) {
    switch self {
    case .atmega328p: (0x95, 0x0F)
    case .atmega328: (0x95, 0x14)
    case .atmega168p: (0x94, 0x0B)
    case .atmega168: (0x94, 0x06)
    }
  }

  /// Whether a program for that part finds the same memories in this one.
  func hasMemories(of other: EmulatedPart) -> Bool { isSmall == other.isSmall }
}
