/// Timer/Counter0 (data sheet, "8-bit Timer/Counter0 with PWM").
enum Timer0: Peripheral {
  enum Register: UInt8, CaseIterable {
    case TIFR0 = 0x35
    case TCCR0A = 0x44, TCCR0B, TCNT0, OCR0A, OCR0B
    case TIMSK0 = 0x6E
  }

  static let owner = Peripherals.Owner.timer0
  static let vectors: UInt32 = 0b111 << UInt32(firstVector)
  /// The first of three vectors: compare match A, compare match B, overflow.
  private static let firstVector: UInt8 = 14
  private static let bitOfPRR: UInt8 = 0x20

  static func initial(at cycle: UInt64) -> Timer8 { Timer8(vector: firstVector, at: cycle) }

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TIFR0: chip.timer0.TIFR(at: cycle)
    case .TCCR0A: chip.timer0.TCCRA
    case .TCCR0B: chip.timer0.TCCRB
    case .TCNT0: chip.timer0.TCNT(at: cycle)
    case .OCR0A: UInt8(truncatingIfNeeded: chip.timer0.counter.A.buffer)
    case .OCR0B: UInt8(truncatingIfNeeded: chip.timer0.counter.B.buffer)
    case .TIMSK0: chip.timer0.counter.TIMSK
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TIFR0: return chip.timer0.clear(flags: value, at: cycle)
    case .TCCR0A: chip.timer0.write(TCCRA: value, at: cycle)
    case .TCCR0B:
      chip.timer0.write(
        TCCRB: value, shift: Prescaler.synchronous(value), at: cycle,
        prescaler: chip.prescalers.synchronous)
    case .TCNT0: chip.timer0.write(TCNT: value, at: cycle)
    case .OCR0A: chip.timer0.write(OCRA: value, at: cycle)
    case .OCR0B: chip.timer0.write(OCRB: value, at: cycle)
    case .TIMSK0: chip.timer0.write(TIMSK: value, at: cycle)
    }
    chip.releaseOutputs(at: cycle)
    report(&chip, at: cycle)
    chip.changeOutputs(at: cycle)
    chip.updateOutputs(at: cycle)
  }

  /// Writing 1 clears a flag, so SBI and CBI write 0 to the others.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8? {
    register == .TIFR0 ? 0 : nil
  }

  static func drift(of register: Register) -> RegisterDrift {
    switch register {
    case .TCNT0: .counts
    case .TIFR0: .setsFlags
    case .TCCR0A, .TCCR0B, .OCR0A, .OCR0B, .TIMSK0: .none
    }
  }

  static func count(
    _ register: Register, _ chip: Peripherals, from first: UInt64, every period: UInt64,
    samples: Int, into values: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard register == .TCNT0 else { return false }
    chip.timer0.counter.count(from: first, every: period, samples: samples, into: values)
    return true
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.timer0.counter.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    let before = chip.timer0.counter.TIFR
    let awaited = chip.timer0.counter.awaitsUpdate
    chip.timer0.counter.synchronize(to: cycle)
    chip.finishCounting(chip.timer0.counter, since: before, awaited: awaited, at: cycle)
  }

  /// Handles an edge of T0.
  static func clock(_ chip: inout Peripherals, isRising: Bool, at cycle: UInt64) {
    let before = chip.timer0.counter.TIFR
    let awaited = chip.timer0.counter.awaitsUpdate
    guard chip.timer0.counter.tick(clockSelect: chip.timer0.TCCRB, isRising: isRising) else {
      return
    }
    chip.finishCounting(chip.timer0.counter, since: before, awaited: awaited, at: cycle)
    chip.update(Timer0.self)
  }

  static func stopClock(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.timer0.counter.synchronize(to: cycle)
    hold(&chip, true, at: cycle)
  }

  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    hold(&chip, false, at: cycle)
  }

  private static func hold(_ chip: inout Peripherals, _ isHeld: Bool, at cycle: UInt64) {
    chip.timer0.counter.hold(
      .sleep, isHeld, at: cycle, prescaler: chip.prescalers.synchronous)
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.timer0.interrupts }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.timer0.acknowledge(vector, at: cycle)
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.timer0 = initial(at: cycle)
    report(&chip, at: cycle)
  }

  /// Reports the waveforms of the compare units that have changed.
  static func report(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.report(.OC0A, chip.timer0.counter.waveformA, at: cycle)
    chip.report(.OC0B, chip.timer0.counter.waveformB, at: cycle)
  }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.timer0 = chip.timer0.snapshot(at: snapshot.settled)
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    let holds = Prescalers.holds(in: snapshot, PRR: bitOfPRR)
    guard
      let timer = Timer8(
        vector: firstVector, snapshot.timer0, synchronous: true, holds: holds,
        at: snapshot.settled, prescaler: chip.prescalers.synchronous)
    else { return false }
    chip.timer0 = timer
    return true
  }
}
