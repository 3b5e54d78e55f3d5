import AVR
import Devices
import Sketches
import Testing

@testable import ChipDevice

@Suite("Tones") struct ToneTests {
  private static let limits = ToneLimits(.uno)
  /// 1 kHz.
  private static let half: UInt64 = 8_000

  /// What a timer and the pins do, in order of time.
  private enum Step {
    case waveform(UInt64, OutputCompare)
    case edge(UInt64, pin: UInt8)
  }

  private static func interrupt(
    _ cycles: UInt64?, _ unit: OutputCompare.Unit = .OC2A
  ) -> OutputCompare {
    OutputCompare(
      unit: unit, drivesPin: false, pulseCycles: nil, matchCycles: cycles.map { UInt32($0) })
  }

  private static func toggle(_ cycles: UInt64, output: Bool = true) -> OutputCompare {
    OutputCompare(
      unit: .OC2A, drivesPin: true, pulseCycles: nil, matchCycles: UInt32(cycles),
      togglesOutput: output)
  }

  /// Edges of a pin.
  private static func edges(
    from first: UInt64, every period: UInt64 = half, _ count: UInt64, pin: UInt8 = 11
  ) -> [Step] {
    (0..<count).map { .edge(first + $0 * period, pin: pin) }
  }

  /// The tones as cycle and half period; 0 for an end.
  private static func tones(_ steps: [Step], until end: UInt64) -> [[UInt64]] {
    var watch = ToneWatch()
    var found: [[UInt64]] = []
    func add(_ change: ToneWatch.Change?) {
      if let change { found.append([change.cycle, UInt64(change.halfPeriod ?? 0)]) }
    }
    for step in steps {
      switch step {
      case .waveform(let cycle, let waveform):
        add(watch.settle(at: cycle, limits))
        add(watch.take(waveform, byInterrupt: true, at: cycle, limits))
      case .edge(let cycle, let pin):
        add(watch.settle(at: cycle, limits))
        add(watch.edge(of: pin, isHigh: false, at: cycle, limits))
      }
    }
    add(watch.settle(at: end, limits))
    #expect(watch.undecided == nil, "nothing waits for ever")
    return found
  }

  @Test func `A timer's interrupt is no tone unless a pin toggles with it`() {
    #expect(Self.tones([.waveform(0, Self.interrupt(Self.half))], until: 10_000_000).isEmpty)
    // An LED that blinks, and pulses of 1 ms now and then.
    let led = Self.edges(from: 5_000, every: 500 * Self.half, 20, pin: 13)
    let pulses = (1...20 as ClosedRange<UInt64>).flatMap {
      Self.edges(from: $0 * 320_000, 2, pin: 7)
    }
    for others in [led, pulses] {
      let steps = [.waveform(0, Self.interrupt(Self.half))] + others
      #expect(Self.tones(steps, until: 200_000_000).isEmpty)
    }
  }

  @Test func `An interrupt that toggles a pin is one tone, from when it was set up`() {
    var steps: [Step] = [.waveform(100, Self.interrupt(Self.half))]
    for number in 1...50 as ClosedRange<UInt64> {
      // Other interrupts delay an edge, and the timer's registers are written again.
      steps.append(.edge(100 + number * Self.half + number % 3 * 90, pin: 11))
      steps.append(.waveform(100 + number * Self.half + 400, Self.interrupt(Self.half)))
    }
    steps.append(.waveform(405_000, Self.interrupt(nil)))
    #expect(Self.tones(steps, until: 500_000) == [[100, Self.half], [405_000, 0]])
  }

  @Test func `A tone ends when an edge is missing, and begins again`() {
    let steps =
      [.waveform(0, Self.interrupt(Self.half))] + Self.edges(from: Self.half, 10)
      + Self.edges(from: 2_000_000, 10)
    let slack = Self.limits.slack(UInt32(Self.half))
    #expect(
      Self.tones(steps, until: 3_000_000) == [
        [0, Self.half], [10 * Self.half + Self.half * 3 / 2 + slack, 0],
        [2_000_000, Self.half], [2_000_000 + 9 * Self.half + Self.half * 3 / 2 + slack, 0],
      ])
  }

  @Test func `Another tone replaces the one that sounds, even if it differs little`() {
    for next in [Self.half * 3 / 4, Self.half * 99 / 100] {
      let steps =
        [.waveform(0, Self.interrupt(Self.half))] + Self.edges(from: Self.half, 10)
        + [.waveform(82_000, Self.interrupt(next))]
        + Self.edges(from: 82_000 + next, every: next, 9)
        + [.waveform(200_000, Self.interrupt(nil))]
      #expect(
        Self.tones(steps, until: 300_000).filter { $0[0] != 0 || $0[1] != 0 }.map { $0[1] }
          .filter { $0 > 0 } == [Self.half, next])
    }
  }

  @Test func `Two pins that toggle together make one tone`() {
    var steps: [Step] = [.waveform(0, Self.interrupt(Self.half, .OC1A))]
    for number in 1...20 as ClosedRange<UInt64> {
      steps.append(.edge(number * Self.half, pin: 9))
      steps.append(.edge(number * Self.half + 4, pin: 10))
    }
    steps.append(.waveform(170_000, Self.interrupt(nil, .OC1A)))
    #expect(Self.tones(steps, until: 300_000) == [[0, Self.half], [170_000, 0]])
  }

  @Test func `A pin that its timer toggles is a tone at once, and again only if it is set up anew`()
  {
    var steps: [Step] = [
      .waveform(10, Self.toggle(Self.half)), .waveform(14, Self.toggle(Self.half)),
    ]
    steps += Self.edges(from: Self.half, 4)
    steps.append(.waveform(34_000, Self.toggle(Self.half)))
    steps += Self.edges(from: 42_000, 4)
    steps.append(.waveform(70_000, Self.interrupt(nil)))
    #expect(
      Self.tones(steps, until: 100_000) == [[10, Self.half], [34_000, Self.half], [70_000, 0]])
  }

  @Test func `A pin that is an input does not sound, and one that is inaudible neither`() {
    #expect(
      Self.tones([.waveform(0, Self.toggle(Self.half, output: false))], until: 9_000_000).isEmpty)
    for cycles in [1, 399, 300_000] as [UInt64] {
      #expect(Self.tones([.waveform(0, Self.toggle(cycles))], until: 9_000_000).isEmpty)
    }
    #expect(Self.tones([.waveform(0, Self.toggle(400))], until: 300).count == 1)
  }

  /// A program with a table of 26 vectors, in which only some have a handler of their own.
  private static func sketch(handling vectors: [UInt16], isShort: Bool, hasTable: Bool)
    -> ChipSketch
  {
    var sketch = ChipSketch()
    for vector in 0..<26 as Range<UInt16> {
      // The common handler is at word 52, the others follow it.
      let target = vector == 0 || vectors.contains(vector) ? 53 + vector : 52
      let distance = (target - (2 * vector + 1)) & 0x0FFF
      sketch.words += isShort ? [0xC000 | distance, 0] : [0x940C, target]
    }
    sketch.words += Array(repeating: 0xCFFF, count: 28)
    sketch.tableSize = hasTable ? 36 : nil
    return sketch
  }

  /// Compare match A is vector 7 of Timer 2 and vector 11 of Timer 1.
  @Test(arguments: [false, true])
  func `Outputs lag only if the program can make a tone`(_ isShort: Bool) throws {
    for (vectors, hasTable, lag) in [
      ([], true, 0), ([11], true, 0), ([7, 11], true, 60), ([12], true, 60), ([16], true, 0),
      ([11], false, 75),
    ] as [([UInt16], Bool, Int64)] {
      let sketch = Self.sketch(handling: vectors, isShort: isShort, hasTable: hasTable)
      #expect(try sketch.device().capabilities.lag == .milliseconds(lag), "\(vectors)")
    }
  }

  @Test func `A chip's timer sounds only on a pin that is an output`() throws {
    // Timer 2 toggles OC2A at 1 kHz. TCCR2A, OCR2A and TCCR2B are at 0xB0, 0xB3 and 0xB1.
    let timer = ChipSketch().write(0x42, to: 0xB0).write(124, to: 0xB3).write(4, to: 0xB1)
    let output = timer.write(8, to: Address.ddrb)
    for (sketch, expected) in [
      (timer.pause(250), []), (output.pause(250), [1_000]),
      (output.pause(250).write(0, to: 0xB0).pause(250), [1_000, 0]),
      (output.pause(250).write(124, to: 0xB3).pause(100).write(124, to: 0xB3).pause(100), [1_000]),
      // The pin becomes an input: an edge is missing.
      (output.pause(250).write(0, to: Address.ddrb).pause(250), [1_000, 0]),
      // PRTIM2 stops the clock.
      (output.pause(250).write(0x40, to: 0x64).pause(250), [1_000, 0]),
    ] as [(ChipSketch, [Double])] {
      var device = try sketch.device()
      var recorder = Recorder()
      device.advance(to: .zero + .milliseconds(60), into: &recorder)
      let tones = recorder.outputs.compactMap {
        if case .tone(let hertz) = $0.output { hertz } else { nil }
      }
      #expect(tones == expected)
    }
  }
}
