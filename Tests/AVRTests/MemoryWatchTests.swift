import TestSupport
import Testing

@testable import AVR

/// What a recorded run says that a program does with its memory and a correct one does not.
@Suite struct MemoryWatchTests {
  /// The variables end at 0x200, the code with the program, and `malloc` keeps the end of the heap
  /// at 0x100.
  private static func faults(
    _ source: String, cycles: UInt64 = 20_000
  ) throws -> [(fault: MemoryFault, pc: UInt16)] {
    let assembler = try Assembler(source)
    var layout = ProgramLayout()
    (layout.staticEnd, layout.heapEnd) = (0x200, 0x100)
    layout.code = [0..<UInt32(assembler.words.count * 2)]
    var chip = assembler.chip
    // What is below the stack counts as free.
    chip.core.sp = 0x2FF
    chip.recordRun(layout, loop: nil, wholly: false)
    chip.run(until: cycles)
    return chip.takeNotes().compactMap {
      if case .memory(let fault, let place) = $0.note { (fault, place.pc) } else { nil }
    }
  }

  /// Z points to a byte of the SRAM.
  private static let pointer = "ldi r30, 0x00; ldi r31, 3"

  // The first column has what is wrong; the second, the same without the mistake.
  @Test(
    arguments: [
      // What was never written decides: by a flag, by a bit, or by a comparison that skips.
      (
        "lds r16, 0x300; cpi r16, 5; breq end", "lds r16, 0x1F0; cpi r16, 5; breq end",
        .unset(.branch)
      ),
      (
        "lds r16, 0x300; sbrc r16, 3; nop", "lds r16, 0x300; ori r16, 8; sbrc r16, 3; nop",
        .unset(.branch)
      ),
      (
        "lds r16, 0x300; cpse r16, r17; nop", "lds r16, 0x300; eor r16, r16; cpse r16, r17; nop",
        .unset(.branch)
      ),
      // It is used as an address, or as a function's.
      (
        "lds r30, 0x300; ldi r31, 2; ld r16, z", "\(pointer); st z, r16; ld r30, z; ld r16, z",
        .unset(.address)
      ),
      ("lds r30, 0x300; ijmp", "ldi r30, end; lds r31, 0x300; andi r31, 0; ijmp", .unset(.address)),
      // It is written to a port, also after it was copied.
      (
        "lds r16, 0x300; sts 0x1F0, r16; lds r17, 0x1F0; push r17; pop r18; out PORTB, r18",
        "lds r16, 0x300; sts 0x1F0, r16; lds r17, 0x1F0; push r17; pop r18; sts 0x301, r18",
        .unset(.io)
      ),
      // A part of it is.
      (
        "lds r16, 0x300; andi r16, 0x0F; ori r16, 0x70; out PORTB, r16",
        "lds r16, 0x300; andi r16, 0x0F; ori r16, 0x0F; out PORTB, r16", .unset(.io)
      ),
      // The flags that an interrupt saves and restores are passed on.
      (
        "lds r16, 0x300; cpi r16, 1; in r17, SREG; cpi r18, 0; out SREG, r17; breq end",
        "lds r16, 0x300; cpi r16, 1; in r17, SREG; out SREG, r17; cpi r18, 0; breq end",
        .unset(.branch)
      ),
      // A function's variables are gone when it has returned.
      (
        "rcall f; in r28, SPL; in r29, SPH; sbiw r28, 4; out SPH, r29; out SPL, r28; lds r16, 0x2FD; out PORTB, r16; rjmp end; f:; push r20; pop r21; ret",
        "rcall f; in r28, SPL; in r29, SPH; sbiw r28, 4; out SPH, r29; out SPL, r28; sts 0x2FD, r17; lds r16, 0x2FD; out PORTB, r16; rjmp end; f:; push r20; pop r21; ret",
        .unset(.io)
      ),
      // A call of the next instruction makes room, and gives it no value.
      (
        "rcall next; next:; lds r16, 0x2FF; out PORTB, r16",
        "rcall next; next:; sts 0x2FF, r17; lds r16, 0x2FF; out PORTB, r16", .unset(.io)
      ),

      // The stack comes into the variables, or into the heap.
      (
        "ldi r16, 2; out SPH, r16; out SPL, r17; rcall f; rjmp end; f:; ret",
        "ldi r16, 2; ldi r17, 1; out SPH, r16; out SPL, r17; rcall f; rjmp end; f:; ret",
        .stack(isInHeap: false)
      ),
      (
        "ldi r17, 2; ldi r16, 0xFF; rcall grow; push r16; push r16; rjmp end; \(grow)",
        "ldi r17, 2; ldi r16, 0xFE; rcall grow; push r16; push r16; rjmp end; \(grow)",
        .stack(isInHeap: true)
      ),

      // The program leaves its code.
      ("ldi r31, 1; ijmp", "ldi r30, end; ijmp", .jump(to: 0x200)),
      ("jmp 0x3000", "jmp end", .jump(to: 0x6000)),
      ("ldi r31, 0x80; icall", "ldi r30, end; icall", .jump(to: 0x1_0000)),

      // What is stored over a return address by a function; one that replaces it on purpose pops it.
      (
        "rcall f; rjmp end; f:; ldi r17, end; sts 0x2FF, r17; ret",
        "rcall f; nop; rjmp end; f:; pop r31; pop r30; adiw r30, 1; push r30; push r31; ret",
        .wrongReturn(to: 12, by: RunRecord.Place(node: 1, pc: 6))
      ),
      // A register too many, or too few, is on the stack.
      (
        "rcall f; rjmp end; f:; push r20; ret", "rcall f; rjmp end; f:; push r20; pop r20; ret",
        .wrongReturn(to: 0, by: nil)
      ),
      (
        "rcall f; rjmp end; f:; rcall g; ret; g:; pop r20; ret",
        "rcall f; rjmp end; f:; rcall g; ret; g:; pop r20; push r20; ret",
        .wrongReturn(to: 0x600, by: nil)
      ),
    ] as [(String, String, MemoryFault)])
  func `A mistake is found where it is made, and the same program without it has none`(
    wrong: String, right: String, fault: MemoryFault
  ) throws {
    let found = try Self.faults(wrong).map { $0.fault }
    #expect(found.first == fault, "\(found)")
    #expect(try Self.faults(right).map { $0.fault } == [])
  }

  private static let grow = "grow:; sts 0x101, r17; sts 0x100, r16; ret"

  /// Timer 0 overflows each 256 cycles.
  private static func ticking(_ handler: String) -> String {
    """
    rjmp main; .org 32
    \(handler); reti
    .org 60
    main:; TIMSK0=1; TCCR0B=1; sei; wait:; rjmp wait
    """
  }

  @Test func `An interrupt that interrupts itself without returning is found`() throws {
    let long = "ldi r17, 100; round:; dec r17; brne round"
    let found = try Self.faults(Self.ticking("sei; \(long)"), cycles: 8_000)
    #expect(found.map { $0.fault } == [.nested(vector: 16, count: 9)])
    // One that lets others interrupt it, and is over in time.
    #expect(try Self.faults(Self.ticking("sei; push r17; pop r17")).isEmpty)
    #expect(try Self.faults(Self.ticking(long)).isEmpty)
  }

  @Test func `A program that switches between stacks of its own has no mistakes`() throws {
    // Two tasks: each saves its stack pointer, and continues with that of the other. The second
    // one's stack is in the variables.
    let found = try Self.faults(
      """
      rjmp main
      switch:; in r18, SPL; in r19, SPH
      lds r16, 0x110; lds r17, 0x111; sts 0x110, r18; sts 0x111, r19
      out SPL, r16; out SPH, r17; ret
      second:; rcall first; rcall switch; rjmp second
      first:; push r16; lds r20, 0x2FD; out PORTB, r20; pop r16; ret
      main:; push r16*3; pop r16*3; ldi r16, second; sts 0x14F, r16; ldi r16, 0x4D; ldi r17, 1; sts 0x110, r16
      sts 0x111, r17; again:; rcall switch; rjmp again
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `A program that measures its stack reads free memory`() throws {
    let source = "push r16*4; pop r16*4; lds r16, 0x2FE; out PORTB, r16; lds r16, 0x210; cpi r16, 1"
    #expect(try Self.faults("\(source); breq end").isEmpty)
  }

  @Test func `A fault is reported once for each place, and not without end`() throws {
    let reads = "lds r16, 0x300; out PORTB, r16;"
    #expect(try Self.faults("again:; \(reads) rjmp again").count == 1)
    let many = String(repeating: reads, count: 40)
    #expect(try Self.faults(many).count == 16)
  }

  @Test func `Without symbols, the memory counts as written`() throws {
    var chip = try Assembler("lds r16, 0x300; out PORTB, r16; jmp 0x3000").chip
    chip.recordRun(loop: nil, wholly: false)
    chip.run(until: 100)
    #expect(chip.takeNotes() == [] && chip.fault?.cause == .erased)
  }

  private static let calculations: Set<Operation> = [
    .add, .adc, .adiw, .sub, .subi, .sbc, .sbci, .sbiw, .and, .andi, .or, .ori, .eor, .com, .neg,
    .inc, .dec, .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu, .cp, .cpc, .cpi, .mov, .movw, .ldi,
    .lsr, .ror, .asr, .swap, .bset, .bclr, .bst, .bld, .push, .pop,
  ]

  @Test func `What has a value does not depend on what has none`() throws {
    for seed in Seeds.first(300) {
      var generator = SeededGenerator(seed: seed)
      var words: [UInt16] = []
      // Some registers have no value, or only some of their bits.
      for register in 0..<32 as Range<UInt16> where Bool.random(using: &generator) {
        words += [0x9000 | register << 4, 0x300 + register]
        if register >= 16 {
          words.append(0x7000 | (register - 16) << 4 | .random(in: 0...15, using: &generator))
        }
      }
      while words.count < 160 {
        let word = UInt16.random(in: .min ... .max, using: &generator)
        let operation = Decoder.decode(word, next: 0, at: 0).operation
        if Self.calculations.contains(operation) { words.append(word) }
      }
      var layout = ProgramLayout()
      layout.staticEnd = 0x200
      var chip = ATmega328P(
        flash: [(0, words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })])
      var other = chip
      for address in 0x300..<0x320 {
        chip.data[address] = .random(in: .min ... .max, using: &generator)
        other.data[address] = .random(in: .min ... .max, using: &generator)
      }
      // What is below the stack counts as free.
      (chip.core.sp, other.core.sp) = (0x2F0, 0x2F0)
      chip.recordRun(layout, loop: nil, wholly: false)
      while chip.fault == nil, Int(chip.programCounter) < words.count * 2 {
        chip.run(until: chip.cycle + 1)
        other.run(until: other.cycle + 1)
        let memory = try #require(chip.runRecord?.memory)
        let isSame =
          DataSpace.registers.allSatisfy {
            (chip.data[$0] ^ other.data[$0]) & ~memory.unset[$0] == 0
          } && (chip.statusRegister ^ other.statusRegister) & ~memory.unsetStatus == 0
        guard isSame else {
          Issue.record("seed \(seed): wrong before 0x\(String(chip.programCounter, radix: 16))")
          break
        }
      }
    }
  }
}
