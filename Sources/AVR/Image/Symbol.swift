/// A name that the linker gave to an address.
package struct Symbol: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case function
    case object
    /// A label in assembly code, or one that the linker set.
    case label
  }

  package enum Memory: Hashable, Sendable {
    case flash
    /// The data space: registers, I/O registers, SRAM.
    case data
    case eeprom
  }

  /// As in the file: C++ names are mangled.
  package var name: String
  package var memory: Memory
  /// The byte address within `memory`.
  package var address: UInt16
  /// The size in bytes. A flash label without a size extends to the next symbol or to the end of
  /// its section.
  package var size: UInt32
  package var kind: Kind

  package init(
    name: String, memory: Memory, address: UInt16, size: UInt32, kind: Kind
  ) {
    self.name = name
    self.memory = memory
    self.address = address
    self.size = size
    self.kind = kind
  }

  /// The name for display: `Servo::write` for `_ZN5Servo5writeEi`, or `name` itself if it is not a
  /// simple C++ name.
  package var readableName: String { DemangledName(name)?.text ?? name }

  func contains(_ address: UInt16) -> Bool {
    address >= self.address && UInt32(address) - UInt32(self.address) < size
  }
}
