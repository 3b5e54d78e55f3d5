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
