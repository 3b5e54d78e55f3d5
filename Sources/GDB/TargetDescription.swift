import AVR

/// The documents that describe the chip to a client.
enum TargetDescription {
  /// Which chip it is. It has no registers, since avr-gdb 13 warns of those and uses its own.
  static let target =
    header("target", "gdb-target")
    + "<target version=\"1.0\"><architecture>avr:5</architecture></target>"

  /// Flash, and the data space with the EEPROM behind it, as avr-gdb numbers them: what is not in
  /// the map cannot be read.
  static func memoryMap(_ part: EmulatedPart) -> String {
    func number(_ value: some BinaryInteger) -> String { "0x" + String(value, radix: 16) }
    let length = Int(ChipMemory.eepromStart - ChipMemory.dataStart) + part.eepromSize
    return header("memory-map", "memory-map")
      + "<memory-map><memory type=\"flash\" start=\"0x0\" length=\"\(number(part.flashSize))\">"
      + "<property name=\"blocksize\">\(number(ChipMemory.pageSize))</property></memory>"
      + "<memory type=\"ram\" start=\"\(number(ChipMemory.dataStart))\" "
      + "length=\"\(number(length))\"/></memory-map>"
  }

  private static func header(_ root: String, _ type: String) -> String {
    "<?xml version=\"1.0\"?><!DOCTYPE \(root) SYSTEM \"\(type).dtd\">"
  }
}
