@testable import AVR

/// A difference between the emulated chip and simavr, with both states side by side.
struct Divergence: Error, CustomStringConvertible {
  var reason: String
  var instruction: Instruction
  /// The word after the instruction.
  var next: UInt16
  /// The CPU before the instruction.
  var before: Core
  /// Both after the instruction.
  var chip: ATmega328P
  var simavr: Simavr.State
  /// The number of executed instructions, including this one.
  var count: Int

  var description: String {
    let registers = (0..<32).filter { chip.data[$0] != simavr.registers[$0] }
      .map { "R\($0) \(Hex.byte(chip.data[$0])) | \(Hex.byte(simavr.registers[$0]))" }
    return """
      \(reason), instruction \(count), at \(Hex.address(UInt32(before.byteAddress))): \
      \(Disassembly(instruction)), then \(Hex.address(UInt32(next)))
      before      cycle \(before.cycle), SREG \(Self.flags(before.sreg)), SP \(before.sp)
      the chip    cycle \(chip.cycle), SREG \(Self.flags(chip.statusRegister)), \
      SP \(chip.stackPointer), PC \(Hex.address(UInt32(chip.programCounter)))
      simavr      cycle \(simavr.cycle), SREG \(Self.flags(simavr.sreg)), SP \(simavr.sp), \
      PC \(Hex.address(UInt32(simavr.pc)))
      registers   \(registers.isEmpty ? "the same" : registers.joined(separator: ", "))
      """
  }

  private static func flags(_ sreg: UInt8) -> String {
    String(zip("ITHSVNZC", 0..<8).map { name, bit in sreg << bit & 0x80 != 0 ? name : "-" })
  }
}
