/// The peripherals at an instant: what can't be worked out from the rest. Deadlines, interrupts and what
/// the timers last told of can.
struct PeripheralsSnapshot: Hashable, Sendable, Saved {
  /// All that was due up to this cycle has been done, and nothing else is due.
  var settled: UInt64
  var portB: Port
  var portC: Port
  var portD: Port
  var external: ExternalInterrupts
  var prescaler: Prescaler
  var prescaler2: Prescaler
  var timer0: TimerSnapshot
  var timer1: TimerSnapshot
  var timer2: TimerSnapshot
  var usart: USART
  var watchdog: Watchdog
  var EEPROM: EEPROM
  var selfProgramming: SelfProgramming
  var ADC: ADC
  var system: SystemControl
  var stored: StoredRegisters
  var asleepSince: UInt64?
  /// In order, so that the same chip is always the same text.
  var noticed: [String]

  /// The CPU is at `cycle`. Events that nobody has taken are left out.
  init(_ peripherals: Peripherals, at cycle: UInt64) {
    // The last instruction may have gone beyond something that is still to be done.
    settled = min(cycle, peripherals.nextEvent - 1)
    portB = peripherals.portB
    portC = peripherals.portC
    portD = peripherals.portD
    external = peripherals.external
    prescaler = peripherals.prescaler
    prescaler2 = peripherals.prescaler2
    timer0 = peripherals.timer0.snapshot(at: settled)
    timer1 = peripherals.timer1.snapshot(at: settled)
    timer2 = peripherals.timer2.snapshot(at: settled)
    usart = peripherals.usart
    watchdog = peripherals.watchdog
    EEPROM = peripherals.EEPROM
    selfProgramming = peripherals.selfProgramming
    ADC = peripherals.ADC
    system = peripherals.system
    stored = peripherals.stored
    asleepSince = peripherals.asleepSince
    noticed = peripherals.noticed.sorted()
  }

  /// Whether peripherals can be like this: what was read from a file may not.
  var isPossible: Bool {
    asleepSince ?? 0 <= settled
      && [portB, portC, portD].allSatisfy { $0.isPossible(at: settled) }
      && usart.isPossible(at: asleepSince ?? settled) && watchdog.isPossible(at: settled)
      && EEPROM.isPossible(at: settled) && selfProgramming.isPossible(at: settled)
      && ADC.isPossible(at: settled) && system.isPossible(at: settled)
  }

  /// What holds the clocks of Timer 0, 1 and 2.
  var holds: (TimerCounter.Hold, TimerCounter.Hold, TimerCounter.Hold) {
    func holds(power: UInt8, synchronization: UInt8) -> TimerCounter.Hold {
      var holds: TimerCounter.Hold = asleepSince == nil ? [] : .sleep
      if system.PRR & power != 0 { holds.insert(.powerReduction) }
      if system.GTCCR & 0x80 != 0, system.GTCCR & synchronization != 0 {
        holds.insert(.synchronization)
      }
      return holds
    }
    return (
      holds(power: 0x20, synchronization: 0b01), holds(power: 0x08, synchronization: 0b01),
      holds(power: 0x40, synchronization: 0b10)
    )
  }
}

extension Peripherals {
  /// Nil: no peripherals can be like this.
  init?(_ snapshot: PeripheralsSnapshot) {
    guard snapshot.isPossible else { return nil }
    self.init()
    let cycle = snapshot.settled
    let holds = snapshot.holds
    prescaler = snapshot.prescaler
    prescaler2 = snapshot.prescaler2
    guard
      let timer0 = Timer8(
        vector: 14, snapshot.timer0, synchronous: true, holds: holds.0, at: cycle,
        prescaler: prescaler),
      let timer1 = Timer16(snapshot.timer1, holds: holds.1, at: cycle, prescaler: prescaler),
      let timer2 = Timer8(
        vector: 7, snapshot.timer2, synchronous: false, holds: holds.2, at: cycle,
        prescaler: prescaler2)
    else { return nil }
    (self.timer0, self.timer1, self.timer2) = (timer0, timer1, timer2)
    (portB, portC, portD) = (snapshot.portB, snapshot.portC, snapshot.portD)
    external = snapshot.external
    usart = snapshot.usart
    watchdog = snapshot.watchdog
    EEPROM = snapshot.EEPROM
    selfProgramming = snapshot.selfProgramming
    ADC = snapshot.ADC
    system = snapshot.system
    stored = snapshot.stored
    asleepSince = snapshot.asleepSince
    noticed = Set(snapshot.noticed)
    conclude(at: cycle)
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
    portB.override(outputs.B.pins, levels: outputs.B.levels)
    portD.override(outputs.D.pins, levels: outputs.D.levels)
    updateUSARTPins(at: cycle)
    updateSettling()
    timer0Counted()
    timer1Counted()
    timer2Counted()
    updateUSART()
    setPending(external.interrupts, of: Vectors.external)
    updateOthers()
    events = []
  }
}
