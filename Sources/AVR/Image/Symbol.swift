/// A name that the linker gave to an address.
package struct Symbol: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case function
    case object
    /// A place in assembler code, or one that the linker set.
    case label
  }

  package enum Memory: Hashable, Sendable {
    case flash
    /// The data space: registers, I/O registers, SRAM.
    case data
    case eeprom
  }

  /// As the compiler wrote it: C++ names are mangled.
  package var name: String
  package var memory: Memory
  /// In bytes, within `memory`.
  package var address: UInt16
  /// In bytes. A label in flash without one of its own reaches to the next symbol, or to the end of
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

  /// For people: `Servo::write` for `_ZN5Servo5writeEi`; the name itself where it is no plain C++
  /// name.
  package var readableName: String { DemangledName(name)?.text ?? name }

  func contains(_ address: UInt16) -> Bool {
    address >= self.address && UInt32(address) - UInt32(self.address) < size
  }
}
