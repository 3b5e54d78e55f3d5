struct AnalogInputs: Hashable, Sendable, Codable {
  /// The supply of an Uno, which is also connected to AVCC, in microvolts.
  static let supply: Int32 = 5_000_000
  /// The internal reference (data sheet, "Analog-to-digital Converter", "Reference voltage").
  static let bandgap: Int32 = 1_100_000
  /// The temperature sensor at 25 degrees C (data sheet, "Temperature Measurement").
  static let temperature: Int32 = 314_000
  // A digital input is certainly low up to 0.3 of the supply, and high from 0.6 on (data sheet, "DC
  // Characteristics").
  private static let lowMax = supply / 10 * 3
  private static let highMin = supply / 10 * 6

  private struct Voltage: Hashable, Sendable, Codable {
    var pin: Pin
    var microvolts: Int32
  }

  private var voltages: [Voltage] = []
  /// The voltages of the inputs that are no pins of a port, in microvolts; nil if there is none.
  fileprivate(set) var ADC6: Int32?
  fileprivate(set) var ADC7: Int32?

  /// The voltage applied to a pin, in microvolts; nil if there is none.
  subscript(pin: Pin) -> Int32? {
    get { voltages.first { $0.pin == pin }?.microvolts }
    set {
      if voltages.isEmpty, newValue == nil { return }
      voltages.removeAll { $0.pin == pin }
      if let newValue { voltages.append(Voltage(pin: pin, microvolts: newValue)) }
    }
  }

  /// The level that a digital input reads; nil if it can be either.
  static func level(of microvolts: Int32) -> Bool? {
    if microvolts <= lowMax { return false }
    return microvolts >= highMin ? true : nil
  }

  static func clamped(_ microvolts: Int32) -> Int32 { min(max(microvolts, 0), supply) }
}

extension Peripherals {
  /// Applies a voltage to a pin, in microvolts. Between the highest low level and the lowest high
  /// level, a digital input keeps its previous level.
  mutating func apply(microvolts: Int32, to pin: Pin, at cycle: UInt64) {
    advance(to: cycle)
    let isHigh = AnalogInputs.level(of: microvolts) ?? level(of: pin)
    analog[pin] = AnalogInputs.clamped(microvolts)
    change(pin.port, at: cycle, isInput: true) { $0.drive(pin.bit, isHigh, at: cycle) }
    compareVoltages(at: cycle)
  }

  /// Applies a voltage to the analog input ADC6 or ADC7, in microvolts.
  mutating func apply(microvolts: Int32, toChannel channel: UInt8, at cycle: UInt64) {
    advance(to: cycle)
    let applied = AnalogInputs.clamped(microvolts)
    if channel == 6 { analog.ADC6 = applied } else { analog.ADC7 = applied }
    compareVoltages(at: cycle)
  }

  /// The voltage of a pin, in microvolts. A pin that nothing drives is at the supply with its
  /// pull-up, and at 0 without.
  func microvolts(of pin: Pin) -> Int32 {
    let isOutput = ports[pin.port].outputs & (1 << pin.bit) != 0
    if !isOutput, let applied = analog[pin] { return applied }
    return level(of: pin) ? AnalogInputs.supply : 0
  }

  /// The voltage of a channel of the analog multiplexer, 0...15.
  func microvolts(ofChannel channel: UInt8) -> Int32 {
    switch channel {
    case 0...5: microvolts(of: Pin(.C, channel))
    case 8: AnalogInputs.temperature
    case 14: AnalogInputs.bandgap
    case 6: analog.ADC6 ?? 0
    case 7: analog.ADC7 ?? 0
    // Reserved or connected to GND.
    default: 0
    }
  }
}
