/// A row of the data sheet's tables "Waveform Generation Mode Bit Description".
struct WaveformMode: Hashable, Sendable {
  enum Slope: Hashable, Sendable {
    /// Counts up and restarts at 0; the compare units have no buffer.
    case normal
    /// Fast PWM: as `normal`, with buffers.
    case single
    /// Phase correct, and phase and frequency correct: counts up and down.
    case dual
  }
  /// The value at which the count ends.
  enum Top: Hashable, Sendable {
    case fixed(UInt16)
    case OCRA
    case ICR
  }
  enum Moment: Hashable, Sendable {
    case immediate, bottom, top, max
  }

  var slope: Slope
  var top: Top
  /// When a compare unit takes over a value written to OCRnx.
  var update: Moment
  /// When TOVn is set.
  var overflow: Moment
  /// Whether compare output mode 1 toggles OCnA. In a PWM mode in which it does not, it disconnects
  /// the pin.
  var togglesA: Bool

  /// Whether the timer keeps counting past a TOP that it has missed. A fixed TOP cannot be missed.
  var hasVariableTop: Bool {
    if case .fixed = top { false } else { true }
  }

  /// The bits of the count's high byte that can be 1.
  var highBits: UInt8 {
    if case .fixed(let top) = top { UInt8(truncatingIfNeeded: top >> 8) } else { 0xFF }
  }

  static let normal = WaveformMode(
    slope: .normal, top: .fixed(0xFF), update: .immediate, overflow: .max, togglesA: true)

  /// Modes of Timers 0 and 2, WGM 0...7. The reserved 4 and 6 are treated as normal.
  static func eightBit(_ WGM: UInt8) -> WaveformMode {
    switch WGM {
    case 1, 5:
      WaveformMode(
        slope: .dual, top: WGM == 5 ? .OCRA : .fixed(0xFF), update: .top, overflow: .bottom,
        togglesA: WGM == 5)
    case 2:
      WaveformMode(slope: .normal, top: .OCRA, update: .immediate, overflow: .max, togglesA: true)
    case 3:
      WaveformMode(
        slope: .single, top: .fixed(0xFF), update: .bottom, overflow: .max, togglesA: false)
    case 7:
      WaveformMode(slope: .single, top: .OCRA, update: .bottom, overflow: .top, togglesA: true)
    default: normal
    }
  }

  /// Modes of Timer 1, WGM 0...15. The reserved 13 is treated as normal. The data sheet's editions
  /// differ in which phase correct modes toggle OC1A; 9 and 11, where OCR1A is TOP, follow the
  /// later one.
  static func sixteenBit(_ WGM: UInt8) -> WaveformMode {
    switch WGM {
    case 1, 2, 3, 10, 11:
      WaveformMode(
        slope: .dual, top: top(WGM), update: .top, overflow: .bottom, togglesA: WGM == 11)
    case 8, 9:
      WaveformMode(
        slope: .dual, top: top(WGM), update: .bottom, overflow: .bottom, togglesA: WGM == 9)
    case 5, 6, 7, 14, 15:
      WaveformMode(
        slope: .single, top: top(WGM), update: .bottom, overflow: .top, togglesA: WGM >= 14)
    case 4, 12:
      WaveformMode(
        slope: .normal, top: top(WGM), update: .immediate, overflow: .max, togglesA: true)
    default:
      WaveformMode(
        slope: .normal, top: .fixed(0xFFFF), update: .immediate, overflow: .max, togglesA: true)
    }
  }

  private static func top(_ WGM: UInt8) -> Top {
    switch WGM {
    case 1, 5: .fixed(0xFF)
    case 2, 6: .fixed(0x1FF)
    case 3, 7: .fixed(0x3FF)
    case 8, 10, 12, 14: .ICR
    default: .OCRA
    }
  }
}
