import AVR

/// The documents that describe the chip to a client.
enum TargetDescription {
  /// Registers by GDB's numbers and sizes for the AVR ("maint print raw-registers"): the program
  /// counter is a byte address, in four bytes.
  static let registers: String = {
    var text = header("target", "gdb-target")
    text += "<target version=\"1.0\"><architecture>avr:5</architecture>"
    text += "<feature name=\"org.gnu.gdb.avr.cpu\">"
    for number in 0..<32 { text += register("r\(number)", number, bits: 8, "uint8") }
    text += register("sreg", ChipRegister.status, bits: 8, "uint8")
    text += register("sp", ChipRegister.stack, bits: 16, "data_ptr")
    text += register("pc", ChipRegister.counter, bits: 32, "code_ptr")
    return text + "</feature></target>"
  }()

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

  private static func register(
    _ name: String, _ number: Int, bits: Int, _ type: String
  ) -> String {
    "<reg name=\"\(name)\" bitsize=\"\(bits)\" type=\"\(type)\" regnum=\"\(number)\"/>"
  }
}
