/// The analog to digital converter (data sheet, "Analog-to-Digital Converter").
struct ADC: Hashable, Sendable, Codable {
  fileprivate enum Bit {
    static let ADEN: UInt8 = 0x80
    static let ADSC: UInt8 = 0x40
    static let ADATE: UInt8 = 0x20
    static let ADIF: UInt8 = 0x10
    static let ADIE: UInt8 = 0x08
    /// In ADMUX.
    static let ADLAR: UInt8 = 0x20
  }
  /// What can begin a conversion (ADTS in ADCSRB).
  enum Trigger: UInt8, Hashable, Sendable {
    case freeRunning, comparator, interrupt0
    case timer0CompareA, timer0Overflow, timer1CompareB, timer1Overflow, timer1Capture
  }
  /// How a conversion begins, which decides how long it takes.
  private enum Beginning {
    /// The first one after ADEN is set.
    case first
    /// At ADSC, or after the previous one in free running mode.
    case started
    /// At a trigger's flag.
    case triggered

    /// From the beginning to the end of sampling and to the result, in half periods of the ADC's
    /// clock (data sheet, "ADC Conversion Time").
    var halves: (sample: UInt64, result: UInt64) {
      switch self {
      case .first: (27, 50)
      case .started: (3, 26)
      case .triggered: (4, 27)
      }
    }
  }
  /// The synchronization of a trigger takes three cycles of the CPU's clock.
  private static let triggerDelay: UInt64 = 3
  private static let phases: UInt64 = 128

  fileprivate(set) var ADCSRA: UInt8 = 0
  var ADCSRB: UInt8 = 0
  var ADMUX: UInt8 = 0
  /// Stored without effect.
  var DIDR0: UInt8 = 0
  /// The end of the conversion; `.max` if none is running.
  private(set) var deadline: UInt64 = .max
  private var isFirst = true
  /// The last result, 0...1023.
  private var result: UInt16 = 0
  /// Whether the program has read ADCL but not ADCH: no new result is stored until it has.
  private var isLocked = false
  /// When sampling ends; `.max` if it has.
  fileprivate(set) var sampleAt: UInt64 = .max
  /// The sampled voltage, in the unit of `result`.
  private var sampled: UInt16 = 0
  /// ADMUX when the conversion began.
  fileprivate(set) var selection: UInt8 = 0
  /// The cycle at which the prescaler began to count, of which only the last seven bits matter.
  private var phase: UInt64 = 0

  init() {}

  var isOn: Bool { ADCSRA & Bit.ADEN != 0 }
  private var isConverting: Bool { ADCSRA & Bit.ADSC != 0 }

  /// What begins conversions; nil if only the program does, or the converter is off.
  var trigger: Trigger? {
    guard ADCSRA & (Bit.ADEN | Bit.ADATE) == Bit.ADEN | Bit.ADATE else { return nil }
    return Trigger(rawValue: ADCSRB & 0b111)
  }

  /// Vector 21.
  var isInterrupting: Bool { ADCSRA & (Bit.ADIF | Bit.ADIE) == Bit.ADIF | Bit.ADIE }

  mutating func write(ADCSRA value: UInt8, at cycle: UInt64) {
    let wasOn = isOn
    let wasConverting = isConverting
    ADCSRA = value & ~(Bit.ADIF | Bit.ADSC) | (value & Bit.ADIF != 0 ? 0 : ADCSRA & Bit.ADIF)
    guard isOn else {
      isFirst = true
      deadline = .max
      sampleAt = .max
      return
    }
    if !wasOn { phase = cycle % Self.phases }
    if wasConverting {
      ADCSRA |= Bit.ADSC
    } else if value & Bit.ADSC != 0 {
      begin(isFirst ? .first : .started, at: cycle)
    }
  }

  /// Begins a conversion because the CPU goes to sleep: "If the ADC is enabled, a conversion starts
  /// automatically when this mode is entered." In idle mode only if its interrupt is on: Arduino's
  /// core switches the ADC on in every sketch, and those that never use it would convert at each
  /// sleep.
  mutating func fallAsleep(_ mode: SleepMode, at cycle: UInt64) {
    let converts = mode == .adcNoiseReduction || mode == .idle && ADCSRA & Bit.ADIE != 0
    if converts, isOn, !isConverting { begin(isFirst ? .first : .started, at: cycle) }
  }

  /// Begins a conversion because the flag of its trigger was set. The prescaler restarts, so that
  /// the delay is always the same.
  mutating func pull(at cycle: UInt64) {
    guard !isConverting else { return }
    phase = (cycle + Self.triggerDelay) % Self.phases
    begin(isFirst ? .first : .triggered, at: cycle + Self.triggerDelay)
  }

  /// A conversion begins at an edge of the ADC's clock, which its prescaler derives from the CPU's.
  private mutating func begin(_ beginning: Beginning, at cycle: UInt64) {
    ADCSRA |= Bit.ADSC
    let shift = UInt64(max(ADCSRA & 0b111, 1))
    let late = (cycle &- phase) & ((1 << shift) - 1)
    let start = late == 0 ? cycle : cycle + (1 << shift) - late
    let halves = beginning.halves
    sampleAt = start + halves.sample << (shift - 1)
    deadline = start + halves.result << (shift - 1)
    selection = ADMUX
    isFirst = false
  }

  /// Stores the sampled voltage. `reference` and `microvolts` are in microvolts, `noise` in
  /// thousandths of a step.
  mutating func sample(_ microvolts: Int32, reference: Int32, noise: Int64) {
    sampleAt = .max
    let thousandths = Int64(max(0, microvolts)) * 1_024_000 / Int64(reference) + noise
    sampled = UInt16(min(1_023, max(0, thousandths) / 1_000))
  }

  mutating func finish() {
    let end = deadline
    deadline = .max
    ADCSRA = ADCSRA & ~Bit.ADSC | Bit.ADIF
    if !isLocked { result = sampled }
    if trigger == .freeRunning { begin(.started, at: end) }
  }

  /// The result in ADCH and ADCL.
  private var word: UInt16 { ADMUX & Bit.ADLAR == 0 ? result : result << 6 }

  mutating func readLow() -> UInt8 {
    isLocked = true
    return UInt8(truncatingIfNeeded: word)
  }

  mutating func readHigh() -> UInt8 {
    isLocked = false
    return UInt8(truncatingIfNeeded: word >> 8)
  }

  /// Delays the conversion: the clock was stopped for this many cycles, up to now.
  mutating func pause(for cycles: UInt64, at cycle: UInt64) {
    if deadline != .max { deadline = max(deadline &+ cycles, cycle) }
    if sampleAt != .max { sampleAt &+= cycles }
    phase = (phase &+ cycles) % Self.phases
  }
}

extension ADC: Peripheral {
  enum Register: UInt8, CaseIterable {
    case ADCL = 0x78, ADCH, ADCSRA, ADCSRB, ADMUX
    case DIDR0 = 0x7E
  }

  static let owner = Peripherals.Owner.ADC
  static let vectors: UInt32 = 1 << 21

  /// Reading ADCL keeps the result until ADCH is read, so neither can be peeked at.
  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .ADCL, .ADCH: nil
    case .ADCSRA: chip.ADC.ADCSRA
    case .ADCSRB: chip.ADC.ADCSRB
    case .ADMUX: chip.ADC.ADMUX
    case .DIDR0: chip.ADC.DIDR0
    }
  }

  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    switch register {
    case .ADCL: chip.ADC.readLow()
    case .ADCH: chip.ADC.readHigh()
    case .ADCSRA, .ADCSRB, .ADMUX, .DIDR0: peek(register, chip, at: cycle) ?? 0
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    guard chip.stopped.ADC == nil else { return }
    // A level that was not followed is no change of the comparator, which can begin conversions.
    chip.settleQuietOutputs(at: cycle)
    switch register {
    case .ADCL, .ADCH: return
    case .ADCSRA:
      chip.ADC.write(ADCSRA: value, at: cycle)
      chip.watchTriggers(at: cycle)
    case .ADCSRB:
      chip.ADC.ADCSRB = value & 0b0100_0111
      chip.watchTriggers(at: cycle)
    case .ADMUX: chip.ADC.ADMUX = value & 0b1110_1111
    case .DIDR0: chip.ADC.DIDR0 = value & 0x3F
    }
    chip.compareVoltages(at: cycle)
  }

  /// The clock of the ADC stops in sleep deeper than ADC noise reduction.
  private static func isClocked(_ chip: Peripherals) -> Bool {
    chip.asleepSince == nil || chip.system.sleepMode == .adcNoiseReduction
  }

  static func deadline(_ chip: Peripherals) -> UInt64 {
    isClocked(chip) && chip.stopped.ADC == nil
      ? min(chip.ADC.deadline, chip.ADC.sampleAt) : .max
  }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    if chip.ADC.sampleAt <= cycle {
      let selection = chip.ADC.selection
      let noise = chip.noise?.next() ?? 0
      chip.ADC.sample(
        chip.microvolts(ofChannel: selection & 0b1111), reference: reference(selection),
        noise: noise)
    }
    if chip.ADC.deadline <= cycle { chip.ADC.finish() }
  }

  /// The reference that REFS in ADMUX selects, in microvolts. AREF is assumed to be 5 V: nothing is
  /// connected to it on an Uno, and a board of the user's own would connect 5 V.
  private static func reference(_ ADMUX: UInt8) -> Int32 {
    ADMUX >> 6 == 0b11 ? AnalogInputs.bandgap : AnalogInputs.supply
  }

  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    if chip.system.sleepMode != .adcNoiseReduction, chip.stopped.ADC == nil {
      chip.ADC.pause(for: cycles, at: cycle)
    }
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.ADC.isInterrupting ? vectors : 0 }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.ADC.ADCSRA &= ~Bit.ADIF
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.ADC = ADC()
    chip.watchTriggers(at: cycle)
  }
}

extension Peripherals {
  /// Makes the timers note when the flag that begins conversions is set.
  mutating func watchTriggers(at cycle: UInt64) {
    let trigger = ADC.trigger
    let flags0: UInt8 =
      switch trigger {
      case .timer0CompareA: TimerCounter.Flag.OCFA
      case .timer0Overflow: TimerCounter.Flag.TOV
      default: 0
      }
    let flags1: UInt8 =
      switch trigger {
      case .timer1CompareB: TimerCounter.Flag.OCFB
      case .timer1Overflow: TimerCounter.Flag.TOV
      case .timer1Capture: TimerCounter.Flag.ICF
      default: 0
      }
    if flags0 != timer0.counter.watched {
      timer0.counter.synchronize(to: cycle)
      timer0.counter.watched = flags0
      update(Timer0.self)
    }
    if flags1 != timer1.counter.watched {
      timer1.counter.synchronize(to: cycle)
      timer1.counter.watched = flags1
      update(Timer1.self)
    }
    changeOutputs(at: cycle)
  }

  /// Begins a conversion if this is its trigger, whose flag has just been set.
  mutating func trigger(_ source: AVR.ADC.Trigger, at cycle: UInt64) {
    if ADC.trigger == source { pullTrigger(at: cycle) }
  }

  /// Begins a conversion, because the flag of its trigger has been set.
  mutating func pullTrigger(at cycle: UInt64) {
    guard stopped.ADC == nil else { return }
    ADC.pull(at: cycle)
    update(AVR.ADC.self)
  }
}

/// Noise of the analog to digital converter: normally distributed, from a seed, so that the same
/// program always reads the same values.
package struct ADCNoise: Hashable, Sendable, Codable {
  /// The valid values of `thousandths`.
  package static let range: ClosedRange<UInt32> = 1...100_000

  /// The root mean square in thousandths of the lowest bit.
  package let thousandths: UInt32
  // The generator's state, in two halves: a saved state has no 64-bit numbers but times.
  private var high: UInt32
  private var low: UInt32

  package init(thousandths: UInt32, seed: UInt64) {
    self.thousandths = thousandths
    high = UInt32(truncatingIfNeeded: seed >> 32)
    low = UInt32(truncatingIfNeeded: seed)
  }

  /// Returns the noise of the next conversion, in thousandths of the lowest bit.
  mutating func next() -> Int64 {
    // A sum of twelve uniform numbers is nearly normal, and its variance is that of one times 12:
    // 65 536 squared.
    var sum: Int64 = -12 * 65_535 / 2
    for _ in 0..<3 {
      let bits = draw()
      for part in 0..<4 as Range<UInt64> { sum += Int64((bits >> (16 * part)) & 0xFFFF) }
    }
    return sum * Int64(thousandths) / 65_536
  }

  /// SplitMix64 (Steele, Lea and Flood, 2014).
  private mutating func draw() -> UInt64 {
    var bits = (UInt64(high) << 32 | UInt64(low)) &+ 0x9E37_79B9_7F4A_7C15
    high = UInt32(truncatingIfNeeded: bits >> 32)
    low = UInt32(truncatingIfNeeded: bits)
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
