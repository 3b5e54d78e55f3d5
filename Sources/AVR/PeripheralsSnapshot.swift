/// The state of the peripherals at an instant, without what follows from the rest: deadlines,
/// interrupts and the last reported waveforms.
///
/// The names and order of the properties are those of a saved state. Properties added later are
/// optional, and nil if they have their value after a reset, so that older states can still be
/// read, and states that do not use them are written as before.
struct PeripheralsSnapshot: Hashable, Sendable, Saved {
  /// Everything due up to this cycle has been done, and nothing else is due.
  var settled: UInt64
  var portB = Port()
  var portC = Port()
  var portD = Port()
  var external = ExternalInterrupts()
  var prescaler = Prescaler(at: 0)
  var prescaler2 = Prescaler(at: 0)
  var timer0 = TimerSnapshot()
  var timer1 = TimerSnapshot()
  var timer2 = TimerSnapshot()
  var usart = USART()
  var watchdog = Watchdog()
  var EEPROM = AVR.EEPROM()
  var selfProgramming = SelfProgramming()
  var ADC = AVR.ADC()
  var system = SystemSnapshot()
  var stored = KeptSnapshot()
  var asleepSince: UInt64?
  /// Sorted, so that the same chip always yields the same text.
  var noticed: [String]
  var SPI: AVR.SPI.Extra?
  var TWI: AVR.TWI.Extra?
  var conversion: AVR.ADC.Extra?
  var analog: AnalogInputs?
  var captureDeadline: UInt64?
  var noise: ADCNoise?
  var usesComparator: Bool?
  var stopped: StoppedClocks?
  var hasReadPIND: Bool?
  var parts: Parts?

  /// Takes a snapshot with the CPU at `cycle`. Events that have not been taken are omitted.
  init(_ peripherals: Peripherals, at cycle: UInt64) {
    // The last instruction can have run past an event that is not handled yet.
    settled = min(cycle, peripherals.nextEvent - 1)
    asleepSince = peripherals.asleepSince
    noticed = peripherals.noticed.sorted()
    var saving = Saving(snapshot: self)
    for owner in Peripherals.Owner.allCases { Peripherals.visit(owner, peripherals, &saving) }
    self = saving.snapshot
  }
}

extension Peripherals {
  /// Returns nil if the snapshot is invalid.
  init?(_ snapshot: PeripheralsSnapshot, _ part: EmulatedPart, _ rate: ClockRate) {
    guard snapshot.asleepSince ?? 0 <= snapshot.settled else { return nil }
    self.init(part, rate)
    asleepSince = snapshot.asleepSince
    noticed = Set(snapshot.noticed)
    var restoring = Restoring(snapshot: snapshot)
    for owner in Owner.allCases {
      let isPossible = withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &restoring) }
      guard isPossible else { return nil }
    }
    conclude(at: snapshot.settled)
  }

  /// Derives everything that follows from the restored state.
  private mutating func conclude(at cycle: UInt64) {
    let reported: [(OutputCompare.Unit, OutputCompare.Figures)] = [
      (.OC0A, timer0.counter.waveformA), (.OC0B, timer0.counter.waveformB),
      (.OC1A, timer1.counter.waveformA), (.OC1B, timer1.counter.waveformB),
      (.OC2A, timer2.counter.waveformA), (.OC2B, timer2.counter.waveformB),
    ]
    for (unit, figures) in reported {
      _ = outputs.change(unit, to: figuresOnPin(unit, figures))
    }
    outputs.B = overrideB
    outputs.D = overrideD
    ports.B.override(outputs.B.pins, levels: outputs.B.levels)
    ports.D.override(outputs.D.pins, levels: outputs.D.levels)
    updateUSARTPins(at: cycle)
    watchTriggers(at: cycle)
    updateAll()
    changeOutputs(at: cycle)
    events = []
  }
}

private struct Saving: PeripheralVisitor {
  var snapshot: PeripheralsSnapshot

  mutating func visit<P: Peripheral>(_: P.Type, _ chip: Peripherals) {
    P.save(chip, in: &snapshot)
  }
}

private struct Restoring: PeripheralVisitor {
  let snapshot: PeripheralsSnapshot

  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) -> Bool {
    P.restore(&chip.pointee, from: snapshot)
  }
}

/// The member `system` of a saved state: the registers of system control, and two of the timers'
/// for compatibility.
struct SystemSnapshot: Hashable, Sendable, Saved {
  var SMCR: UInt8 = 0
  var MCUSR: UInt8 = 0
  var PRR: UInt8 = 0
  var OSCCAL: UInt8 = 0
  var GPIOR0: UInt8 = 0
  var GPIOR1: UInt8 = 0
  var GPIOR2: UInt8 = 0
  var ASSR: UInt8 = 0
  var GTCCR: UInt8 = 0
  var settings: UInt8 = 0
  var clockPrescaler: UInt8 = 0
  var vectorWindowEnd: UInt64 = .max
  var clockWindowEnd: UInt64 = .max
}

/// The registers of a timer at an instant. Its mode, clock and outputs follow from those.
struct TimerSnapshot: Hashable, Sendable, Saved {
  struct Unit: Hashable, Sendable, Saved {
    var buffer: UInt16 = 0
    var OCR: UInt16 = 0
    var isHigh = false

    init() {}

    init(_ unit: CompareUnit) {
      buffer = unit.buffer
      OCR = unit.OCR
      isHigh = unit.isHigh
    }
  }

  var TCCRA: UInt8 = 0
  var TCCRB: UInt8 = 0
  /// Used by Timer 1 only.
  var TEMP: UInt8 = 0
  var count: UInt16 = 0
  var isCountingDown = false
  var isMatchBlocked = false
  var A = Unit()
  var B = Unit()
  var ICR: UInt16 = 0
  var TIFR: UInt8 = 0
  var TIMSK: UInt8 = 0

  init() {}

  /// Captures a counter at a cycle before which nothing is due.
  init(
    _ counter: TimerCounter, at cycle: UInt64, TCCRA: UInt8, TCCRB: UInt8, TEMP: UInt8 = 0
  ) {
    var now = counter
    now.synchronize(to: cycle)
    self.TCCRA = TCCRA
    self.TCCRB = TCCRB
    self.TEMP = TEMP
    count = now.count
    isCountingDown = now.isCountingDown
    isMatchBlocked = now.isMatchBlocked
    A = Unit(now.A)
    B = Unit(now.B)
    ICR = now.ICR
    TIFR = now.TIFR
    TIMSK = now.TIMSK
  }
}

/// The member `stored` of a saved state: registers that only store what is written to them.
struct KeptSnapshot: Hashable, Sendable, Saved {
  var SPCR: UInt8 = 0
  var SPSR: UInt8 = 0
  var SPDR: UInt8 = 0
  var ACSR: UInt8 = 0
  var DIDR0: UInt8 = 0
  var DIDR1: UInt8 = 0
  var TWBR: UInt8 = 0
  var TWSR: UInt8 = 0
  var TWAR: UInt8 = 0
  var TWDR: UInt8 = 0
  var TWCR: UInt8 = 0
  var TWAMR: UInt8 = 0
}
