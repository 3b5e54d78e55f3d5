/// A row of the data sheet's tables "Waveform Generation Mode Bit Description".
struct WaveformMode: Hashable, Sendable, Codable {
  enum Slope: Hashable, Sendable, Codable {
    /// Counts up and restarts at 0; the compare units have no buffer.
    case normal
    /// Fast PWM: as `normal`, with buffers.
    case single
    /// Phase correct, and phase and frequency correct: counts up and down.
    case dual
  }
  /// The value at which the count ends.
  enum Top: Hashable, Sendable, Codable {
    case fixed(UInt16)
    case OCRA
    case ICR
  }
  enum Moment: Hashable, Sendable, Codable {
    case immediate, bottom, top
  }

  var slope: Slope
  var top: Top
  /// When a compare unit takes over a value written to OCRnx.
  var update: Moment
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

  private static func normal(_ top: Top) -> WaveformMode {
    WaveformMode(slope: .normal, top: top, update: .immediate, togglesA: true)
  }

  /// Modes of Timers 0 and 2, WGM 0...7. The reserved 4 and 6 are treated as normal.
  static func eightBit(_ WGM: UInt8) -> WaveformMode {
    let top = WGM < 4 && WGM != 2 ? Top.fixed(0xFF) : .OCRA
    return switch WGM {
    case 1, 5: WaveformMode(slope: .dual, top: top, update: .top, togglesA: WGM == 5)
    case 2: normal(top)
    case 3, 7: WaveformMode(slope: .single, top: top, update: .bottom, togglesA: WGM == 7)
    default: normal(.fixed(0xFF))
    }
  }

  /// Modes of Timer 1, WGM 0...15. The reserved 13 is treated as normal. The data sheet's editions
  /// differ in which phase correct modes toggle OC1A; 9 and 11, where OCR1A is TOP, follow the
  /// later one.
  static func sixteenBit(_ WGM: UInt8) -> WaveformMode {
    let top = top(WGM)
    return switch WGM {
    case 1, 2, 3, 10, 11:
      WaveformMode(slope: .dual, top: top, update: .top, togglesA: WGM == 11)
    case 8, 9: WaveformMode(slope: .dual, top: top, update: .bottom, togglesA: WGM == 9)
    case 5, 6, 7, 14, 15:
      WaveformMode(slope: .single, top: top, update: .bottom, togglesA: WGM >= 14)
    case 4, 12: normal(top)
    default: normal(.fixed(0xFFFF))
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

extension TimerCounter {
  /// Sets the compare output mode of both units (COMnA and COMnB), interpreted for the waveform
  /// mode.
  mutating func set(COMA: UInt8, COMB: UInt8) {
    A.action = CompareUnit.Action(rawValue: COMA & 3) ?? .none
    B.action = CompareUnit.Action(rawValue: COMB & 3) ?? .none
    if mode.slope != .normal {
      if A.action == .toggle, !mode.togglesA { A.action = .none }
      if B.action == .toggle { B.action = .none }
    }
  }

  /// FOCnA and FOCnB: apply a match to the output only. Ignored in the PWM modes.
  mutating func force(A forcesA: Bool, B forcesB: Bool) {
    guard mode.slope == .normal else { return }
    if forcesA { A.match() }
    if forcesB { B.match() }
  }

  var waveformA: OutputCompare.Figures {
    figures(of: A, isInterruptOn: TIMSK & Flag.OCFA != 0)
  }
  var waveformB: OutputCompare.Figures {
    figures(of: B, isInterruptOn: TIMSK & Flag.OCFB != 0)
  }

  /// Based on the last written values: buffered ones, including TOP, count as already updated.
  func figures(of unit: CompareUnit, isInterruptOn: Bool) -> OutputCompare.Figures {
    let drivesPin = unit.action != .none
    guard let shift, drivesPin || isInterruptOn else {
      return OutputCompare.Figures(drivesPin: drivesPin, pulseCycles: nil, matchCycles: nil)
    }
    let top: UInt32 =
      switch mode.top {
      case .fixed(let value): UInt32(value)
      case .OCRA: UInt32(A.buffer)
      case .ICR: UInt32(ICR)
      }
    let OCR = UInt32(unit.buffer)
    let period = mode.slope == .dual ? max(2 * top, 2) : top + 1
    var pulse: UInt32?
    if drivesPin, unit.action != .toggle, mode.slope != .normal {
      let nonInverted =
        mode.slope == .dual ? min(2 * OCR, period) : min(OCR + 1, period)
      pulse = unit.action == .clear ? nonInverted : period - nonInverted
    }
    let matches = (unit.action == .toggle || isInterruptOn) && OCR <= top
    return OutputCompare.Figures(
      drivesPin: drivesPin, pulseCycles: pulse.map { $0 << UInt32(shift) },
      periodCycles: pulse == nil ? nil : period << UInt32(shift),
      matchCycles: matches ? period << UInt32(shift) : nil,
      toggles: matches && unit.action == .toggle && holds.isEmpty)
  }
}

extension OutputCompare {
  /// The waveform of a compare unit, without the unit's name.
  struct Figures: Hashable, Sendable, Codable {
    var drivesPin: Bool
    var pulseCycles: UInt32?
    var periodCycles: UInt32?
    var matchCycles: UInt32?
    /// Whether the timer toggles the pin, if that is an output.
    var toggles = false

    static let none = Figures(drivesPin: false, pulseCycles: nil, matchCycles: nil)
  }

  init(_ unit: Unit, _ figures: Figures) {
    self.init(
      unit: unit, drivesPin: figures.drivesPin, pulseCycles: figures.pulseCycles,
      periodCycles: figures.periodCycles, matchCycles: figures.matchCycles,
      togglesOutput: figures.toggles)
  }
}
