/// Timer/Counter0 (data sheet, "8-bit Timer/Counter0 with PWM").
enum Timer0: EightBitTimer {
  enum Register: UInt8, CaseIterable, EightBitRegister {
    case TIFR = 0x35
    case TCCRA = 0x44, TCCRB, TCNT, OCRA, OCRB
    case TIMSK = 0x6E
  }

  static let owner = Peripherals.Owner.timer0
  static var firstVector: UInt8 { 14 }
  static var units: (A: OutputCompare.Unit, B: OutputCompare.Unit) { (.OC0A, .OC0B) }

  static func state(_ chip: Peripherals) -> Timer8 { chip.timer0 }
  static func change<Result>(
    _ chip: inout Peripherals, _ body: (inout Timer8) -> Result
  ) -> Result {
    body(&chip.timer0)
  }
  static func shift(_ clockSelect: UInt8) -> UInt8? { Prescaler.synchronous(clockSelect) }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    write(value, to: register, &chip, at: cycle)
  }
}

/// Timer/Counter2 (data sheet, "8-bit Timer/Counter2 with PWM and Asynchronous Operation").
enum Timer2: EightBitTimer {
  enum Register: UInt8, CaseIterable, EightBitRegister {
    case TIFR = 0x37
    case TCCRA = 0xB0, TCCRB, TCNT, OCRA, OCRB
    case TIMSK = 0x70
    case ASSR = 0xB6
  }

  static let owner = Peripherals.Owner.timer2
  static var firstVector: UInt8 { 7 }
  static var units: (A: OutputCompare.Unit, B: OutputCompare.Unit) { (.OC2A, .OC2B) }

  static func state(_ chip: Peripherals) -> Timer8 { chip.timer2 }
  static func change<Result>(
    _ chip: inout Peripherals, _ body: (inout Timer8) -> Result
  ) -> Result {
    body(&chip.timer2)
  }
  static func prescaler(_ chip: Peripherals) -> Prescaler { chip.prescalers.asynchronous }
  static func shift(_ clockSelect: UInt8) -> UInt8? { Prescaler.asynchronous(clockSelect) }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    if register == .ASSR {
      if value & 0b0110_0000 != 0 { chip.notice("ASSR", at: cycle, pc: pc) }
      chip.timer2.ASSR = value & 0b0110_0000
      return
    }
    if register == .TCNT {
      // A tone that is set up again is another one, even if it has the same settings and the
      // counter happens to have this value.
      if chip.timer2.counter.A.action == .toggle { chip.outputs.forget(.OC2A) }
      if chip.timer2.counter.B.action == .toggle { chip.outputs.forget(.OC2B) }
    }
    write(value, to: register, &chip, at: cycle)
  }
}

/// The names of an eight-bit timer's registers in the data sheet, without the timer's number.
protocol EightBitRegister: Equatable {
  static var TIFR: Self { get }
  static var TCCRA: Self { get }
  static var TCCRB: Self { get }
  static var TCNT: Self { get }
  static var OCRA: Self { get }
  static var OCRB: Self { get }
  static var TIMSK: Self { get }
}

/// What Timers 0 and 2 have in common (data sheet, "8-bit Timer/Counter").
protocol EightBitTimer: TimerPeripheral where State == Timer8, Register: EightBitRegister {
  /// The divisor that clock select bits select, as a power of two; nil if there is no such clock.
  static func shift(_ clockSelect: UInt8) -> UInt8?
}

extension EightBitTimer {
  /// Three vectors: compare match A, compare match B, overflow.
  static var vectors: UInt32 { 0b111 << UInt32(firstVector) }
  static var TIFR: Register { .TIFR }
  static var TCNT: Register { .TCNT }

  @inline(__always)
  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TIFR: state(chip).counter.TIFR(at: cycle)
    case .TCCRA: state(chip).TCCRA
    case .TCCRB: state(chip).TCCRB
    case .TCNT: UInt8(truncatingIfNeeded: state(chip).counter.count(at: cycle))
    case .OCRA: UInt8(truncatingIfNeeded: state(chip).counter.A.buffer)
    case .OCRB: UInt8(truncatingIfNeeded: state(chip).counter.B.buffer)
    case .TIMSK: state(chip).counter.TIMSK
    default: state(chip).ASSR
    }
  }

  /// Writes any register but ASSR.
  @inline(__always)
  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64
  ) {
    let prescaler = prescaler(chip)
    change(&chip) { timer in
      timer.counter.synchronize(to: cycle)
      switch register {
      case .TIFR: timer.counter.clear(flags: value)
      case .TCCRA: timer.write(TCCRA: value)
      case .TCCRB: timer.write(TCCRB: value, shift: shift(value), at: cycle, prescaler)
      case .TCNT: timer.counter.set(count: UInt16(value))
      case .OCRA: timer.counter.write(OCRA: UInt16(value))
      case .OCRB: timer.counter.write(OCRB: UInt16(value))
      default: timer.counter.set(TIMSK: value & 0b0000_0111)
      }
    }
    if register != .TIFR { finishWrite(&chip, at: cycle) }
  }

  static func count(
    _ register: Register, _ chip: Peripherals, from first: UInt64, every period: UInt64,
    samples: Int, into values: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard register == .TCNT else { return false }
    state(chip).counter.count(from: first, every: period, samples: samples, into: values)
    return true
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { state(chip).counter.deadline }
}

/// The registers of Timer 0 or Timer 2.
struct Timer8: TimerState, Hashable, Sendable, Codable {
  private(set) var TCCRA: UInt8 = 0
  private(set) var TCCRB: UInt8 = 0
  /// Used by Timer 2 only.
  var ASSR: UInt8 = 0
  var counter: TimerCounter

  init(at cycle: UInt64) { counter = TimerCounter(maximum: 0xFF, at: cycle) }

  mutating func write(TCCRA value: UInt8) {
    TCCRA = value & 0b1111_0011
    configure()
  }

  /// `shift` is the meaning of the clock select bits for this timer.
  mutating func write(TCCRB value: UInt8, shift: UInt8?, at cycle: UInt64, _ prescaler: Prescaler) {
    TCCRB = value & 0b0000_1111
    configure()
    counter.force(A: value & 0x80 != 0, B: value & 0x40 != 0)
    if shift != counter.shift { counter.set(shift: shift, at: cycle, prescaler: prescaler) }
  }

  private mutating func configure() {
    let mode = WaveformMode.eightBit((TCCRB >> 1) & 0b100 | TCCRA & 0b11)
    if mode != counter.mode { counter.set(mode: mode) }
    counter.set(COMA: TCCRA >> 6, COMB: (TCCRA >> 4) & 3)
  }

  var interrupts: UInt32 {
    let flags = UInt32(counter.TIFR & counter.TIMSK)
    return (flags >> 1) & 0b11 | (flags & 1) << 2
  }

  static func flag(ofInterrupt number: UInt8) -> UInt8 {
    switch number {
    case 0: TimerCounter.Flag.OCFA
    case 1: TimerCounter.Flag.OCFB
    default: TimerCounter.Flag.TOV
    }
  }
}
