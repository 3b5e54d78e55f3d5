import AVR
import TestSupport
import Testing

@Suite("Damaged firmware files")
struct ImageFuzzTests {
  enum Original: String, CaseIterable, Sendable {
    case elf, note, hex

    var contents: [UInt8] {
      switch self {
      case .elf: ELFBuilder.sample.bytes
      case .note:
        {
          var builder = ELFBuilder.sample
          builder.part = "atmega328p"
          return builder.bytes
        }()
      case .hex:
        Array(HexBuilder.file([(0, (0..<0x60).map { UInt8($0) }), (0x7E00, [1, 2, 3])]).utf8)
      }
    }
  }

  /// Damages contents in one of the ways in which files are damaged, by accident or by intent.
  private func damage(_ contents: inout [UInt8], using random: inout SeededGenerator) {
    let place = Int.random(in: 0..<contents.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: contents[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: contents[place] = .random(in: 0...255, using: &random)
    case 3:
      // A field of four bytes is set to a boundary value.
      let edges: [UInt32] = [
        0, 1, 0x7FFF, 0x8000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x81_0000,
      ]
      let value = edges.randomElement(using: &random)!
      for offset in 0..<4 where place & ~3 + offset < contents.count {
        contents[place & ~3 + offset] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(offset)))
      }
    case 4: contents.removeSubrange(place...)
    default: contents.insert(contentsOf: contents[..<min(place, 40)], at: place)
    }
    if contents.isEmpty { contents = [0] }
  }

  @Test(arguments: Original.allCases, [1, 2, 3, 4])
  func `A damaged file gives a program or an error, never a trap`(original: Original, seed: UInt64)
  {
    var random = SeededGenerator(seed: seed)
    var refused = 0
    let whole = original.contents
    for _ in 0..<5_000 {
      var contents = whole
      for _ in 0...Int.random(in: 0..<3, using: &random) { damage(&contents, using: &random) }
      do {
        let image = try ProgramImage(contents: contents, name: "damaged")
        #expect(image.words.count == ProgramImage.flashSize / 2)
        _ = image.symbols.place(of: .random(in: 0...0x7FFF, using: &random))
      } catch {
        refused += 1
        #expect(!error.message.isEmpty)
      }
    }
    #expect(refused > 500, "most damage must reach a check")
  }
}
