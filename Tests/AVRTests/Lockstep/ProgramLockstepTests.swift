import Testing

@testable import AVR

/// Runs whole programs. simavr's CPU receives register values and interrupts from the emulated
/// chip's peripherals; see `Lockstep`.
@Suite("Programs compared with simavr", .enabled(if: SimavrLibrary.isAsked))
struct ProgramLockstepTests {
  private static let cycles: UInt64 = 16_000_000 * 2

  @Test
  func `At least one program is given`() {
    #expect(!LockstepProgram.all.isEmpty)
  }

  /// Checks a program that has its HEX file in the same folder.
  @Test(arguments: LockstepProgram.all.filter { $0.path.hasSuffix(".elf") })
  func `An ELF file has the segments of its HEX file, and symbols`(
    program: LockstepProgram
  ) throws {
    let image = try program.image()
    let hex = try LockstepProgram(path: program.path.dropLast(3) + "hex").image()
    #expect(image.segments == hex.segments)
    #expect(image.symbols["main"]?.kind == .function)
    let main = try #require(image.symbols["main"])
    #expect(image.symbols.place(of: main.address + 2) == "main+0x2")
  }

  @Test(arguments: LockstepProgram.all)
  func `Both chips have the same state after every instruction of a program`(
    program: LockstepProgram
  ) throws {
    var lockstep = try Lockstep(program.chip())
    var pending = LockstepSender.session.events[...]
    do {
      while lockstep.chip.cycle < Self.cycles {
        while let next = pending.first, next.cycle <= lockstep.chip.cycle {
          pending.removeFirst()
          lockstep.tellChip {
            switch next.event {
            case .startBit: $0.startBit()
            case .byte(let byte): $0.receive(byte)
            }
          }
        }
        try lockstep.step(notBeyond: pending.first?.cycle ?? Self.cycles)
      }
      try lockstep.compareSRAM()
    } catch {
      let place = try program.image().symbols.place(of: error.before.byteAddress)
      Issue.record("\(program.path) \(place ?? ""): \(error)")
    }
    #expect(lockstep.instructions > 1_000)
    #expect(lockstep.interrupts > 100)
  }
}
