import TestSupport
import Testing

@testable import AVR

@Suite("Lazy timers")
struct LazyTimerTests {
  /// Random settings, writes and reads. Counts, flags and pins must equal those of a timer that is
  /// stepped on every clock.
  @Test(arguments: 0..<300)
  func `A timer that is read rarely matches one that is stepped on every clock`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let is16Bit = Bool.random(using: &random)
    let wgm = UInt8.random(in: 0...(is16Bit ? 15 : 7), using: &random)
    // Reserved modes are left out.
    guard wgm != 13, is16Bit || (wgm != 4 && wgm != 6) else { return }
    let comA = UInt8.random(in: 0...3, using: &random)
    let comB = UInt8.random(in: 0...3, using: &random)
    // Small values make the timer wrap often.
    let range = Bool.random(using: &random) ? 0...12 : 0...255
    let shift = UInt64.random(in: 0...1, using: &random) * 3
    let mask: UInt8 = [0, 1, 2, 4, 7][Int.random(in: 0..<5, using: &random)]
    var stepped = SteppedTimer(
      is16Bit: is16Bit, wgm: wgm, comA: comA, comB: comB, ocrA: 0, ocrB: 0, icr: 0, bufferA: 0,
      bufferB: 0)
    var chip = Peripherals()
    chip.write(.DDRB, 0x06)
    chip.write(.DDRD, 0x60)
    chip.write(is16Bit ? .TIMSK1 : .TIMSK0, mask)
    let mode = wgm & 3 | comA << 6 | comB << 4
    let clock: UInt8 = shift == 0 ? 1 : 2
    if is16Bit {
      chip.write(.TCCR1A, mode)
      chip.write(.TCCR1B, (wgm & 12) << 1 | clock)
    } else {
      chip.write(.TCCR0A, mode)
      chip.write(.TCCR0B, (wgm & 4) << 1 | clock)
    }
    let pins = is16Bit ? (Pin(.B, 1), Pin(.B, 2)) : (Pin(.D, 6), Pin(.D, 5))
    var expectedA: [Edge] = []
    var expectedB: [Edge] = []
    var ticks: UInt64 = 0
    var cycle: UInt64 = 0

    func step(to cycle: UInt64) {
      while ticks < cycle >> shift {
        let before = stepped
        stepped.tick()
        ticks += 1
        let now = ticks << shift
        if stepped.isAHigh != before.isAHigh { expectedA.append(Edge(now, stepped.isAHigh)) }
        if stepped.isBHigh != before.isBHigh { expectedB.append(Edge(now, stepped.isBHigh)) }
      }
    }

    for _ in 0..<60 {
      cycle += UInt64.random(in: 0...(Bool.random(using: &random) ? 20 : 2000), using: &random)
      step(to: cycle)
      let value = Int.random(in: range, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        stepped.write(ocrA: value)
        is16Bit
          ? chip.write16(.OCR1AL, UInt16(value), at: cycle)
          : chip.write(.OCR0A, UInt8(value), at: cycle)
      case 1:
        stepped.write(ocrB: value)
        is16Bit
          ? chip.write16(.OCR1BL, UInt16(value), at: cycle)
          : chip.write(.OCR0B, UInt8(value), at: cycle)
      case 2 where is16Bit:
        stepped.icr = value
        chip.write16(.ICR1L, UInt16(value), at: cycle)
      case 3:
        stepped.write(count: value)
        is16Bit
          ? chip.write16(.TCNT1L, UInt16(value), at: cycle)
          : chip.write(.TCNT0, UInt8(value), at: cycle)
      case 4, 5:
        let cleared = UInt8.random(in: 0...255, using: &random)
        stepped.flags &= ~cleared
        chip.write(is16Bit ? .TIFR1 : .TIFR0, cleared, at: cycle)
      default:
        let count = is16Bit ? chip.read16(.TCNT1L, at: cycle) : UInt16(chip.read(.TCNT0, at: cycle))
        #expect(count == stepped.count, "cycle \(cycle)")
        #expect(chip.read(is16Bit ? .TIFR1 : .TIFR0, at: cycle) == stepped.flags)
        #expect(chip.isInterruptPending == (stepped.flags & mask != 0))
      }
    }
    let isConnected = { (com: UInt8, isA: Bool) in
      let toggling: [UInt8] = is16Bit ? [9, 11, 14, 15] : [5, 7]
      let plain: [UInt8] = is16Bit ? [0, 4, 12] : [0, 2]
      return com >= 2 || (com == 1 && (plain.contains(wgm) || (isA && toggling.contains(wgm))))
    }
    #expect(chip.edges(of: pins.0, until: cycle) == (isConnected(comA, true) ? expectedA : []))
    #expect(chip.edges(of: pins.1, until: cycle) == (isConnected(comB, false) ? expectedB : []))
  }

  /// Compares the figures of `.waveform` with the actual pulses.
  @Test(arguments: 0..<200)
  func `The reported waveform matches the pulses on the pin`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let wgm = [UInt8(1), 3, 5, 7][Int.random(in: 0..<4, using: &random)]
    let topValue = UInt8.random(in: 3...255, using: &random)
    let ocr = UInt8.random(in: 0...255, using: &random)
    var chip = Peripherals()
    chip.write(.DDRD, 0x20)
    chip.write(.OCR0A, topValue)
    chip.write(.OCR0B, ocr)
    chip.write(.TCCR0A, wgm & 3 | (Bool.random(using: &random) ? 0x20 : 0x30))
    chip.write(.TCCR0B, (wgm & 4) << 1 | 2)
    let said = try #require(chip.waveforms.last { $0.unit == .OC0B })
    #expect(said.drivesPin)
    let pulse = try #require(said.pulseCycles)
    let saidPeriod = try #require(said.periodCycles)
    let edges = chip.edges(of: Pin(.D, 5), until: 50_000).filter { $0.cycle > 10_000 }
    let top = wgm >= 4 ? UInt64(topValue) : 255
    let period = 8 * (wgm & 3 == 1 ? 2 * top : top + 1)
    #expect(UInt64(saidPeriod) == period)
    if let rise = edges.firstIndex(where: \.isHigh), rise + 2 < edges.count {
      #expect(edges[rise + 1].cycle - edges[rise].cycle == pulse)
      #expect(edges[rise + 2].cycle - edges[rise].cycle == period)
    } else {
      #expect(edges.isEmpty)
      #expect(UInt64(pulse) == (chip.level(of: Pin(.D, 5)) ? period : 0))
    }
  }
}
