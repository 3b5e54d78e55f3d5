extension ATmega328P {
  /// Runs like `run(until:)`, but one instruction at a time, and returns true as soon as the next
  /// instruction is at one of these byte addresses. `run(until: cycle + 1)` then executes it.
  package mutating func run(until target: UInt64, before addresses: Set<UInt16>) -> Bool {
    while core.cycle < target && core.fault == nil {
      if addresses.contains(programCounter) && executesNext() { return true }
      let isResting = core.isAsleep && !peripherals.isInterruptPending
      let step = core.cycle + 1
      run(until: min(target, isResting ? max(step, peripherals.nextEvent) : step))
    }
    return false
  }

  /// Whether an instruction is executed next, rather than an interrupt or a reset.
  private mutating func executesNext() -> Bool {
    guard !core.isAsleep else { return false }
    peripherals.advance(to: core.cycle)
    let canInterrupt = core.sreg & StatusRegister.I != 0 && peripherals.isInterruptPending
    return !peripherals.watchdog.asksForReset
      && !(canInterrupt && core.cycle >= core.interruptsFrom)
  }
}
