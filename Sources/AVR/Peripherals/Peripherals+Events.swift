// What happens by itself, and what follows from a change: pins, interrupts, deadlines.
extension Peripherals {
  /// Does what is due at `cycle`, and not before.
  mutating func happen(at cycle: UInt64) {
    if deadlines.timer0 <= cycle {
      timer0.counter.synchronize(to: cycle)
      timer0Counted()
      updateOutputs(at: cycle)
    }
    if deadlines.timer1 <= cycle {
      timer1.counter.synchronize(to: cycle)
      timer1Counted()
      updateOutputs(at: cycle)
    }
    if deadlines.timer2 <= cycle {
      timer2.counter.synchronize(to: cycle)
      timer2Counted()
      updateOutputs(at: cycle)
    }
    if deadlines.usart <= cycle {
      if let byte = usart.finishFrame() { put(.transmit(byte), at: cycle) }
      updateUSART()
      updateUSARTPins(at: cycle)
    }
    if deadlines.ports <= cycle { settlePorts(at: cycle) }
    if deadlines.others <= cycle { advanceOthers(to: cycle) }
    nextEvent = deadlines.earliest
  }

  mutating func put(_ event: ChipEvent, at cycle: UInt64) {
    events.append(TimedChipEvent(cycle: cycle, event: event))
  }

  /// Says once that something is not emulated.
  mutating func notice(_ name: String, at cycle: UInt64, pc: UInt16) {
    guard noticed.insert(name).inserted else { return }
    put(.notice(Notice(name: name, address: pc)), at: cycle)
  }

  // MARK: Interrupts and deadlines

  mutating func setPending(_ bits: UInt32, of vectors: UInt32) {
    pending = pending & ~vectors | bits
    isInterruptPending = pending != 0 && !system.holdsInterrupts
  }

  mutating func timer0Counted() {
    deadlines.timer0 = timer0.counter.deadline
    setPending(timer0.interrupts, of: Vectors.timer0)
  }

  mutating func timer1Counted() {
    deadlines.timer1 = timer1.counter.deadline
    setPending(timer1.interrupts, of: Vectors.timer1)
  }

  mutating func timer2Counted() {
    deadlines.timer2 = timer2.counter.deadline
    setPending(timer2.interrupts, of: Vectors.timer2)
  }

  mutating func updateUSART() {
    deadlines.usart = asleepSince == nil ? usart.deadline : .max
    setPending(usart.interrupts, of: Vectors.usart)
  }

  mutating func advanceOthers(to cycle: UInt64) {
    system.advance(to: cycle)
    if watchdog.deadline <= cycle { watchdog.advance(to: cycle) }
    if EEPROM.deadline <= cycle { EEPROM.advance(to: cycle) }
    if selfProgramming.deadline <= cycle { selfProgramming.advance() }
    if ADC.deadline <= cycle { ADC.advance() }
    updateOthers()
  }

  mutating func updateOthers() {
    deadlines.others = min(
      min(watchdog.deadline, EEPROM.deadline),
      min(min(selfProgramming.deadline, ADC.deadline), system.deadline))
    var bits: UInt32 = 0
    if watchdog.isInterrupting { bits |= Vectors.watchdog }
    if ADC.isInterrupting { bits |= Vectors.ADC }
    if EEPROM.isInterrupting, !selfProgramming.isBusy { bits |= Vectors.EEPROM }
    if selfProgramming.isInterrupting { bits |= Vectors.SPM }
    setPending(bits, of: Vectors.others)
    nextEvent = deadlines.earliest
  }

  // MARK: Timers

  /// Timers stop or go on.
  mutating func hold(_ hold: TimerCounter.Hold, _ isHeld: Bool, at cycle: UInt64) {
    timer0.counter.synchronize(to: cycle)
    timer1.counter.synchronize(to: cycle)
    timer2.counter.synchronize(to: cycle)
    timer0.counter.hold(hold, isHeld, at: cycle, prescaler: prescaler)
    timer1.counter.hold(hold, isHeld, at: cycle, prescaler: prescaler)
    timer2.counter.hold(hold, isHeld, at: cycle, prescaler: prescaler2)
    timer0Counted()
    timer1Counted()
    timer2Counted()
  }

  // After a write to a timer: all that can follow from it.

  mutating func timer0Written(at cycle: UInt64) {
    timer0Counted()
    tell(.OC0A, timer0.counter.waveformA, at: cycle)
    tell(.OC0B, timer0.counter.waveformB, at: cycle)
    updateOutputs(at: cycle)
  }

  mutating func timer1Written(at cycle: UInt64) {
    timer1Counted()
    tell(.OC1A, timer1.counter.waveformA, at: cycle)
    tell(.OC1B, timer1.counter.waveformB, at: cycle)
    updateOutputs(at: cycle)
  }

  mutating func timer2Written(at cycle: UInt64) {
    timer2Counted()
    tell(.OC2A, timer2.counter.waveformA, at: cycle)
    tell(.OC2B, timer2.counter.waveformB, at: cycle)
    updateOutputs(at: cycle)
  }

  private mutating func tell(
    _ unit: OutputCompare.Unit, _ figures: OutputCompare.Figures, at cycle: UInt64
  ) {
    if outputs.change(unit, to: figures) {
      put(.waveform(OutputCompare(unit, figures)), at: cycle)
    }
  }

  /// Passes OCnx on to the pins that they drive.
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
