/// What Timers 0, 1 and 2 have in common as peripherals.
protocol TimerPeripheral: Peripheral where Register: Equatable {
  associatedtype State: TimerState

  static var TIFR: Register { get }
  /// The register that returns the count, or its low byte.
  static var TCNT: Register { get }
  /// The first of its vectors, which are next to each other.
  static var firstVector: UInt8 { get }
  static var units: (A: OutputCompare.Unit, B: OutputCompare.Unit) { get }

  static func state(_ chip: Peripherals) -> State
  static func change<Result>(
    _ chip: inout Peripherals, _ body: (inout State) -> Result
  ) -> Result
  static func prescaler(_ chip: Peripherals) -> Prescaler
}

protocol TimerState {
  init(at cycle: UInt64)
  var TCCRB: UInt8 { get }
  var counter: TimerCounter { get set }
  /// The interrupts that are flagged and enabled, one bit for each, from the first of its vectors.
  var interrupts: UInt32 { get }
  /// Returns the flag of an interrupt, counted from the first of its vectors.
  static func flag(ofInterrupt number: UInt8) -> UInt8
}

extension TimerPeripheral {
  static func prescaler(_ chip: Peripherals) -> Prescaler { chip.prescalers.synchronous }

  /// Writing 1 clears a flag, so SBI and CBI write 0 to the others.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8? {
    register == TIFR ? 0 : nil
  }

  static func drift(of register: Register) -> RegisterDrift {
    if register == TCNT { return .counts }
    return register == TIFR ? .setsFlags : .none
  }

  /// Applies what a write to another register than TIFR has changed.
  @inline(__always)
  static func finishWrite(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.releaseOutputs(at: cycle)
    report(&chip, at: cycle)
    chip.changeOutputs(at: cycle)
    chip.updateOutputs(at: cycle)
  }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    let before = state(chip).counter
    change(&chip) { $0.counter.synchronize(to: cycle) }
    finishCounting(&chip, since: before, at: cycle)
  }

  /// Handles an edge of T0 or T1.
  static func clock(_ chip: inout Peripherals, isRising: Bool, at cycle: UInt64) {
    let before = state(chip).counter
    let counts = change(&chip) {
      $0.counter.tick(clockSelect: $0.TCCRB, isRising: isRising)
    }
    guard counts else { return }
    finishCounting(&chip, since: before, at: cycle)
    chip.update(Self.self)
  }

  /// Passes on what the timer has done since its counter was `before`.
  @inline(__always)
  static func finishCounting(
    _ chip: inout Peripherals, since before: TimerCounter, at cycle: UInt64
  ) {
    let now = state(chip).counter
    if now.TIFR & ~before.TIFR & now.watched != 0 { chip.pullTrigger(at: cycle) }
    chip.updateOutputs(at: cycle)
    if before.awaitsUpdate, !now.awaitsUpdate { chip.changeOutputs(at: cycle) }
  }

  static func stopClock(_ chip: inout Peripherals, at cycle: UInt64) {
    change(&chip) { $0.counter.synchronize(to: cycle) }
    hold(&chip, true, at: cycle)
  }

  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    hold(&chip, false, at: cycle)
  }

  private static func hold(_ chip: inout Peripherals, _ isHeld: Bool, at cycle: UInt64) {
    let prescaler = prescaler(chip)
    change(&chip) { $0.counter.hold(.sleep, isHeld, at: cycle, prescaler: prescaler) }
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 {
    state(chip).interrupts << UInt32(firstVector)
  }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    change(&chip) {
      $0.counter.synchronize(to: cycle)
      $0.counter.clear(flags: State.flag(ofInterrupt: vector &- firstVector))
    }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    change(&chip) { $0 = State(at: cycle) }
    report(&chip, at: cycle)
  }

  /// Reports the waveforms of the compare units that have changed.
  static func report(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.report(units.A, state(chip).counter.waveformA, at: cycle)
    chip.report(units.B, state(chip).counter.waveformB, at: cycle)
  }
}
