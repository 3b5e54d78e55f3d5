import TestSupport
import Testing

@testable import AVR

/// Skipping a program's idle waiting must not change anything.
@Suite("Skipping idle waiting")
struct WaitingTests {
  /// Two copies of a chip. One executes everything.
  private struct Pair {
    var quick: ATmega328P
    var plain: ATmega328P

    init(_ chip: ATmega328P) {
      quick = chip
      plain = chip
      plain.skipsWaiting = false
    }

    mutating func receive(_ byte: UInt8) {
      quick.receive(byte)
      plain.receive(byte)
    }

    /// Whether both are equal after `cycles` more cycles and have emitted the same events.
    mutating func agreeAfter(_ cycles: UInt64) -> Bool {
      let end = quick.cycle + cycles
      quick.run(until: end)
      plain.run(until: end)
      let isSameToSee = quick.takeEvents() == plain.takeEvents()
      var copy = quick
      copy.skipsWaiting = false
      return isSameToSee && copy == plain
    }
  }

  private static let byteCycles: UInt64 = 16_667

  @Test(arguments: Prebuilt.allCases, [UInt64(1), 2, 3])
  func `A chip that skips idle waiting always has the same state as one that does not`(
    sketch: Prebuilt, seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let words = ["X90.", "L", "X7.L", "junk", "X12", "\u{1}", "T", "?", "V", "XL", "X181."]
    var pair = Pair(try sketch.chip)
    while pair.quick.cycle < 6 * 16_000_000 {
      if Bool.random(using: &generator) {
        for byte in words.randomElement(using: &generator)!.utf8 {
          pair.receive(byte)
          let isSame = pair.agreeAfter(Self.byteCycles)
          #expect(isSame, "seed \(seed)")
        }
      }
      let pause = UInt64.random(in: 1...3_000_000, using: &generator)
      guard pair.agreeAfter(pause) else {
        Issue.record("seed \(seed): they differ at cycle \(pair.quick.cycle)")
        return
      }
    }
  }

  @Test
  func `The loop that is skipped is delay's, and not the one by which micros shifts within it`()
    throws
  {
    var chip = try Prebuilt.classic.chip
    chip.run(until: 8_000_000)
    chip.receive(0x4C)
    var periods: Set<UInt64> = []
    for _ in 0..<300 {
      chip.run(until: chip.cycle + 320_000)
      if let loop = chip.waiting.value.loop, loop.readsTime { periods.insert(loop.period) }
    }
    // An iteration of delay takes 72 cycles. Micros passes the head of its own loop twice in them.
    #expect(periods == [72])
  }

  @Test
  func `Skipping ends in time when an interrupt handler changes its own timer`() {
    // The handler of Timer 1's compare A adds 2 999 to OCR1A; the main loop polls TCNT0.
    let program: [UInt16] = [
      0xC01B  // rjmp main
    ]
    var words = [UInt16](repeating: 0, count: 0x40)
    words[0] = program[0]
    // TIMER1_COMPA, vector 11 at word 22: rjmp to 0x30.
    words[22] = 0xC000 | UInt16(0x30 - 23)
    let main: [UInt16] = [
      0xE003,  // ldi r16, 3
      0xBD05,  // out TCCR0B, r16
      0xE001,  // ldi r16, 1
      0x9300, 0x0081,  // sts TCCR1B, r16
      0xE002,  // ldi r16, 2
      0x9300, 0x006F,  // sts TIMSK1, r16
      0x9478,  // sei
      0xB516,  // in r17, TCNT0
      0x3F1F,  // cpi r17, 0xFF
      0xF7E9,  // brne .-6
      0xCFFC,  // rjmp .-8
    ]
    words.replaceSubrange(0x1C..<0x1C + main.count, with: main)
    let handler: [UInt16] = [
      0xEB27,  // ldi r18, 0xB7
      0xE03B,  // ldi r19, 0x0B
      0x9100, 0x0088,  // lds r16, OCR1AL
      0x9110, 0x0089,  // lds r17, OCR1AH
      0x0F02,  // add r16, r18
      0x1F13,  // adc r17, r19
      0x9310, 0x0089,  // sts OCR1AH, r17
      0x9300, 0x0088,  // sts OCR1AL, r16
      0x9518,  // reti
    ]
    words.replaceSubrange(0x30..<0x30 + handler.count, with: handler)
    let bytes = words.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    var pair = Pair(ATmega328P(flash: [(0, bytes)]))
    for _ in 0..<200 {
      let isSame = pair.agreeAfter(7_919)
      #expect(isSame)
    }
    #expect(pair.quick.fault == nil)
  }
}
