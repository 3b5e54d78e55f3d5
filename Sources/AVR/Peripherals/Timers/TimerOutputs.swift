/// What the timers last applied to the pins and reported, so that only changes are passed on.
struct TimerOutputs: Hashable, Sendable, Codable {
  /// The pins of a port that timers override, and their levels.
  struct Override: Hashable, Sendable, Codable {
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
    let figures = figuresOnPin(unit, figures)
    if outputs.change(unit, to: figures) {
      put(.waveform(OutputCompare(unit, figures)), at: cycle)
    }
  }

  /// An output that changes faster than this many times a second is neither audible nor a servo's.
  private static let fastest: UInt32 = 40_000

  /// Updates what depends on how the timers drive their pins.
  mutating func changeOutputs(at cycle: UInt64) {
    var quietB: UInt8 = 0
    var quietD: UInt8 = 0
    if timer1.counter.drivesPins {
      if isQuiet(timer1.counter, timer1.counter.A, Pin(.B, 1)) { quietB |= 1 << 1 }
      if isQuiet(timer1.counter, timer1.counter.B, Pin(.B, 2)) { quietB |= 1 << 2 }
    }
    if timer2.counter.drivesPins {
      if isQuiet(timer2.counter, timer2.counter.A, Pin(.B, 3)) { quietB |= 1 << 3 }
      if isQuiet(timer2.counter, timer2.counter.B, Pin(.D, 3)) { quietD |= 1 << 3 }
    }
    if timer0.counter.drivesPins {
      if isQuiet(timer0.counter, timer0.counter.B, Pin(.D, 5)) { quietD |= 1 << 5 }
      if isQuiet(timer0.counter, timer0.counter.A, Pin(.D, 6)) { quietD |= 1 << 6 }
    }
    guard quietB != ports.B.quiet || quietD != ports.D.quiet else { return }
    synchronizeTimers(to: cycle)
    setQuiet(B: quietB, D: quietD)
    let (B, D) = (overrideB, overrideD)
    outputs.B = B
    outputs.D = D
    change(.B, at: cycle) {
      $0.quiet = quietB
      $0.override(B.pins, levels: B.levels)
    }
    change(.D, at: cycle) {
      $0.quiet = quietD
      $0.override(D.pins, levels: D.levels)
    }
    update(Timer0.self)
    update(Timer1.self)
    update(Timer2.self)
  }

  private mutating func setQuiet(B: UInt8, D: UInt8) {
    timer1.counter.A.isQuiet = B & 1 << 1 != 0
    timer1.counter.B.isQuiet = B & 1 << 2 != 0
    timer2.counter.A.isQuiet = B & 1 << 3 != 0
    timer2.counter.B.isQuiet = D & 1 << 3 != 0
    timer0.counter.B.isQuiet = D & 1 << 5 != 0
    timer0.counter.A.isQuiet = D & 1 << 6 != 0
  }

  /// Whether a unit switches its pin, which is an output, so fast that its edges need not be
  /// reported, and nothing on the chip follows them.
  private func isQuiet(_ counter: TimerCounter, _ unit: CompareUnit, _ pin: Pin) -> Bool {
    let bit: UInt8 = 1 << pin.bit
    let watched = watch.edges(pin.port)
    guard unit.action != .none, counter.isRunning, !counter.awaitsUpdate, watched & bit == 0,
      ports[pin.port].outputs & bit != 0, external.PCMSK[Int(pin.port.rawValue)] & bit == 0
    else { return false }
    let figures = counter.figures(of: unit, isInterruptOn: false)
    let cycles =
      figures.matchCycles
      ?? (figures.pulseCycles == nil ? nil : figures.periodCycles.map { $0 / 2 })
    guard let cycles, cycles < rate.hertz / Self.fastest else { return false }
    guard pin.port == .D else { return true }
    switch pin.bit {
    case 3: return external.ignoresINT1
    // PD5 is T1.
    case 5: return timer1.TCCRB & 0b110 != 0b110
    // PD6 is AIN0.
    default: return !comparator.isOn || !comparator.isFollowed && ADC.trigger != .comparator
    }
  }

  /// Brings the levels of the outputs that are not followed up to date.
  mutating func settleQuietOutputs(at cycle: UInt64) {
    guard ports.B.quiet | ports.D.quiet != 0 else { return }
    synchronizeTimers(to: cycle)
    updateOutputs(at: cycle)
  }

  mutating func set(_ watch: PinWatch, at cycle: UInt64) {
    self.watch = watch
    changeOutputs(at: cycle)
  }

  /// A unit's waveform on its pin, which has pulses and toggles only if it is an output.
  func figuresOnPin(
    _ unit: OutputCompare.Unit, _ figures: OutputCompare.Figures
  ) -> OutputCompare.Figures {
    guard figures.toggles || figures.pulseCycles != nil, let pin = Pin(arduino: unit.arduinoPin),
      ports[pin.port].outputs & 1 << pin.bit == 0
    else { return figures }
    var figures = figures
    figures.toggles = false
    figures.pulseCycles = nil
    figures.periodCycles = nil
    return figures
  }

  /// Reports the waveforms that have changed because pins have become outputs or inputs.
  mutating func reportWaveforms(at cycle: UInt64) {
    if timer0.counter.drivesPins { Timer0.report(&self, at: cycle) }
    if timer1.counter.drivesPins { Timer1.report(&self, at: cycle) }
    if timer2.counter.drivesPins { Timer2.report(&self, at: cycle) }
  }

  /// Applies the levels of the pins that the timers have just released, so that a waveform's end is
  /// reported after them.
  mutating func releaseOutputs(at cycle: UInt64) {
    let released = outputs.B.pins & ~overrideB.pins | outputs.D.pins & ~overrideD.pins
    if released != 0 { updateOutputs(at: cycle) }
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

/// The signal that one of a timer's compare units generates on its pin, as last configured.
///
/// Reported at the write that completes a change: to OCRnx (the low byte of a 16-bit one), the
/// waveform mode, the compare output mode, TOP, the clock select or the interrupt mask.
package struct OutputCompare: Hashable, Sendable, Codable {
  package enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
    case OC0A, OC0B, OC1A, OC1B, OC2A, OC2B

    /// The Uno's digital pin that it can drive.
    package var arduinoPin: Int {
      switch self {
      case .OC0A: 6
      case .OC0B: 5
      case .OC1A: 9
      case .OC1B: 10
      case .OC2A: 11
      case .OC2B: 3
      }
    }
  }

  package var unit: Unit
  /// Whether the timer drives the pin: its compare output mode is not 0.
  package var drivesPin: Bool
  /// How long the pin is high in each period, in clock cycles. Nil if there is no pulse: the pin is
  /// not driven or not an output, or it toggles, or the clock is stopped.
  package var pulseCycles: UInt32?
  /// Clock cycles from the beginning of a pulse to that of the next; nil if `pulseCycles` is.
  package var periodCycles: UInt32?
  /// Clock cycles between compare matches, if the timer toggles the pin or its compare interrupt is
  /// enabled so that the program can; otherwise nil.
  package var matchCycles: UInt32?
  /// Whether the timer toggles the pin and the pin is an output.
  package var togglesOutput: Bool

  /// Half of the time from one rising edge of the pin to the next, in clock cycles; at least 1. Nil
  /// if the timer does not switch the pin.
  package var halfPeriod: UInt32? {
    (togglesOutput ? matchCycles : periodCycles.map { $0 / 2 }).map { max($0, 1) }
  }

  package init(
    unit: Unit, drivesPin: Bool, pulseCycles: UInt32?, periodCycles: UInt32? = nil,
    matchCycles: UInt32?, togglesOutput: Bool = false
  ) {
    self.unit = unit
    self.drivesPin = drivesPin
    self.pulseCycles = pulseCycles
    self.periodCycles = periodCycles
    self.matchCycles = matchCycles
    self.togglesOutput = togglesOutput
  }
}
