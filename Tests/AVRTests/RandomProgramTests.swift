import TestSupport
import Testing

@testable import AVR

/// With any contents of the flash, the chip runs on or reports a fault, and never crashes this
/// process.
@Suite struct RandomProgramTests {
  /// Valid instructions: most jumps are near, and two-word jumps lead into the flash.
  private static func flash(_ generator: inout SeededGenerator) -> [UInt8] {
    var words: [UInt16] = []
    let count = [40, 400, Flash.wordCount].randomElement(using: &generator)!
    let mayBeReserved = Int.random(in: 0..<4, using: &generator) == 0
    while words.count < count {
      let word = UInt16.random(in: .min ... .max, using: &generator)
      let next = UInt16.random(in: 0..<UInt16(count), using: &generator)
      let instruction = Decoder.decode(word, next: next, at: words.count)
      switch instruction.operation {
      case .reserved, .erased: if mayBeReserved { words.append(word) }
      case .jmp: words += [0x940C, next]
      case .call: words += [0x940E, next]
      case .lds, .sts:
        words += [word, UInt16.random(in: 0..<0x900, using: &generator)]
      case .sleep where Int.random(in: 0..<8, using: &generator) > 0: break
      case .rjmp, .rcall:
        let offset = UInt16(bitPattern: Int16.random(in: -40...40, using: &generator)) & 0xFFF
        words.append(word & 0xF000 | offset)
      default: words.append(word)
      }
    }
    return words.prefix(Flash.wordCount).flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
    }
  }

  /// Runs the chip with random input, the same for every chip with that seed.
  private static func run(_ chip: inout ATmega328P, milliseconds: UInt64, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let end = chip.cycle + milliseconds * 16_000
    while chip.cycle < end {
      chip.run(until: min(end, chip.cycle + UInt64.random(in: 1...20_000, using: &generator)))
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: chip.startBit()
      case 1: chip.receive(UInt8.random(in: .min ... .max, using: &generator))
      case 2:
        let pin = Pin(arduino: Int.random(in: 0..<20, using: &generator))!
        chip.drive(pin, [nil, true, false].randomElement(using: &generator)!)
      case 4:
        let pin = Pin(arduino: Int.random(in: 0..<20, using: &generator))!
        chip.apply(microvolts: Int32.random(in: 0...5_000_000, using: &generator), to: pin)
      case 3: chip.reset(.external, heldFor: UInt64.random(in: 0...100, using: &generator))
      // A reset after a fault, so that the chip continues.
      default: if chip.fault != nil { chip.reset(.external) }
      }
    }
  }

  private static func visible(_ chip: inout ATmega328P) -> [TimedChipEvent] {
    chip.takeEvents().filter { if case .stuck = $0.event { false } else { true } }
  }

  @Test func `Random programs run the same with skipped waits and from snapshots`() {
    for seed in Seeds.first(40) {
      var generator = SeededGenerator(seed: seed)
      let bytes = Self.flash(&generator)
      let bootloader = [nil, nil, 0x7000, 0x7E00].randomElement(using: &generator)!
      let original = ATmega328P(flash: [(address: 0, bytes: bytes)], bootloader: bootloader)
      var chip = original
      var slow = original
      slow.skipsWaiting = false
      Self.run(&chip, milliseconds: 3, seed: seed)
      Self.run(&slow, milliseconds: 3, seed: seed)
      let seen = Self.visible(&chip)
      let agree =
        seen == Self.visible(&slow) && chip.data == slow.data && chip.core == slow.core
      #expect(agree, "seed \(seed): skipping changes the outcome")
      var recorded = original
      var layout = ProgramLayout()
      (layout.staticEnd, layout.heapEnd, layout.code) = (0x180, 0x110, [0..<0x300])
      recorded.recordRun(
        layout, loop: .inlined(begin: [0x40, 0x42], between: [0x80, 0x82]), wholly: false)
      Self.run(&recorded, milliseconds: 3, seed: seed)
      let isSame =
        seen == Self.visible(&recorded) && chip.data == recorded.data
        && chip.core == recorded.core
      #expect(isSame, "seed \(seed): recording changes the outcome")

      let snapshot = chip.snapshot(since: original)
      guard var other = ATmega328P(snapshot, of: original) else {
        Issue.record("seed \(seed): the snapshot is refused")
        continue
      }
      #expect(other.snapshot(since: original) == snapshot, "seed \(seed)")
      Self.run(&chip, milliseconds: 2, seed: seed &+ 1)
      Self.run(&other, milliseconds: 2, seed: seed &+ 1)
      #expect(
        Self.visible(&chip) == Self.visible(&other) && chip.data == other.data
          && chip.core == other.core && chip.flash == other.flash,
        "seed \(seed): the restored chip behaves differently")
    }
  }
}
