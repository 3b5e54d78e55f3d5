import TestSupport
import Testing

@testable import AVR

/// The ways that a program takes are known exactly, and following them changes nothing else.
@Suite struct BranchTests {
  private static func ways(_ chip: ATmega328P) -> Set<Int> {
    var ways: Set<Int> = []
    chip.forEachBranch { ways.insert(Int($0)) }
    return ways
  }

  /// Whether the instruction at a word address led to the next one, and whether elsewhere.
  private static func way(_ chip: ATmega328P, _ address: Int) -> [Bool] {
    let ways = ways(chip)
    return [false, true].map { ways.contains(BranchMarks.place(of: address, jumped: $0)) }
  }

  @Test func `Each instruction is marked with where it led`() throws {
    var chip = try Assembler(
      """
      ldi r16, 2
      again:
      dec r16
      brne again
      sbrc r16, 0
      nop
      breq over
      nop
      over:
      """
    ).chip
    #expect(Self.ways(chip).isEmpty)
    chip.followBranches()
    chip.run(until: 1_000)
    let seen = (0..<9).map { Self.way(chip, $0) }
    #expect(
      seen == [
        [true, false], [true, false],
        // Back once, and on once.
        [true, true],
        // R16 is 0, so the instruction behind is skipped.
        [false, true], [false, false],
        [false, true], [false, false], [false, true],
        [false, false],
      ])
  }

  @Test(arguments: Prebuilt.allCases, [UInt64(1), 2])
  func `What is marked depends neither on skipped waits nor on how a run is split`(
    sketch: Prebuilt, seed: UInt64
  ) throws {
    var chips = [try sketch.chip, try sketch.chip, try sketch.chip]
    for index in chips.indices { chips[index].followBranches() }
    chips[1].skipsWaiting = false
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let end = chips[0].cycle + UInt64.random(in: 1...1_000_000, using: &generator)
      let byte = [UInt8]("X90.LTOC?V".utf8).randomElement(using: &generator)!
      chips[0].run(until: end)
      chips[1].run(until: end)
      while chips[2].cycle < end {
        let step = UInt64.random(in: 1...100_000, using: &generator)
        chips[2].run(until: min(end, chips[2].cycle + step))
      }
      for index in chips.indices { chips[index].receive(byte) }
    }
    let ways = chips.map { Self.ways($0) }
    #expect(ways[0].count > 100)
    for other in ways[1...] {
      let different = ways[0].symmetricDifference(other).sorted()
      #expect(different.isEmpty, "\(different.map { "\($0): \(ways[0].contains($0))" })")
    }
  }

  @Test(arguments: Prebuilt.allCases)
  func `A chip whose branches are followed does the same`(sketch: Prebuilt) throws {
    var plain = try sketch.chip
    var followed = plain
    followed.followBranches()
    for byte in "X90.LX12\nX45.T?V".utf8 {
      let end = plain.cycle + 700_000
      plain.run(until: end)
      followed.run(until: end)
      #expect(plain == followed)
      #expect(plain.takeEvents() == followed.takeEvents())
      plain.receive(byte)
      followed.receive(byte)
    }
  }

  @Test func `A copy of a chip is marked on its own`() throws {
    var chip = try Prebuilt.guarded.chip
    chip.followBranches()
    chip.run(until: 1_000_000)
    let before = Self.ways(chip)
    var copy = chip
    copy.receive(UInt8(ascii: "L"))
    copy.run(until: 4_000_000)
    #expect(Self.ways(chip) == before)
    #expect(Self.ways(copy).isStrictSuperset(of: before))
  }
}
