/// A chip at an instant, beside the program it was given: that is told by a digest, and only the
/// pages of the flash that have changed since are here.
package struct ChipSnapshot: Hashable, Sendable, Saved {
  /// The digest of the chip's program at power-on.
  package let program: String
  let core: Core
  /// Registers and SRAM, as in `ATmega328P.data`.
  let data: [UInt8]
  let pages: [FlashPage]
  let peripherals: PeripheralsSnapshot

  /// Clock cycles since power-on.
  package var cycle: UInt64 { core.cycle }
}

extension ATmega328P {
  /// The longest that an instruction takes: SPM, which halts the CPU for 4.5 ms, and some.
  private static let instructionMax: UInt64 = 80_000

  /// What is in the flash and where the chip starts, as 16 hexadecimal digits: FNV-1a, 64 bits.
  package var programDigest: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ word: UInt16) {
      for byte in [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      }
    }
    for word in flash.words { add(word) }
    add(UInt16(truncatingIfNeeded: resetVector))
    add(UInt16(truncatingIfNeeded: bootSection))
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The chip as it is now. `original`: the same at power-on. Events that nobody has taken are left
  /// out.
  package func snapshot(since original: ATmega328P) -> ChipSnapshot {
    ChipSnapshot(
      program: original.programDigest, core: core, data: data,
      pages: FlashPage.changed(in: flash, since: original.flash),
      peripherals: PeripheralsSnapshot(peripherals, at: core.cycle))
  }

  /// The chip that a snapshot was made of. `original`: the same at power-on. Nil: it was another,
  /// or the snapshot is of no chip at all.
  package init?(_ snapshot: ChipSnapshot, of original: ATmega328P) {
    let settled = snapshot.peripherals.settled
    guard snapshot.program == original.programDigest, snapshot.core.isPossible,
      snapshot.data.count == DataSpace.count, snapshot.pages.allSatisfy({ $0.isPossible }),
      settled <= snapshot.core.cycle, snapshot.core.cycle - settled < Self.instructionMax,
      let peripherals = Peripherals(snapshot.peripherals)
    else { return nil }
    self = original
    for page in snapshot.pages { flash.replacePage(page.number, by: page.words) }
    data = snapshot.data
    core = snapshot.core
    self.peripherals = peripherals
  }
}
