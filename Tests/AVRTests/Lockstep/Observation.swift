@testable import AVR

/// What a program does that can be seen from outside, or as good as that.
struct Observation: Hashable {
  enum What: Hashable {
    /// Of PB1, the servo's pin.
    case level(Bool)
    /// How long a pulse OCR1A asks for, in cycles.
    case width(UInt32)
  }

  var cycle: UInt64
  var what: What

  init(cycle: UInt64, what: What) {
    self.cycle = cycle
    self.what = what
  }

  /// nil for an event that the comparison is not about.
  init?(_ event: TimedChipEvent) {
    cycle = event.cycle
    switch event.event {
    case .pin(Pin(.B, 1), let isHigh): what = .level(isHigh)
    case .waveform(let compare) where compare.unit == .OC1A && compare.drivesPin:
      guard let pulse = compare.pulseCycles else { return nil }
      what = .width(pulse)
    default: return nil
    }
  }
}

extension [Observation] {
  /// Of the widths, each that is another than the one before.
  var widths: [Observation] {
    var last: Observation.What?
    return filter {
      guard case .width = $0.what, $0.what != last else { return false }
      last = $0.what
      return true
    }
  }

  var levels: [Observation] {
    filter { if case .level = $0.what { true } else { false } }
  }
}
