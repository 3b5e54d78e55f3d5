/// What the timers last gave to the pins and told the world, so that only changes are passed on.
struct TimerOutputs: Hashable, Sendable {
  /// The pins that a port's timers have taken over, and the levels they give them.
  struct Override: Hashable, Sendable {
    var pins: UInt8 = 0
    var levels: UInt8 = 0

    mutating func add(_ unit: CompareUnit, bit: UInt8) {
      guard unit.action != .none else { return }
      pins |= 1 << bit
      if unit.isHigh { levels |= 1 << bit }
    }
  }

  var B = Override()
  var D = Override()
  private var OC0A = OutputCompare.Figures.none
  private var OC0B = OutputCompare.Figures.none
  private var OC1A = OutputCompare.Figures.none
  private var OC1B = OutputCompare.Figures.none
  private var OC2A = OutputCompare.Figures.none
  private var OC2B = OutputCompare.Figures.none

  /// What the unit makes now counts as a change, unless it makes nothing.
  mutating func forget(_ unit: OutputCompare.Unit) { _ = change(unit, to: .none) }

  /// Whether that is a change.
  mutating func change(_ unit: OutputCompare.Unit, to figures: OutputCompare.Figures) -> Bool {
    func replace(_ last: inout OutputCompare.Figures) -> Bool {
      defer { last = figures }
      return last != figures
    }
    return switch unit {
    case .OC0A: replace(&OC0A)
    case .OC0B: replace(&OC0B)
    case .OC1A: replace(&OC1A)
    case .OC1B: replace(&OC1B)
    case .OC2A: replace(&OC2A)
    case .OC2B: replace(&OC2B)
    }
  }
}
