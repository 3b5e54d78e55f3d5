import Testing

@testable import AVR

/// The timers, according to the data sheet. A write takes effect when the next instruction begins,
/// at E. After n NOPs, IN reads at E + n, and LDS at E + n + 1.
@Suite("Programs for the timers")
struct TimerProgramTests {
  /// The prescaler runs from the reset, so with a divisor d the first clock edge is in cycle d.
  /// Timer 0's clock is selected in cycle 2, and the two reads are in the cycles d - 1 and d; the
  /// others' in cycle 3, and the reads are in d - 1 and d + 1.
  static let prescalers: [SmallProgram] = {
    var rows: [SmallProgram] = []
    for (select, divisor) in [(2, 8), (3, 64), (4, 256), (5, 1024)] {
      rows.append(
        SmallProgram(
          "Timer 0, clk/\(divisor)",
          "TCCR0B=\(select); nop*\(divisor - 3); in r20, TCNT0; in r21, TCNT0", 0, 1))
      rows.append(
        SmallProgram(
          "Timer 1, clk/\(divisor)",
          "TCCR1B=\(select); nop*\(divisor - 5); lds r20, TCNT1L; lds r21, TCNT1L", 0, 1))
    }
    for (select, divisor) in [(2, 8), (3, 32), (4, 64), (5, 128), (6, 256), (7, 1024)] {
      rows.append(
        SmallProgram(
          "Timer 2, clk/\(divisor)",
          "TCCR2B=\(select); nop*\(divisor - 5); lds r20, TCNT2; lds r21, TCNT2", 0, 1))
    }
    return rows
  }()

  static let clocks = [
    SmallProgram("Timer 0, clk/1", "TCCR0B=1; nop*7; in r20, TCNT0; in r21, TCNT0", 7, 8),
    SmallProgram("Timer 1, clk/1", "TCCR1B=1; nop*7; lds r20, TCNT1L; lds r21, TCNT1L", 8, 10),
    SmallProgram("Timer 2, clk/1", "TCCR2B=1; nop*7; lds r20, TCNT2; lds r21, TCNT2", 8, 10),
    SmallProgram("a stopped timer", "TCCR0B=1; nop*3; TCCR0B=0; nop*50; in r20, TCNT0", 5),
    SmallProgram(
      "PSRSYNC restarts the prescaler: written in cycle 7, the next edge is in cycle 15",
      "TCCR0B=2; nop*3; GTCCR=1; nop*7; in r20, TCNT0; in r21, TCNT0; in r22, GTCCR", 0, 1, 0),
    SmallProgram(
      "PSRASY restarts Timer 2's: written in cycle 7, the next edge is in cycle 15",
      "TCCR2B=2; nop*2; GTCCR=2; nop*6; lds r20, TCNT2; lds r21, TCNT2", 0, 1),
    SmallProgram(
      "TSM holds the timer", "TCCR0B=1; GTCCR=0x81; nop*20; in r20, TCNT0; in r21, GTCCR", 2,
      0x81),
    SmallProgram(
      "the timer continues when TSM is cleared",
      "TCCR0B=1; GTCCR=0x81; nop*20; GTCCR=0; in r20, TCNT0; in r21, TCNT0", 2, 3),
    SmallProgram(
      "PRTIM0 stops Timer 0", "TCCR0B=1; PRR=0x20; in r20, TCNT0; nop*9; in r21, TCNT0", 3, 3),
    SmallProgram(
      "PRTIM1 stops Timer 1", "TCCR1B=1; PRR=0x08; lds r20, TCNT1L; nop*9; lds r21, TCNT1L", 3,
      3),
    SmallProgram(
      "PRTIM2 stops Timer 2", "TCCR2B=1; PRR=0x40; lds r20, TCNT2; nop*9; lds r21, TCNT2", 3, 3),
  ]

  @Test(arguments: prescalers + clocks)
  func `A timer counts the edges of its clock`(_ program: SmallProgram) throws {
    try program.check()
  }

  private static let go0 = "r17=1; out TCCR0B, r17; "
  private static let go7 = "r17=9; out TCCR0B, r17; "

  /// Flags are set with the edge after the match. OCR0B is 0 unless written, so OCF0B (4) is set
  /// early.
  static let eightBitModes = [
    SmallProgram(
      "mode 0: TOV with the edge from 255 to 0",
      "TCNT0=254; \(go0) nop; in r20, TIFR0; in r21, TIFR0; in r22, TCNT0", 0, 1, 1),
    SmallProgram(
      "mode 1: down again after 255",
      "TCCR0A=1; TCNT0=254; \(go0) nop; in r20, TCNT0; in r21, TCNT0",
      255, 254),
    SmallProgram(
      "mode 2: OCR0A is TOP", "OCR0A=9; TCCR0A=2; \(go0) nop*9; in r20, TCNT0; in r21, TCNT0", 9,
      0),
    SmallProgram(
      "mode 2: OCF0A with the edge after TOP, no TOV",
      "OCR0A=9; TCCR0A=2; \(go0) nop*9; in r20, TIFR0; in r21, TIFR0", 4, 6),
    SmallProgram(
      "mode 3: 0 after 255", "TCCR0A=3; TCNT0=254; \(go0) nop; in r20, TCNT0; in r21, TCNT0", 255,
      0),
    SmallProgram(
      "mode 5: down again after OCR0A",
      "OCR0A=9; TCCR0A=1; \(go7) nop*9; in r20, TCNT0; in r21, TCNT0", 9, 8),
    SmallProgram(
      "mode 5: up again after 0",
      "OCR0A=9; TCCR0A=1; \(go7) nop*18; in r20, TCNT0; in r21, TCNT0", 0, 1),
    SmallProgram(
      "mode 5: TOV with the edge that leaves 0",
      "OCR0A=9; TCCR0A=1; TCNT0=1; \(go7) nop*17; in r20, TIFR0; in r21, TIFR0", 2, 7),
    SmallProgram(
      "mode 5: TOV with the first edge, if it starts at 0",
      "OCR0A=9; TCCR0A=1; in r20, TIFR0; \(go7) in r21, TIFR0; in r22, TIFR0", 0, 0, 5),
    SmallProgram(
      "mode 7: 0 after OCR0A", "OCR0A=9; TCCR0A=3; \(go7) nop*9; in r20, TCNT0; in r21, TCNT0", 9,
      0),
    SmallProgram(
      "mode 7: TOV with the edge after TOP",
      "OCR0A=9; TCCR0A=3; \(go7) nop*9; in r20, TIFR0; in r21, TIFR0", 4, 7),
    SmallProgram(
      "a write of TCNT0 blocks the match on the next edge",
      "OCR0A=9; r18=9; \(go0) out TCNT0, r18; nop*20; in r20, TIFR0", 4),
    SmallProgram(
      "a flag is cleared by writing 1",
      "OCR0A=5; \(go0) nop*10; r18=2; out TIFR0, r18; in r20, TIFR0", 4),
    SmallProgram(
      "a count past a new TOP goes on to 255",
      "OCR0A=50; TCCR0A=2; r18=10; \(go0) nop*20; out OCR0A, r18; in r20, TCNT0; nop*240; "
        + "in r21, TCNT0", 21, 6),
    SmallProgram(
      "Timer 2, mode 2", "OCR2A=9; TCCR2A=2; TCCR2B=1; nop*8; lds r20, TCNT2; lds r21, TCNT2", 9,
      1),
    SmallProgram(
      "Timer 2, mode 5", "OCR2A=9; TCCR2A=1; TCCR2B=9; nop*8; lds r20, TCNT2; lds r21, TCNT2", 9,
      7),
    SmallProgram(
      "Timer 2, mode 7", "OCR2A=9; TCCR2A=3; TCCR2B=9; nop*8; lds r20, TCNT2; lds r21, TCNT2", 9,
      1),
    SmallProgram(
      "Timer 2, mode 0: TOV2", "TCNT2=254; TCCR2B=1; nop; in r20, TIFR2; in r21, TIFR2", 0, 1),
  ]

  @Test(arguments: eightBitModes)
  func `An 8-bit timer counts as its mode says`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// Every mode of Timer 1 but the reserved one. TOP is 9 where it is OCR1A or ICR1, and the reads
  /// are at E + 9 and E + 11. Otherwise the count starts 1 below TOP and is read at E + 1 and at
  /// E + 5.
  static let sixteenBitModes: [SmallProgram] = {
    var rows: [SmallProgram] = []
    for mode in 0..<16 where mode != 13 {
      let setMode = "TCCR1A=\(mode & 3); TCCR1B=\((mode & 12) << 1); "
      let go = "TCCR1B=\((mode & 12) << 1 | 1); "
      let isDual = (1...3).contains(mode) || (8...11).contains(mode)
      let tops = [0: 0xFFFF, 1: 0xFF, 2: 0x1FF, 3: 0x3FF, 5: 0xFF, 6: 0x1FF, 7: 0x3FF]
      if let top = tops[mode] {
        let read = "lds r20, TCNT1L; lds r21, TCNT1H; lds r22, TCNT1L"
        rows.append(
          SmallProgram(
            "mode \(mode): TOP is \(top)", "\(setMode) TCNT1=\(top - 1); \(go) \(read)", 0xFF,
            UInt8(top >> 8), isDual ? 0xFB : 3))
      } else {
        rows.append(
          SmallProgram(
            "mode \(mode): TOP is 9",
            "OCR1A=9; ICR1=9; \(setMode) \(go) nop*8; lds r20, TCNT1L; lds r21, TCNT1L", 9,
            isDual ? 7 : 1))
      }
    }
    return rows
  }()

  static let sixteenBits = [
    SmallProgram(
      "the high byte is latched by reading the low one",
      "TCNT1=0x1FE; TCCR1B=1; lds r20, TCNT1L; nop*9; lds r21, TCNT1H", 0xFF, 1),
    SmallProgram(
      "one TEMP for all registers", "OCR1AH=0x12; OCR1BL=0x34; r20=OCR1BL; r21=OCR1BH", 0x34, 0x12),
    SmallProgram(
      "ICF1 at TOP", "ICR1=9; TCCR1B=0x19; nop*9; in r20, TIFR1; in r21, TIFR1", 6, 0x26),
    SmallProgram(
      "an edge on ICP1, which the program drives itself: SBI takes effect at E + 7",
      "sbi DDRB, 0; TCCR1B=0x41; nop*5; sbi PORTB, 0; lds r20, ICR1L; in r21, TIFR1", 7, 0x26),
    SmallProgram(
      "the other edge captures nothing",
      "sbi DDRB, 0; TCCR1B=0x01; nop*5; sbi PORTB, 0; lds r20, ICR1L; in r21, TIFR1", 0, 6),
  ]

  @Test(arguments: sixteenBitModes + sixteenBits)
  func `Timer 1 counts as its mode says`(_ program: SmallProgram) throws { try program.check() }

  /// OCR0B changes from 0 to 50 after the timer has started; then its flag is cleared.
  private static func buffered(_ mode: String, nops: Int) -> String {
    "\(mode); r18=50; r19=0xFF; \(go0) out OCR0B, r18; out TIFR0, r19; nop*\(nops); "
      + "in r20, TIFR0"
  }

  static let buffers = [
    SmallProgram("mode 0: at once", buffered("TCCR0A=0", nops: 60), 4),
    SmallProgram("mode 1: not before TOP", buffered("TCCR0A=1", nops: 250), 0),
    SmallProgram(
      "mode 1: from TOP, with the match on the way down", buffered("TCCR0A=1", nops: 470), 4),
    SmallProgram("mode 2: at once", buffered("OCR0A=200; TCCR0A=2", nops: 60), 4),
    SmallProgram("mode 3: not before BOTTOM", buffered("TCCR0A=3", nops: 200), 0),
    SmallProgram("mode 3: from BOTTOM", buffered("TCCR0A=3", nops: 330), 7),
    SmallProgram("reads show the buffer", "TCCR0A=3; TCCR0B=1; OCR0B=50; in r20, OCR0B", 50),
  ]

  @Test(arguments: buffers)
  func `A compare register takes effect when its mode says`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// The interrupt of each flag, at its vector, in two words each.
  private static func interrupt(_ vector: Int, _ setUp: String) -> String {
    "rjmp main; .org \(2 * vector); inc r20; reti; .org 60; main:; "
      + "r20=0; \(setUp); sei; nop*40; cli"
  }

  static let interrupts = [
    SmallProgram("TIMER2_COMPA", interrupt(7, "OCR2A=30; TIMSK2=2; TCCR2B=1"), 1),
    SmallProgram("TIMER2_COMPB", interrupt(8, "OCR2B=30; TIMSK2=4; TCCR2B=1"), 1),
    SmallProgram("TIMER2_OVF", interrupt(9, "TCNT2=240; TIMSK2=1; TCCR2B=1"), 1),
    SmallProgram("TIMER1_COMPA", interrupt(11, "OCR1A=30; TIMSK1=2; TCCR1B=1"), 1),
    SmallProgram("TIMER1_COMPB", interrupt(12, "OCR1B=30; TIMSK1=4; TCCR1B=1"), 1),
    SmallProgram("TIMER1_OVF", interrupt(13, "TCNT1=0xFFF0; TIMSK1=1; TCCR1B=1"), 1),
    SmallProgram("TIMER0_COMPA", interrupt(14, "OCR0A=30; TIMSK0=2; TCCR0B=1"), 1),
    SmallProgram("TIMER0_COMPB", interrupt(15, "OCR0B=30; TIMSK0=4; TCCR0B=1"), 1),
    SmallProgram("TIMER0_OVF", interrupt(16, "TCNT0=240; TIMSK0=1; TCCR0B=1"), 1),
  ]

  @Test(arguments: interrupts)
  func `A timer's flag interrupts the program`(_ program: SmallProgram) throws {
    try program.check()
  }
}
