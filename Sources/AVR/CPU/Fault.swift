/// Why the chip cannot continue: the program did something invalid.
package struct Fault: Error, Hashable, Sendable, Codable {
  package enum Cause: Hashable, Sendable, Codable {
    /// The word is not an instruction.
    case reserved(UInt16)
    /// The flash was never programmed there.
    case erased
    /// A jump, a call or a return to a byte address beyond the end of the flash.
    case jumpOutside(UInt32)
    /// Execution, or a skip, ran past the end of the flash.
    case ranOutside
    /// The stack pointer does not point to SRAM; the value is an address of the data space.
    case stack(UInt16)
    /// A load or a store at an address of the data space where there is no memory.
    case data(UInt16)
  }

  package var cause: Cause
  /// The byte address of the instruction.
  package var address: UInt16
  /// When it was about to be executed.
  package var cycle: UInt64
}
