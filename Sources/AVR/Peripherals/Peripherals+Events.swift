// Events, interrupts, resets and sleep, dispatched to the peripherals.
extension Peripherals {
  /// Handles all events due up to and including `cycle`.
  mutating func advance(to cycle: UInt64) {
    while nextEvent <= cycle { happen(at: nextEvent) }
  }

  /// Handles the events due at `cycle` and none before.
  private mutating func happen(at cycle: UInt64) {
    var advancing = Advancing(cycle: cycle)
    for owner in Owner.allCases where deadlines[owner] <= cycle {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &advancing) }
    }
  }

  mutating func put(_ event: ChipEvent, at cycle: UInt64) {
    events.append(TimedChipEvent(cycle: cycle, event: event))
  }

  /// Adds an event that was found later, at its place in the order of time.
  mutating func insert(_ event: ChipEvent, at cycle: UInt64) {
    let index = events.firstIndex { $0.cycle > cycle } ?? events.endIndex
    events.insert(TimedChipEvent(cycle: cycle, event: event), at: index)
  }

  /// Reports once that a feature is not emulated.
  mutating func notice(_ name: String, at cycle: UInt64, pc: UInt16) {
    guard noticed.insert(name).inserted else { return }
    put(.notice(Notice(name: name, address: pc)), at: cycle)
  }

  /// Reports once that no device on the two-wire bus has an address.
  mutating func noticeSilence(of address: UInt8, at cycle: UInt64) {
    guard noticed.insert("TWI 0x\(String(address, radix: 16))").inserted else { return }
    put(.unanswered(address), at: cycle)
  }

  // MARK: Interrupts

  /// The vector number (1: INT0 ... 25: SPM Ready) of the flagged and enabled interrupt with the
  /// highest priority.
  func pendingVector() -> UInt8? {
    isInterruptPending ? UInt8(pending.trailingZeroBitCount) : nil
  }

  /// Called when the CPU enters an interrupt. Clears its flag if the hardware does.
  mutating func acknowledge(_ vector: UInt8, at cycle: UInt64) {
    advance(to: cycle)
    guard let owner = Self.map.vectors[Int(vector)] else { return }
    var acknowledging = Acknowledging(vector: vector, cycle: cycle)
    withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &acknowledging) }
  }

  // MARK: Reset

  /// Restarts the chip: every register is set to its initial value; the EEPROM keeps its contents.
  /// After a watchdog reset the watchdog stays on, as WDRF forces WDE.
  mutating func reset(_ cause: ResetCause, at cycle: UInt64) {
    advance(to: cycle)
    put(.reset(cause), at: cycle)
    system.note(cause)
    restart(at: cycle)
  }

  /// Sets every register except MCUSR to its initial value and starts the clocks.
  mutating func restart(at cycle: UInt64) {
    advance(to: cycle)
    stall = 0
    asleepSince = nil
    var resetting = Resetting(cycle: cycle)
    for owner in Owner.allCases {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &resetting) }
    }
    updateAll()
  }

  mutating func updateAll() {
    var updating = Updating()
    for owner in Owner.allCases {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &updating) }
    }
  }

  // MARK: Sleep

  /// Puts the CPU to sleep. In any mode except idle the I/O clock stops, and with it the timers and
  /// USART0, until `wake(at:)`.
  mutating func sleep(_ mode: SleepMode, at cycle: UInt64) {
    advance(to: cycle)
    if stopped.ADC == nil { ADC.fallAsleep(mode, at: cycle) }
    update(AVR.ADC.self)
    guard mode != .idle, asleepSince == nil else { return }
    asleepSince = cycle
    var stopping = Stopping(cycle: cycle)
    for owner in Owner.allCases {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &stopping) }
    }
    changeOutputs(at: cycle)
  }

  /// Wakes the CPU.
  mutating func wake(at cycle: UInt64) {
    advance(to: cycle)
    guard let since = asleepSince else { return }
    asleepSince = nil
    var starting = Starting(pause: cycle - since, cycle: cycle)
    for owner in Owner.allCases {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &starting) }
    }
    changeOutputs(at: cycle)
  }
}

private struct Advancing: PeripheralVisitor {
  let cycle: UInt64

  @inline(__always)
  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    P.advance(&chip.pointee, to: cycle)
    chip.pointee.update(P.self)
  }
}

private struct Acknowledging: PeripheralVisitor {
  let vector: UInt8
  let cycle: UInt64

  @inline(__always)
  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    P.acknowledge(vector, &chip.pointee, at: cycle)
    chip.pointee.update(P.self)
  }
}

private struct Resetting: PeripheralVisitor {
  let cycle: UInt64

  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    P.reset(&chip.pointee, at: cycle)
  }
}

private struct Updating: PeripheralVisitor {
  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    chip.pointee.update(P.self)
  }
}

private struct Stopping: PeripheralVisitor {
  let cycle: UInt64

  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    P.stopClock(&chip.pointee, at: cycle)
    chip.pointee.update(P.self)
  }
}

private struct Starting: PeripheralVisitor {
  let pause: UInt64
  let cycle: UInt64

  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    P.startClock(&chip.pointee, after: pause, at: cycle)
    chip.pointee.update(P.self)
  }
}
