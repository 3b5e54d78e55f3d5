/// The registers of the analog to digital converter. A conversion takes its time, and its result is 0: nothing
/// is connected.
struct ADC: Hashable, Sendable, Saved {
  private enum Bit {
    static let ADEN: UInt8 = 0x80
    static let ADSC: UInt8 = 0x40
    static let ADATE: UInt8 = 0x20
    static let ADIF: UInt8 = 0x10
    static let ADIE: UInt8 = 0x08
  }

  private(set) var ADCSRA: UInt8 = 0
  var ADCSRB: UInt8 = 0
  var ADMUX: UInt8 = 0
  /// The end of the conversion; `.max`: there is none.
  private(set) var deadline: UInt64 = .max
  private var isFirst = true

  /// Vector 21.
  var isInterrupting: Bool { ADCSRA & (Bit.ADIF | Bit.ADIE) == Bit.ADIF | Bit.ADIE }

  /// Whether a conversion begins.
  mutating func write(ADCSRA value: UInt8, at cycle: UInt64) -> Bool {
    let isConverting = ADCSRA & Bit.ADSC != 0
    ADCSRA = value & ~(Bit.ADIF | Bit.ADSC) | (value & Bit.ADIF != 0 ? 0 : ADCSRA & Bit.ADIF)
    guard value & Bit.ADEN != 0 else {
      isFirst = true
      deadline = .max
      return false
    }
    if isConverting {
      ADCSRA |= Bit.ADSC
    } else if value & Bit.ADSC != 0 {
      begin(at: cycle)
      return true
    }
    return false
  }

  /// Whether it can be like this: what was read from a file may not.
  func isPossible(at cycle: UInt64) -> Bool {
    deadline == .max || (deadline > cycle && deadline <= cycle + 25 << 7)
  }

  /// Does what is due at `deadline`.
  mutating func advance() {
    let end = deadline
    deadline = .max
    ADCSRA = ADCSRA & ~Bit.ADSC | Bit.ADIF
    // Free running, whatever else ADTS asks for is not there.
    if ADCSRA & Bit.ADATE != 0, ADCSRB & 0b111 == 0 { begin(at: end) }
  }

  mutating func acknowledge() { ADCSRA &= ~Bit.ADIF }

  /// 13 ADC clocks, 25 for the first conversion after ADEN.
  private mutating func begin(at cycle: UInt64) {
    ADCSRA |= Bit.ADSC
    deadline = cycle + (isFirst ? 25 : 13) << UInt64(max(ADCSRA & 0b111, 1))
    isFirst = false
  }
}
