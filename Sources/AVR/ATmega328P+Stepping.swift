extension ATmega328P {
  /// As `run(until:)`, but instruction by instruction, and only until one at one of these byte
  /// addresses is to be executed next: true. `run(until: cycle + 1)` then executes it.
  package mutating func run(until target: UInt64, before addresses: Set<UInt16>) -> Bool {
    while core.cycle < target && core.fault == nil {
      if addresses.contains(programCounter) && executesNext() { return true }
      let isResting = core.isAsleep && !peripherals.isInterruptPending
      let step = core.cycle + 1
      run(until: min(target, isResting ? max(step, peripherals.nextEvent) : step))
    }
    return false
  }

  /// Whether the next thing to be done is an instruction, and not an interrupt or a reset.
  private mutating func executesNext() -> Bool {
    guard !core.isAsleep else { return false }
    peripherals.advance(to: core.cycle)
    let canInterrupt = core.sreg & StatusRegister.I != 0 && peripherals.isInterruptPending
    return !peripherals.watchdog.asksForReset
      && !(canInterrupt && core.cycle >= core.interruptsFrom)
  }
}
