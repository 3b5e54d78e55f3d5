/// The peripherals at an instant: what can't be worked out from the rest. Deadlines, interrupts and
/// what the timers last told of can.
///
/// The properties' names and order are those of a saved state. What joins them later is optional,
/// and nil where it is as after a reset: so an older state can still be read, and one that does
/// without it is written as before.
struct PeripheralsSnapshot: Hashable, Sendable, Saved {
  /// All that was due up to this cycle has been done, and nothing else is due.
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
  /// In order, so that the same chip is always the same text.
  var noticed: [String]

  /// The CPU is at `cycle`. Events that nobody has taken are left out.
  init(_ peripherals: Peripherals, at cycle: UInt64) {
    // The last instruction may have gone beyond something that is still to be done.
    settled = min(cycle, peripherals.nextEvent - 1)
    asleepSince = peripherals.asleepSince
    noticed = peripherals.noticed.sorted()
    var saving = Saving(snapshot: self)
    for owner in Peripherals.Owner.allCases { Peripherals.visit(owner, peripherals, &saving) }
    self = saving.snapshot
  }
}

extension Peripherals {
  /// Nil: no peripherals can be like this.
  init?(_ snapshot: PeripheralsSnapshot) {
    guard snapshot.asleepSince ?? 0 <= snapshot.settled else { return nil }
    self.init()
    asleepSince = snapshot.asleepSince
    noticed = Set(snapshot.noticed)
    var restoring = Restoring(snapshot: snapshot)
    for owner in Owner.allCases {
      let isPossible = withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &restoring) }
      guard isPossible else { return nil }
    }
    conclude(at: snapshot.settled)
  }

  /// All that follows from what has been put back.
  private mutating func conclude(at cycle: UInt64) {
    let told: [(OutputCompare.Unit, OutputCompare.Figures)] = [
      (.OC0A, timer0.counter.waveformA), (.OC0B, timer0.counter.waveformB),
      (.OC1A, timer1.counter.waveformA), (.OC1B, timer1.counter.waveformB),
      (.OC2A, timer2.counter.waveformA), (.OC2B, timer2.counter.waveformB),
    ]
    for (unit, figures) in told { _ = outputs.change(unit, to: figures) }
    outputs.B = overrideB
    outputs.D = overrideD
    ports.B.override(outputs.B.pins, levels: outputs.B.levels)
    ports.D.override(outputs.D.pins, levels: outputs.D.levels)
    updateUSARTPins(at: cycle)
    updateAll()
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
