import Testing

@testable import AVR

/// Whole programs. What the emulated chip's peripherals answer, and when they interrupt, is told to
/// simavr's CPU; see `Lockstep`.
@Suite("Programs beside simavr", .enabled(if: SimavrLibrary.isAsked), .serialized)
struct ProgramLockstepTests {
  private static let cycles: UInt64 = 16_000_000 * 2

  @Test
  func `there are programs to run`() {
    #expect(!LockstepProgram.all.isEmpty)
  }

  /// For a program that lies beside its HEX file.
  @Test(arguments: LockstepProgram.all.filter { $0.path.hasSuffix(".elf") })
  func `what avr-gcc linked is what avr-objcopy makes of it, with names`(
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
  func `after each of some million instructions both are in the same state`(
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
