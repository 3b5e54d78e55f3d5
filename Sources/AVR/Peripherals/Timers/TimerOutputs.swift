/// What the timers last applied to the pins and reported, so that only changes are passed on.
struct TimerOutputs: Hashable, Sendable {
  /// The pins of a port that timers override, and their levels.
  struct Override: Hashable, Sendable {
    var pins: UInt8 = 0
    var levels: UInt8 = 0

    mutating func add(_ unit: CompareUnit, bit: UInt8) {
      guard unit.action != .none else { return }
      pins |= 1 << bit
      if unit.isHigh { levels |= 1 << bit }
    }
  }

  var B = Override()
  var D = Override()
  private var OC0A = OutputCompare.Figures.none
  private var OC0B = OutputCompare.Figures.none
  private var OC1A = OutputCompare.Figures.none
  private var OC1B = OutputCompare.Figures.none
  private var OC2A = OutputCompare.Figures.none
  private var OC2B = OutputCompare.Figures.none

  /// Makes the unit's next waveform count as a change, unless it is none.
  mutating func forget(_ unit: OutputCompare.Unit) { _ = change(unit, to: .none) }

  /// Stores the waveform. Returns whether it has changed.
  mutating func change(_ unit: OutputCompare.Unit, to figures: OutputCompare.Figures) -> Bool {
    func replace(_ last: inout OutputCompare.Figures) -> Bool {
      defer { last = figures }
      return last != figures
    }
    return switch unit {
    case .OC0A: replace(&OC0A)
    case .OC0B: replace(&OC0B)
    case .OC1A: replace(&OC1A)
    case .OC1B: replace(&OC1B)
    case .OC2A: replace(&OC2A)
    case .OC2B: replace(&OC2B)
    }
  }
}

extension Peripherals {
  /// Reports a compare unit's waveform if it has changed.
  mutating func report(
    _ unit: OutputCompare.Unit, _ figures: OutputCompare.Figures, at cycle: UInt64
  ) {
    if outputs.change(unit, to: figures) {
      put(.waveform(OutputCompare(unit, figures)), at: cycle)
    }
  }

  /// Passes on what Timer 0 or Timer 1 has done since its flags were `before`.
  @inline(__always)
  mutating func finishCounting(
    _ counter: TimerCounter, since before: UInt8, at cycle: UInt64
  ) {
    triggerConversion(flags: counter.TIFR & ~before & counter.watched, at: cycle)
    updateOutputs(at: cycle)
  }

  /// Applies OCnx to the pins that the timers drive.
  mutating func updateOutputs(at cycle: UInt64) {
    let B = overrideB
    if B != outputs.B {
      outputs.B = B
      change(.B, at: cycle) { $0.override(B.pins, levels: B.levels) }
    }
    let D = overrideD
    if D != outputs.D {
      outputs.D = D
      change(.D, at: cycle) { $0.override(D.pins, levels: D.levels) }
    }
  }

  var overrideB: TimerOutputs.Override {
    var B = TimerOutputs.Override()
    B.add(timer1.counter.A, bit: 1)
    B.add(timer1.counter.B, bit: 2)
    B.add(timer2.counter.A, bit: 3)
    return B
  }

  var overrideD: TimerOutputs.Override {
    var D = TimerOutputs.Override()
    D.add(timer2.counter.B, bit: 3)
    D.add(timer0.counter.B, bit: 5)
    D.add(timer0.counter.A, bit: 6)
    return D
  }
}
