/// The registers of the analog to digital converter. A conversion takes its real time; the result
/// is 0, as nothing is connected.
struct ADC: Hashable, Sendable, Saved {
  // The saved properties. DIDR0 is saved with the comparator's registers.
  private enum CodingKeys: SavedKey {
    case ADCSRA, ADCSRB, ADMUX, deadline, isFirst
  }
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
  /// Stored without effect.
  var DIDR0: UInt8 = 0
  /// The end of the conversion; `.max` if none is running.
  private(set) var deadline: UInt64 = .max
  private var isFirst = true

  /// Whether conversions are to begin at a trigger, none of which is emulated: a timer, INT0 or the
  /// comparator.
  var awaitsTrigger: Bool {
    ADCSRA & (Bit.ADEN | Bit.ADATE) == Bit.ADEN | Bit.ADATE && ADCSRB & 0b111 != 0
  }

  /// Vector 21.
  var isInterrupting: Bool { ADCSRA & (Bit.ADIF | Bit.ADIE) == Bit.ADIF | Bit.ADIE }

  /// Returns whether a conversion begins.
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

  /// Whether the state is valid; one read from a file can be invalid.
  func isPossible(at cycle: UInt64) -> Bool {
    deadline == .max || (deadline > cycle && deadline <= cycle + 25 << 7)
  }

  /// Finishes the conversion that ends at `deadline`.
  mutating func advance() {
    let end = deadline
    deadline = .max
    ADCSRA = ADCSRA & ~Bit.ADSC | Bit.ADIF
    // Free running mode, since no other trigger source of ADTS is emulated.
    if ADCSRA & Bit.ADATE != 0, ADCSRB & 0b111 == 0 { begin(at: end) }
  }

  mutating func acknowledge() { ADCSRA &= ~Bit.ADIF }

  /// A conversion takes 13 ADC clocks, the first one after ADEN 25.
  private mutating func begin(at cycle: UInt64) {
    ADCSRA |= Bit.ADSC
    deadline = cycle + (isFirst ? 25 : 13) << UInt64(max(ADCSRA & 0b111, 1))
    isFirst = false
  }
}

extension ADC: Peripheral {
  enum Register: UInt8, CaseIterable {
    case ADCL = 0x78, ADCH, ADCSRA, ADCSRB, ADMUX
    case DIDR0 = 0x7E
  }

  static let owner = Peripherals.Owner.ADC
  static let vectors: UInt32 = 1 << 21

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .ADCL, .ADCH: 0
    case .ADCSRA: chip.ADC.ADCSRA
    case .ADCSRB: chip.ADC.ADCSRB
    case .ADMUX: chip.ADC.ADMUX
    case .DIDR0: chip.ADC.DIDR0
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .ADCL, .ADCH: break
    case .ADCSRA:
      if chip.ADC.write(ADCSRA: value, at: cycle) { chip.notice("ADCSRA", at: cycle, pc: pc) }
      if chip.ADC.awaitsTrigger { chip.notice("ADTS", at: cycle, pc: pc) }
    case .ADCSRB:
      chip.ADC.ADCSRB = value & 0b0100_0111
      if chip.ADC.awaitsTrigger { chip.notice("ADTS", at: cycle, pc: pc) }
    case .ADMUX: chip.ADC.ADMUX = value & 0b1110_1111
    case .DIDR0: chip.ADC.DIDR0 = value & 0x3F
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.ADC.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) { chip.ADC.advance() }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.ADC.isInterrupting ? vectors : 0 }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.ADC.acknowledge()
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) { chip.ADC = ADC() }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.ADC = chip.ADC
    snapshot.stored.DIDR0 = chip.ADC.DIDR0
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    chip.ADC = snapshot.ADC
    chip.ADC.DIDR0 = snapshot.stored.DIDR0
    return chip.ADC.isPossible(at: snapshot.settled)
  }
}
