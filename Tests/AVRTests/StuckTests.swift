import Testing

@testable import AVR

@Suite("Stuck programs")
struct StuckTests {
  private static let cycles: UInt64 = 400_000

  /// The reports of a chip that runs in slices of this many cycles.
  private static func reports(
    _ program: Assembler, slice: UInt64, skipsWaiting: Bool
  ) -> [TimedChipEvent] {
    var chip = program.chip
    chip.skipsWaiting = skipsWaiting
    while chip.cycle < cycles { chip.run(until: min(cycles, chip.cycle + slice)) }
    return chip.takeEvents().filter { if case .stuck = $0.event { true } else { false } }
  }

  /// A program, and the cycle and the byte address at which it is stuck.
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let source: String
    let cycle: UInt64
    let address: UInt16
  }

  static let examples = [
    Example(testDescription: "a jump to itself", source: "cli; nop*9", cycle: 10, address: 20),
    Example(
      testDescription: "after a delay of 3 cycles for each of 255 rounds",
      source: "ldi r17, 255; again: ; dec r17; brne again", cycle: 765, address: 6),
    Example(
      testDescription: "after a loop of 65 536 rounds, in which Timer 0 overflows",
      source: "TCCR0B=1; TIMSK0=1; r24=0; r25=0; again: ; sbiw r24, 1; brne again",
      cycle: 2 + 3 + 2 + 4 * 65_536 - 1, address: 18),
    Example(
      testDescription: "a loop of several instructions that calls a function",
      source: """
        rjmp main
        f:; ret
        main:
        loop:; ldi r17, 5; rcall f; rjmp loop
        """,
      // RCALL has written the stack for the first time.
      cycle: 2 + 1 + 3, address: 4),
    Example(
      testDescription: "nested loops",
      source: "outer:; ldi r17, 3; inner:; dec r17; brne inner; rjmp outer",
      // Before the first DEC, SREG differs from what it is there in the other rounds.
      cycle: 2, address: 0),
    Example(
      testDescription: "an interrupt handler that never returns",
      source: """
        rjmp main
        .org 32
        handler:; rjmp handler
        .org 40
        main:; TIMSK0=1; TCCR0B=1; sei
        wait:; rjmp wait
        """,
      // The timer starts in cycle 7 and overflows in cycle 263. RJMP began in 262 and ends in 264.
      cycle: 264 + 4, address: 64),
  ]

  @Test(arguments: examples, [100, 7_919, 1_000_000] as [UInt64])
  func `A stuck program is reported at the cycle at which it got stuck`(
    example: Example, slice: UInt64
  ) throws {
    let program = try Assembler(example.source)
    let expected = TimedChipEvent(
      cycle: example.cycle, event: .stuck(at: example.address, isAsleep: false))
    for skipsWaiting in [true, false] {
      let reports = Self.reports(program, slice: slice, skipsWaiting: skipsWaiting)
      #expect(reports == [expected], "skips: \(skipsWaiting)")
    }
  }

  @Test(arguments: [
    "sei", "wait:; in r17, PINB; rjmp wait", "wait:; sbis TIFR0, 0; rjmp wait",
    "wait:; inc r17; rjmp wait", "WDTCSR=0x18; WDTCSR=0x0F",
  ])
  func `A program that something can still change is not stuck`(source: String) throws {
    let program = try Assembler(source)
    for skipsWaiting in [true, false] {
      #expect(Self.reports(program, slice: 10_000, skipsWaiting: skipsWaiting) == [])
    }
  }

  @Test func `Sleep that only a restart ends is reported when it begins`() throws {
    let program = try Assembler("SMCR=1; nop*5; sleep")
    for skipsWaiting in [true, false] {
      #expect(
        Self.reports(program, slice: 9_999, skipsWaiting: skipsWaiting)
          == [TimedChipEvent(cycle: 8, event: .stuck(at: 14, isAsleep: true))])
    }
  }

  @Test func `A restart ends it, and it can be reported again`() throws {
    var chip = try Assembler("nop").chip
    chip.run(until: 1_000)
    chip.reset(.external)
    chip.run(until: 2_000)
    let cycles = chip.takeEvents().filter {
      if case .stuck = $0.event { true } else { false }
    }.map(\.cycle)
    // A jump of two cycles ends at 1 001, and NOP takes one more.
    #expect(cycles == [1, 1_002])
  }
}
