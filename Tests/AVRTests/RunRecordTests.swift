import Foundation
import Testing

@testable import AVR

@Suite("Recorded runs")
struct RunRecordTests {
  private static func recorded(
    _ source: String, _ layout: ProgramLayout = ProgramLayout(), for cycles: UInt64 = 100_000,
    loop: LoopCode? = nil
  ) throws -> ATmega328P {
    var chip = try Assembler(source).chip
    chip.recordRun(layout, loop: loop, wholly: true)
    chip.run(until: cycles)
    return chip
  }

  /// Timer 0 overflows each 256 cycles, and the interrupt's handler is at byte address 64.
  private static func ticking(_ main: String, handler: String = "") -> String {
    """
    rjmp main
    .org 32
    \(handler); reti
    .org 60
    main:; TIMSK0=1; TCCR0B=1
    \(main)
    """
  }

  @Test(arguments: Prebuilt.allCases, [true, false])
  func `A recorded run is the same as any other`(_ sketch: Prebuilt, skipsWaiting: Bool) throws {
    var plain = try sketch.chip
    plain.skipsWaiting = skipsWaiting
    var recorded = plain
    recorded.recordRun(loop: nil, wholly: true)
    for (index, byte) in "L?X45.X120.".utf8.enumerated() {
      for cycle in [UInt64(index) * 1_600_000, UInt64(index) * 1_600_000 + 800_000] {
        plain.run(until: 8_000_000 + cycle)
        recorded.run(until: 8_000_000 + cycle)
      }
      plain.receive(byte)
      recorded.receive(byte)
      #expect(recorded == plain)
      #expect(recorded.takeEvents() == plain.takeEvents())
    }
    #expect(recorded.runRecord?.frames.isEmpty == false)
    #expect(plain.runRecord == nil)
  }

  @Test func `The calls are those that have not returned`() throws {
    let chip = try Self.recorded(
      """
      rjmp main
      f:; rcall g; ret
      g:; push r16; pop r16
      wait:; rjmp wait
      main:; rcall f
      """)
    let record = try #require(chip.runRecord)
    let calls = record.frames.map { record.tree[$0.node].call }
    #expect(calls.map { [$0.site, $0.entry] } == [[12, 2], [2, 6]])
    #expect(record.tree.calls(to: record.frames[1].node) == calls)
    // Two return addresses and a register.
    let deepest = try #require(record.deepest)
    #expect(deepest.stack == 0x8FA && deepest.frames.count == 2)
  }

  // The variables end at 0x8C0. `malloc` keeps the heap's end at 0x100: it grows to 0x8E0 while the
  // stack is at 0x8FB, and back to 0x8D0.
  @Test(arguments: [
    ("", 0x8FA - 0x8C0, false), ("ldi r16, 0xE0; ldi r17, 8", 0x8FA - 0x8E0, true),
    ("ldi r16, 0xFA; ldi r17, 8", 0, true), ("ldi r16, 0xFE; ldi r17, 8", -4, true),
  ])
  func `The room below the stack ends with the heap, or with the variables`(
    heap: String, room: Int, isHeap: Bool
  ) throws {
    var layout = ProgramLayout()
    (layout.staticEnd, layout.heapEnd) = (0x8C0, 0x100)
    let grow = heap.isEmpty ? "" : "\(heap); sts 0x101, r17; sts 0x100, r16"
    let chip = try Self.recorded(
      """
      rjmp main
      grow:; \(grow); ret
      use:; rcall last; ret
      last:; push r16; pop r16; ret
      main:; rcall grow; rcall use
      ldi r16, 0; ldi r17, 0; sts 0x101, r17; sts 0x100, r16; rcall last
      """, layout)
    let record = try #require(chip.runRecord)
    #expect(record.deepest?.stack == 0x8FA)
    #expect(record.nearest.map { [$0.bytes, $0.isHeap ? 1 : 0] } == [room + 1, isHeap ? 1 : 0])
  }

  @Test func `A stack pointer of which one half is written is none`() throws {
    let chip = try Self.recorded(
      """
      ldi r16, 7; ldi r17, 0xF0; out SPH, r16; out SPL, r17
      ldi r16, 8; ldi r17, 0x10; out SPL, r17; out SPH, r16; push r16
      """)
    #expect(chip.runRecord?.deepest?.stack == 0x7F0)
  }

  @Test func `A jump out of calls, as longjmp makes it, ends them`() throws {
    let chip = try Self.recorded(
      """
      rjmp main
      f:; rcall g; ret
      g:; ldi r16, 8; out SPH, r16; ldi r16, 255; out SPL, r16; rjmp back
      main:; rcall f
      back:; rcall h; rjmp end
      h:; ret
      """)
    #expect(chip.runRecord?.frames == [])
  }

  @Test func `What makes room on the stack or jumps by a return is no call`() throws {
    // RCALL to the next instruction; then the address of `there`, in words, is returned to.
    var chip = try Self.recorded(
      """
      rjmp main
      main:; rcall next
      next:; ldi r16, 7; ldi r17, 0; push r16; push r17; ret
      there:; nop
      """)
    #expect(chip.runRecord?.frames == [])
    #expect(chip.takeNotes() == [])
  }

  @Test func `A stretch with interrupts off is as long as it was, and an interrupt waits for it`()
    throws
  {
    // 3 times 255 cycles in a loop.
    let chip = try Self.recorded(
      Self.ticking("sei; nop; cli; ldi r17, 255; round:; dec r17; brne round; sei; nop*9; cli"))
    let record = try #require(chip.runRecord)
    // CLI takes effect at its end.
    #expect(record.stretch?.vector == nil)
    var copy = chip
    let lengths = copy.takeNotes().compactMap {
      if case .off(let stretch) = $0.note { stretch.isOver ? stretch.length : nil } else { nil }
    }
    #expect(lengths.contains(1 + 764 + 1))
  }

  @Test func `A pin's edge in an interrupt knows how long that waited, and for what`() throws {
    var chip = try Self.recorded(
      Self.ticking(
        """
        DDRB=2; sei; nop; cli; ldi r17, 250
        round:; dec r17; brne round
        sei; nop; cli
        """, handler: "sbi PORTB, 1"))
    let edges = chip.takeEdges()
    #expect(edges.count == 1)
    let edge = try #require(edges.first)
    #expect(edge.vector == 16 && edge.pin == Pin(.B, 1))
    let delay = try #require(edge.delay)
    // Timer 0 overflows 256 cycles after it was started.
    #expect((480...520).contains(delay.length), "\(delay.length)")
    let blocker = try #require(delay.blocker)
    #expect(blocker.vector == nil && blocker.length > delay.length)
  }

  // In the second program, `loop` is a part of `main`.
  @Test(arguments: [
    ("rjmp main; f:; BODY; ret; main:; again:; rcall f; rjmp again", LoopCode.called(2), 4),
    ("again:; BODY; rjmp again", .inlined(begin: [0], between: [6]), 0),
  ])
  func `A turn of the loop is measured`(source: String, loop: LoopCode, around: UInt64) throws {
    let body = "ldi r17, 200; round:; dec r17; brne round"
    var chip = try Self.recorded(
      source.replacingOccurrences(of: "BODY", with: body), loop: loop)
    let turns = chip.takeNotes().compactMap {
      if case .turn(let cycles, isOver: true) = $0.note { cycles } else { nil }
    }
    // LDI and 200 rounds; RET.
    #expect(turns.last == 1 + 599 + around)
  }

  @Test func `A turn in which loop calls itself is measured as one`() throws {
    var chip = try Self.recorded(
      """
      rjmp main
      f:; dec r18; breq out; ldi r17, 200; round:; dec r17; brne round; rcall f
      out:; ret
      main:; ldi r18, 3; rcall f; rjmp end
      """, loop: .called(2))
    let turns = chip.takeNotes().compactMap {
      if case .turn(let cycles, isOver: true) = $0.note { cycles } else { nil }
    }
    // Twice 200 rounds in 614 cycles with the call's, and the third call without.
    #expect(turns.count == 1 && turns.allSatisfy { $0 > 2 * 600 })
  }

  @Test func `The samples of a period say where the program was`() throws {
    let chip = try Self.recorded(
      """
      rjmp main
      f:; r24=0; r25=0; wait:; sbiw r24, 1; brne wait; ret
      main:; rcall f; rjmp end
      """, for: 400_000)
    let record = try #require(chip.runRecord)
    let places = record.places(from: 20_000, to: 220_000)
    #expect(places.reduce(0) { $0 + $1.cycles } == 200_000)
    #expect(places.allSatisfy { record.tree.calls(to: $0.place?.node ?? 0).map(\.entry) == [2] })
    #expect(record.places(from: 390_000, to: 395_000).allSatisfy { $0.place?.node == 0 })
  }

  // A byte wakes it at 100 000, after which it runs on.
  @Test(arguments: [true, false])
  func `The time asleep is nowhere, and what ran after a period does not count`(
    skipsWaiting: Bool
  ) throws {
    var chip = try Assembler(
      """
      rjmp main; .org 36
      r24=UDR0; reti
      .org 60
      main:; UCSR0B=0x90; SMCR=1; sei; sleep
      """
    ).chip
    chip.skipsWaiting = skipsWaiting
    chip.recordRun(loop: nil, wholly: true)
    chip.run(until: 100_000)
    chip.startBit()
    chip.receive(0x58)
    chip.run(until: 200_000)
    let record = try #require(chip.runRecord)
    let asleep = record.places(from: 10_000, to: 99_900)
    #expect(asleep.allSatisfy { $0.place == nil })
    #expect(asleep.reduce(0) { $0 + $1.cycles } > 80_000)
    let awake = record.places(from: 110_000, to: 190_000)
    #expect(!awake.isEmpty && awake.allSatisfy { $0.place != nil })
  }

  // Two bytes and a part of the third wait while interrupts are off, and the fourth begins.
  @Test func `A byte that is lost as the next begins has its cause at once`() throws {
    var chip = try Self.recorded("UCSR0B=0x90; sei; nop; cli", for: 10_000)
    for _ in 0..<3 {
      chip.startBit()
      chip.run(until: chip.cycle + 16_000)
      chip.receive(0x58)
    }
    _ = chip.takeNotes()
    chip.startBit()
    guard case .overrun(let delay) = try #require(chip.takeNotes().first).note else {
      Issue.record("no overrun")
      return
    }
    let blocker = try #require(delay?.blocker)
    #expect(blocker.vector == nil && !blocker.isOver && blocker.end == chip.cycle)
    #expect(chip.runRecord?.openStretch(at: chip.cycle)?.begin == blocker.begin)
  }
}
