/// The state of a chip at an instant, without its program: that is identified by a digest, and the
/// flash is included only if it has changed since power-on.
package struct ChipSnapshot: Hashable, Sendable, Codable {
  /// The digest of the chip's program at power-on.
  package let program: String
  let core: Core
  /// Registers and SRAM, as in `ATmega328P.data`.
  package var data: [UInt8]
  let flash: [UInt16]?
  let peripherals: Peripherals
}

extension ATmega328P {
  /// A digest of the flash and the start address: FNV-1a, 64 bits, as 16 hexadecimal digits.
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
    return Hex.digits(hash, 16, uppercase: false)
  }

  /// Returns the chip's state. `original` is the same chip at power-on.
  package func snapshot(since original: ATmega328P) -> ChipSnapshot {
    ChipSnapshot(
      program: original.programDigest, core: core, data: data,
      flash: flash.words == original.flash.words ? nil : flash.words, peripherals: peripherals)
  }

  /// Restores the chip from a snapshot. `original` is the same chip at power-on. Returns nil if the
  /// snapshot is that of another chip, or if the chip could not run on.
  package init?(_ snapshot: ChipSnapshot, of original: ATmega328P) {
    let core = snapshot.core
    var peripherals = snapshot.peripherals
    guard snapshot.program == original.programDigest, snapshot.data.count == DataSpace.count,
      peripherals.part == original.peripherals.part, peripherals.rate == original.peripherals.rate,
      (0..<Flash.codeCount).contains(core.pc), core.cycle != .max,
      peripherals.resume(at: core.cycle)
    else { return nil }
    self = original
    if let words = snapshot.flash { flash.replace(by: words) }
    data = snapshot.data
    self.core = core
    self.peripherals = peripherals
  }
}
