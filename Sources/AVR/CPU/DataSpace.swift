/// The layout of the ATmega328P's data space, and which addresses are more than a byte of memory.
enum DataSpace {
  static let registers = 0..<0x20
  /// All I/O registers, both those that IN and OUT reach and the others.
  static let io = 0x20..<0x100
  static let sram = 0x100..<0x900
  static let count = 0x900

  static let UDR0 = 0xC6
  static let SPL = 0x5D
  static let SPH = 0x5E
  static let SREG = 0x5F

  /// Marks an address to which a write is more than a memory access.
  static let specialWrite: UInt8 = 1

  /// One byte for each of the 64 K addresses that a pointer can have: registers and SRAM are plain
  /// memory, everything else is not.
  static let plainAccess: [UInt8] = (0...0xFFFF).map { address in
    registers.contains(address) || sram.contains(address) ? 0 : specialWrite
  }
}
