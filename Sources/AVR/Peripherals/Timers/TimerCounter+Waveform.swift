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
  struct Figures: Hashable, Sendable {
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
      togglesOutput: figures.toggles ? true : nil)
  }
}
