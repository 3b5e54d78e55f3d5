/// Why the chip can't go on: the program did what no program should.
package struct Fault: Error, Hashable, Sendable, Saved {
  package enum Cause: Hashable, Sendable, Saved {
    /// A word that is no instruction.
    case reserved(UInt16)
    /// Flash that was never programmed.
    case erased
    /// A jump, a call or a return to a byte address behind the flash.
    case jumpOutside(UInt32)
    /// The program ran, or skipped, over the end of the flash.
    case ranOutside
    /// The stack pointer leads to no SRAM: an address of the data space.
    case stack(UInt16)
    /// A load or a store at an address of the data space where nothing is.
    case data(UInt16)
  }

  package var cause: Cause
  /// The byte address of the instruction.
  package var address: UInt16
  /// When it was about to be executed.
  package var cycle: UInt64
}
