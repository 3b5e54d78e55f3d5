/// Timer/Counter2 (data sheet, "8-bit Timer/Counter2 with PWM and Asynchronous Operation").
enum Timer2: Peripheral {
  enum Register: UInt8, CaseIterable {
    case TIFR2 = 0x37
    case TCCR2A = 0xB0, TCCR2B, TCNT2, OCR2A, OCR2B
    case TIMSK2 = 0x70
    case ASSR = 0xB6
  }

  static let owner = Peripherals.Owner.timer2
  static let vectors: UInt32 = 0b111 << UInt32(firstVector)
  /// The first of three vectors: compare match A, compare match B, overflow.
  private static let firstVector: UInt8 = 7
  private static let bitOfPRR: UInt8 = 0x40

  static func initial(at cycle: UInt64) -> Timer8 { Timer8(vector: firstVector, at: cycle) }

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TIFR2: chip.timer2.TIFR(at: cycle)
    case .TCCR2A: chip.timer2.TCCRA
    case .TCCR2B: chip.timer2.TCCRB
    case .TCNT2: chip.timer2.TCNT(at: cycle)
    case .OCR2A: UInt8(truncatingIfNeeded: chip.timer2.counter.A.buffer)
    case .OCR2B: UInt8(truncatingIfNeeded: chip.timer2.counter.B.buffer)
    case .TIMSK2: chip.timer2.counter.TIMSK
    case .ASSR: chip.timer2.ASSR
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .TIFR2: return chip.timer2.clear(flags: value, at: cycle)
    case .TCCR2A: chip.timer2.write(TCCRA: value, at: cycle)
    case .TCCR2B:
      chip.timer2.write(
        TCCRB: value, shift: Prescaler.asynchronous(value), at: cycle,
        prescaler: chip.prescalers.asynchronous)
    case .TCNT2:
      // A tone that is set up again is another one, even if it has the same settings and the
      // counter happens to have this value.
      if chip.timer2.counter.A.action == .toggle { chip.outputs.forget(.OC2A) }
      if chip.timer2.counter.B.action == .toggle { chip.outputs.forget(.OC2B) }
      chip.timer2.write(TCNT: value, at: cycle)
    case .OCR2A: chip.timer2.write(OCRA: value, at: cycle)
    case .OCR2B: chip.timer2.write(OCRB: value, at: cycle)
    case .TIMSK2: chip.timer2.write(TIMSK: value, at: cycle)
    case .ASSR:
      if value & 0b0110_0000 != 0 { chip.notice("ASSR", at: cycle, pc: pc) }
      chip.timer2.ASSR = value & 0b0110_0000
      return
    }
    chip.releaseOutputs(at: cycle)
    report(&chip, at: cycle)
    chip.changeOutputs(at: cycle)
    chip.updateOutputs(at: cycle)
  }

  /// Writing 1 clears a flag, so SBI and CBI write 0 to the others.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8? {
    register == .TIFR2 ? 0 : nil
  }

  static func drift(of register: Register) -> RegisterDrift {
    switch register {
    case .TCNT2: .counts
    case .TIFR2: .setsFlags
    case .TCCR2A, .TCCR2B, .OCR2A, .OCR2B, .TIMSK2, .ASSR: .none
    }
  }

  static func count(
    _ register: Register, _ chip: Peripherals, from first: UInt64, every period: UInt64,
    samples: Int, into values: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard register == .TCNT2 else { return false }
    chip.timer2.counter.count(from: first, every: period, samples: samples, into: values)
    return true
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.timer2.counter.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    let awaited = chip.timer2.counter.awaitsUpdate
    chip.timer2.counter.synchronize(to: cycle)
    chip.updateOutputs(at: cycle)
    if awaited, !chip.timer2.counter.awaitsUpdate { chip.changeOutputs(at: cycle) }
  }

  static func stopClock(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.timer2.counter.synchronize(to: cycle)
    hold(&chip, true, at: cycle)
  }

  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    hold(&chip, false, at: cycle)
  }

  private static func hold(_ chip: inout Peripherals, _ isHeld: Bool, at cycle: UInt64) {
    chip.timer2.counter.hold(
      .sleep, isHeld, at: cycle, prescaler: chip.prescalers.asynchronous)
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.timer2.interrupts }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.timer2.acknowledge(vector, at: cycle)
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.timer2 = initial(at: cycle)
    report(&chip, at: cycle)
  }

  /// Reports the waveforms of the compare units that have changed.
  static func report(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.report(.OC2A, chip.timer2.counter.waveformA, at: cycle)
    chip.report(.OC2B, chip.timer2.counter.waveformB, at: cycle)
  }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.timer2 = chip.timer2.snapshot(at: snapshot.settled)
    snapshot.system.ASSR = chip.timer2.ASSR
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    let holds = Prescalers.holds(in: snapshot, PRR: bitOfPRR, isAsynchronous: true)
    guard
      let timer = Timer8(
        vector: firstVector, snapshot.timer2, synchronous: false, holds: holds,
        at: snapshot.settled, prescaler: chip.prescalers.asynchronous)
    else { return false }
    chip.timer2 = timer
    chip.timer2.ASSR = snapshot.system.ASSR
    return true
  }
}
