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

  /// How one of the 64 K addresses that a pointer can have is accessed.
  struct Access: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    /// Reading it is more than a memory access.
    static let specialRead = Access(rawValue: 1)
    /// Writing it is more than a memory access.
    static let specialWrite = Access(rawValue: 2)
  }

  /// One byte for each address: registers and SRAM are plain memory, everything else is not.
  static let plainAccess: [UInt8] = (0...0xFFFF).map { address in
    if registers.contains(address) || sram.contains(address) { return 0 }
    return Access([.specialRead, .specialWrite]).rawValue
  }
}
