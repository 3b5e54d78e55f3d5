import Testing

@testable import AVR

/// The emulated chip and all of simavr, each with its own peripherals and without any exchange.
/// Their cycles differ from the start, so the outputs are compared, not the states.
///
/// simavr 1.6 differs in the following; the section of the data sheet that decides is named:
/// - An interrupt takes no time ("Interrupt Response Time": four cycles), nor does a wake-up
///   ("Sleep Modes": four more).
/// - A write to TCCRnB restarts the prescaler ("Timer/Counter0 and Timer/Counter1 Prescalers": it
///   runs free, and both share it).
/// - The count at which a timer starts matches nothing ("Output Compare Units": the comparison is
///   continuous). A program that sets OCR1A after it has started the timer therefore begins
///   differently, and pulses that a program makes itself are compared from the third period on.
/// - A pulse in fast PWM keeps the width that OCR1A had when the timer was started ("Fast PWM
///   Mode": OCR1x is updated at BOTTOM). If the timer makes the pulses, the requested widths are
///   therefore compared.
/// - I/O registers are read and written when the instruction begins (measured: at the beginning of
///   its last cycle, and at its end), so a pin changes one or two cycles earlier.
@Suite("Programs compared with all of simavr", .enabled(if: SimavrLibrary.isAsked), .serialized)
struct UnfedTests {
  private static let cycles: UInt64 = 16_000_000 * 3

  /// True after the second period of 20 ms.
  private func isSteady(_ event: SeenEvent) -> Bool { event.cycle > 600_000 }

  private func run(
    _ program: LockstepProgram
  ) throws -> (chip: [SeenEvent], simavr: [SeenEvent]) {
    var chip = try program.chip()
    let simavr = try WholeSimavr(chip.flash.words)
    var events: [TimedChipEvent] = []
    for (cycle, event) in LockstepSender.session.events {
      chip.run(until: cycle)
      events += chip.takeEvents()
      switch event {
      case .startBit: chip.startBit()
      case .byte(let byte):
        chip.receive(byte)
        simavr.send(byte, endingAt: cycle)
      }
    }
    chip.run(until: Self.cycles)
    try simavr.run(until: Self.cycles)
    events += chip.takeEvents()
    #expect(chip.fault == nil)
    return (events.compactMap { SeenEvent($0) }, simavr.events)
  }

  @Test(arguments: LockstepProgram.all)
  func `Both chips set the same widths, or make the same pulses, at the same times`(
    program: LockstepProgram
  ) throws {
    let both = try run(program)
    let drivesPin = !both.chip.widths.isEmpty
    let chip = drivesPin ? both.chip.widths : both.chip.levels.filter(isSteady)
    let simavr = drivesPin ? both.simavr.widths : both.simavr.levels.filter(isSteady)
    #expect(chip.map(\.what) == simavr.map(\.what))
    #expect(chip.count > 40)
    let distances = zip(chip, simavr).map { left, right in
      max(left.cycle, right.cycle) - min(left.cycle, right.cycle)
    }
    // Measured: at most 31 us between two widths. Edges differ by 3 us, except for one whose new
    // width took effect one pulse earlier or later, a step of 32 us.
    #expect(distances.allSatisfy { $0 <= 50 * 16 })
    if !drivesPin { #expect(distances.count { $0 > 4 * 16 } <= chip.count / 100) }
  }
}
