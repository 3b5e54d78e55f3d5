/// The state of a chip at an instant, without its program: that is identified by a digest, and only
/// the flash pages that have changed since power-on are included.
package struct ChipSnapshot: Hashable, Sendable, Saved {
  /// The digest of the chip's program at power-on.
  package let program: String
  let core: Core
  /// Registers and SRAM, as in `ATmega328P.data`.
  let data: [UInt8]
  let pages: [FlashPage]
  let peripherals: PeripheralsSnapshot

  /// The noise of the ADC; nil if it has none.
  package var noise: ADCNoise? { peripherals.noise }
}

extension ATmega328P {
  /// The longest instruction is SPM, which halts the CPU for 4.5 ms; this leaves some margin.
  private var instructionMax: UInt64 { peripherals.rate.cycles(inMicroseconds: 5_000) }

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

  /// Returns the chip's state without the events that have not been taken. `original` is the same
  /// chip at power-on.
  package func snapshot(since original: ATmega328P) -> ChipSnapshot {
    ChipSnapshot(
      program: original.programDigest, core: core, data: data,
      pages: FlashPage.changed(in: flash, since: original.flash),
      peripherals: PeripheralsSnapshot(peripherals, at: core.cycle))
  }

  /// Restores the chip from a snapshot. `original` is the same chip at power-on. Returns nil if the
  /// snapshot is invalid or belongs to another program.
  package init?(_ snapshot: ChipSnapshot, of original: ATmega328P) {
    let settled = snapshot.peripherals.settled
    guard snapshot.program == original.programDigest, snapshot.core.isPossible,
      snapshot.data.count == DataSpace.count, snapshot.pages.allSatisfy({ $0.isPossible }),
      settled <= snapshot.core.cycle, snapshot.core.cycle - settled < original.instructionMax,
      let peripherals = Peripherals(
        snapshot.peripherals, original.peripherals.part, original.peripherals.rate)
    else { return nil }
    self = original
    for page in snapshot.pages { flash.replacePage(page.number, by: page.words) }
    data = snapshot.data
    core = snapshot.core
    let watch = original.peripherals.watch
    self.peripherals = peripherals
    self.peripherals.set(watch, at: settled)
    self.peripherals.events = []
  }
}

/// A page of the flash whose contents have changed since power-on.
struct FlashPage: Hashable, Sendable, Saved {
  /// The page's number from 0; each page has 64 words.
  var number: Int
  var words: [UInt16]

  static func changed(in flash: Flash, since original: Flash) -> [FlashPage] {
    guard flash != original else { return [] }
    return (0..<Flash.wordCount / Flash.pageWords).compactMap { number in
      let words = flash.page(number)
      return words == original.page(number) ? nil : FlashPage(number: number, words: Array(words))
    }
  }

  /// Whether such a page exists; one read from a file can be invalid.
  var isPossible: Bool {
    (0..<Flash.wordCount / Flash.pageWords).contains(number) && words.count == Flash.pageWords
  }
}
