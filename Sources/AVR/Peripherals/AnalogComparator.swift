/// The analog comparator (data sheet, "Analog Comparator"). Its output follows at once; the real
/// chip takes one to two cycles.
struct AnalogComparator: Hashable, Sendable, Codable {
  fileprivate enum Bit {
    static let ACD: UInt8 = 0x80
    static let ACBG: UInt8 = 0x40
    static let ACO: UInt8 = 0x20
    static let ACI: UInt8 = 0x10
    static let ACIE: UInt8 = 0x08
    static let ACIC: UInt8 = 0x04
    static let ACIS: UInt8 = 0x03
  }

  fileprivate(set) var ACSR: UInt8 = 0
  var DIDR1: UInt8 = 0
  /// Whether its negative input can be a channel of the ADC.
  fileprivate(set) var usesChannels = false

  /// Whether the program has read or written ACSR, so that each edge of AIN0 matters.
  fileprivate(set) var isUsed = false

  var isOn: Bool { ACSR & Bit.ACD == 0 }
  /// Whether each change of its output must be followed.
  var isFollowed: Bool { isUsed || ACSR & (Bit.ACIE | Bit.ACIC) != 0 }
  var usesBandgap: Bool { ACSR & Bit.ACBG != 0 }
  /// Whether its output replaces the pin ICP1.
  var capturesInput: Bool { ACSR & Bit.ACIC != 0 }
  var isHigh: Bool { ACSR & Bit.ACO != 0 }
  /// Vector 23.
  var isInterrupting: Bool { ACSR & (Bit.ACI | Bit.ACIE) == Bit.ACI | Bit.ACIE }

  mutating func write(ACSR value: UInt8) {
    let flags = ACSR & (Bit.ACO | Bit.ACI) & ~(value & Bit.ACI)
    ACSR = value & ~(Bit.ACO | Bit.ACI) | flags
  }

  /// Sets the output. Returns whether that set its interrupt's flag.
  mutating func set(isHigh: Bool) -> Bool {
    guard isHigh != self.isHigh else { return false }
    ACSR ^= Bit.ACO
    let isSelected =
      switch ACSR & Bit.ACIS {
      case 0: true
      case 2: !isHigh
      case 3: isHigh
      default: false
      }
    guard isSelected, ACSR & Bit.ACI == 0 else { return false }
    ACSR |= Bit.ACI
    return true
  }
}

extension AnalogComparator: Peripheral {
  enum Register: UInt8, CaseIterable {
    case ACSR = 0x50
    case DIDR1 = 0x7F
  }

  static let owner = Peripherals.Owner.comparator
  static let vectors: UInt32 = 1 << 23

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .ACSR: chip.ports.D.quiet & AIN0 == 0 ? chip.comparator.ACSR : nil
    case .DIDR1: chip.comparator.DIDR1
    }
  }

  /// PD6.
  private static let AIN0: UInt8 = 0x40

  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    guard register == .ACSR else { return peek(register, chip, at: cycle) ?? 0 }
    use(&chip, at: cycle)
    return chip.comparator.ACSR
  }

  /// Follows AIN0 from now on. If a timer has switched it without being followed, both edges have
  /// happened.
  private static func use(_ chip: inout Peripherals, at cycle: UInt64) {
    guard !chip.comparator.isUsed else { return }
    chip.comparator.isUsed = true
    guard chip.ports.D.quiet & AIN0 != 0 else { return }
    chip.settleQuietOutputs(at: cycle)
    let other = chip.outputs.D
    chip.change(.D, at: cycle) { $0.override(other.pins, levels: other.levels ^ AIN0) }
    chip.change(.D, at: cycle) { $0.override(other.pins, levels: other.levels) }
    chip.changeOutputs(at: cycle)
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .ACSR:
      use(&chip, at: cycle)
      // A level that was not followed is not an edge.
      chip.settleQuietOutputs(at: cycle)
      chip.comparator.write(ACSR: value)
      chip.compareVoltages(at: cycle)
      chip.changeOutputs(at: cycle)
    case .DIDR1: chip.comparator.DIDR1 = value & 0b11
    }
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 {
    chip.comparator.isInterrupting ? vectors : 0
  }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.comparator.ACSR &= ~Bit.ACI
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.comparator = AnalogComparator()
    chip.compareVoltages(at: cycle)
  }
}

extension Peripherals {
  /// ACME in ADCSRB.
  private static let ACME: UInt8 = 0x40

  /// Whether the comparator's negative input is a channel of the ADC rather than AIN1.
  fileprivate var comparesChannels: Bool { ADC.ADCSRB & Self.ACME != 0 && !ADC.isOn }

  /// Sets the comparator's output after a voltage or a setting may have changed.
  mutating func compareVoltages(at cycle: UInt64) {
    comparator.usesChannels = comparesChannels
    guard comparator.isOn else { return }
    // AIN0 is PD6, AIN1 is PD7.
    let positive =
      comparator.usesBandgap ? AnalogInputs.bandgap : microvolts(of: Pin(.D, 6))
    let negative =
      comparator.usesChannels
      ? microvolts(ofChannel: ADC.ADMUX & 0b111) : microvolts(of: Pin(.D, 7))
    let isHigh = positive > negative
    guard isHigh != comparator.isHigh else { return }
    let setsFlag = comparator.set(isHigh: isHigh)
    update(AnalogComparator.self)
    if setsFlag { trigger(.comparator, at: cycle) }
    if comparator.capturesInput { Timer1.capture(&self, isHigh: isHigh, at: cycle) }
  }
}
