import Testing

@testable import AVR

@Suite("Random instructions compared with simavr", .enabled(if: SimavrLibrary.isAsked), .serialized)
struct RandomLockstepTests {
  private static let instructions = 200_000

  /// Runs a made-up program. Throws the divergence that a failure should show.
  private func run(seed: UInt64) throws -> Coverage {
    var source = RandomInstructions(seed: seed)
    var lockstep = try Lockstep(ATmega328P(flash: []))
    var coverage = Coverage()
    lockstep.load(source.data())
    while lockstep.instructions < Self.instructions {
      let pc = lockstep.chip.core.pc
      lockstep.program(source.next(for: lockstep.chip), at: pc)
      let instruction = lockstep.chip.flash.code[pc]
      try lockstep.step()
      coverage.note(instruction, from: pc, to: lockstep.chip.core.pc)
    }
    try lockstep.compareSRAM()
    return coverage
  }

  @Test
  func `Every instruction in every variant leaves both chips in the same state`() throws {
    var coverage = Coverage()
    for seed: UInt64 in 1...5 {
      do {
        coverage.add(try run(seed: seed))
      } catch let divergence as Divergence {
        Issue.record("seed \(seed): \(divergence)")
      }
    }
    #expect(coverage.cases(below: 20) == [])
  }
}
