// What happens by itself, interrupts and resets, for whichever peripheral it is.
extension Peripherals {
  /// Does what is due up to and including `cycle`.
  mutating func advance(to cycle: UInt64) {
    while nextEvent <= cycle { happen(at: nextEvent) }
  }

  /// Does what is due at `cycle`, and not before.
  private mutating func happen(at cycle: UInt64) {
    var advancing = Advancing(cycle: cycle)
    for owner in Owner.allCases where deadlines[owner] <= cycle {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &advancing) }
    }
  }

  mutating func put(_ event: ChipEvent, at cycle: UInt64) {
    events.append(TimedChipEvent(cycle: cycle, event: event))
  }

  /// Says once that something is not emulated.
  mutating func notice(_ name: String, at cycle: UInt64, pc: UInt16) {
    guard noticed.insert(name).inserted else { return }
    put(.notice(Notice(name: name, address: pc)), at: cycle)
  }

  // MARK: Interrupts

  /// The vector number (1: INT0 ... 25: SPM Ready) of the flagged, enabled interrupt that goes
  /// first.
  func pendingVector() -> UInt8? {
    isInterruptPending ? UInt8(pending.trailingZeroBitCount) : nil
  }

  /// The CPU enters the interrupt: the hardware clears its flag where it does so.
  mutating func acknowledge(_ vector: UInt8, at cycle: UInt64) {
    advance(to: cycle)
    guard let owner = Self.map.vectors[Int(vector)] else { return }
    var acknowledging = Acknowledging(vector: vector, cycle: cycle)
    withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &acknowledging) }
  }

  // MARK: Reset

  /// The chip restarts: every register gets its initial value; EEPROM stays. The watchdog stays on
  /// after a watchdog reset, as WDRF forces WDE.
  mutating func reset(_ cause: ResetCause, at cycle: UInt64) {
    advance(to: cycle)
    put(.reset(cause), at: cycle)
    system.note(cause)
    restart(at: cycle)
  }

  /// Every register but the reset's cause gets its initial value, and clocks begin to run.
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

  /// The CPU sleeps. In any mode but idle the I/O clock stops: timers and USART0 stand still until
  /// `wake(at:)`.
  mutating func sleep(_ mode: SleepMode, at cycle: UInt64) {
    advance(to: cycle)
    guard mode != .idle, asleepSince == nil else { return }
    asleepSince = cycle
    var stopping = Stopping(cycle: cycle)
    for owner in Owner.allCases {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &stopping) }
    }
  }

  /// The CPU is awake again.
  mutating func wake(at cycle: UInt64) {
    advance(to: cycle)
    guard let since = asleepSince else { return }
    asleepSince = nil
    var starting = Starting(pause: cycle - since, cycle: cycle)
    for owner in Owner.allCases {
      withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &starting) }
    }
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
