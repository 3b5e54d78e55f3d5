extension ATmega328P {
  /// As `run(until:)`, but instruction by instruction, and only until one at one of these byte
  /// addresses is about to be executed: true. The first instruction is executed wherever it stands.
  package mutating func run(until target: UInt64, before addresses: Set<UInt16>) -> Bool {
    while core.cycle < target && core.fault == nil {
      let isResting = core.isAsleep && !peripherals.isInterruptPending
      let step = core.cycle + 1
      run(until: min(target, isResting ? max(step, peripherals.nextEvent) : step))
      if addresses.contains(programCounter) && executesNext() { return true }
    }
    return false
  }

  /// Whether the next thing to be done is an instruction, and not an interrupt or a reset.
  private mutating func executesNext() -> Bool {
    guard core.fault == nil, !core.isAsleep else { return false }
    peripherals.advance(to: core.cycle)
    let canInterrupt = core.sreg & StatusRegister.I != 0 && peripherals.isInterruptPending
    return !(canInterrupt && core.cycle >= core.interruptsFrom)
  }
}
