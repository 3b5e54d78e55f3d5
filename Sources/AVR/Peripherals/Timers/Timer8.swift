/// The registers of Timer 0 or Timer 2 (data sheet, "8-bit Timer/Counter").
struct Timer8: TimerState, Hashable, Sendable, Codable {
  private(set) var TCCRA: UInt8 = 0
  private(set) var TCCRB: UInt8 = 0
  /// Used by Timer 2 only.
  var ASSR: UInt8 = 0
  var counter: TimerCounter
  /// The first of three vectors: compare match A, compare match B, overflow.
  private let vector: UInt8

  init(vector: UInt8, at cycle: UInt64) {
    self.vector = vector
    counter = TimerCounter(maximum: 0xFF, at: cycle)
  }

  mutating func write(TCCRA value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    TCCRA = value & 0b1111_0011
    configure()
  }

  /// `shift` is the meaning of the clock select bits for this timer.
  mutating func write(TCCRB value: UInt8, shift: UInt8?, at cycle: UInt64, prescaler: Prescaler) {
    counter.synchronize(to: cycle)
    TCCRB = value & 0b0000_1111
    configure()
    counter.force(A: value & 0x80 != 0, B: value & 0x40 != 0)
    if shift != counter.shift {
      counter.set(shift: shift, at: cycle, prescaler: prescaler)
    }
  }

  private mutating func configure() {
    let mode = WaveformMode.eightBit((TCCRB >> 1) & 0b100 | TCCRA & 0b11)
    if mode != counter.mode { counter.set(mode: mode) }
    counter.set(COMA: TCCRA >> 6, COMB: (TCCRA >> 4) & 3)
  }

  mutating func write(TCNT value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.set(count: UInt16(value))
  }

  mutating func write(OCRA value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.write(OCRA: UInt16(value))
  }

  mutating func write(OCRB value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.write(OCRB: UInt16(value))
  }

  mutating func write(TIMSK value: UInt8, at cycle: UInt64) {
    counter.synchronize(to: cycle)
    counter.set(TIMSK: value & 0b0000_0111)
  }

  func TCNT(at cycle: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: counter.count(at: cycle))
  }

  var interrupts: UInt32 {
    let flags = UInt32(counter.TIFR & counter.TIMSK)
    return ((flags >> 1) & 0b11 | (flags & 1) << 2) << UInt32(vector)
  }

  mutating func acknowledge(_ entered: UInt8, at cycle: UInt64) {
    let flags: UInt8 =
      switch entered &- vector {
      case 0: TimerCounter.Flag.OCFA
      case 1: TimerCounter.Flag.OCFB
      default: TimerCounter.Flag.TOV
      }
    counter.clear(flags: flags, at: cycle)
  }
}
