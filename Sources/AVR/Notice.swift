/// Something the program touched that the emulator does not do.
package struct Notice: Hashable, Sendable, Saved {
  /// The data sheet's name of it, for example `ADCSRA`, or a phrase for a mode.
  package var name: String
  /// The address of the instruction, in bytes of flash.
  package var address: UInt16

  package init(name: String, address: UInt16) {
    self.name = name
    self.address = address
  }
}
