/// A feature that the program used but the emulator does not implement.
package struct Notice: Hashable, Sendable, Saved {
  /// Its name in the data sheet, such as `ADCSRA`, or a phrase for a mode.
  package var name: String
  /// The byte address of the instruction in flash.
  package var address: UInt16

  package init(name: String, address: UInt16) {
    self.name = name
    self.address = address
  }
}
